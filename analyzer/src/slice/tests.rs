//! Slices of small runs, by what they have and what they leave out.

use warpath_trace::text;

use super::*;

const HEAD: &str = "warpath-trace 1\nthread T0\nthread T0.0\nthread T0.1\nglobal x 4 = 0\nglobal y 4 = 0\n\
                    global z 4 = 0\nglobal a 40\nglobal b 40\nT0 begin\nT0 fork T0.0\nT0 fork T0.1\n";

/// The events of the slice of a run that failed, each as the line it stands on, with its rank.
fn sliced(events: &str) -> Vec<(String, Rank)> {
    let trace = text::parse(&format!("{HEAD}{events}outcome failed assertion\n")).expect("the text is good");
    let failed = trace.failed().expect("it failed");
    let slice = Slice::of(&trace, &ends_of_failure(&trace, &failed)).expect("it has an order");
    let steps = trace.listing().map(|(thread, index, _)| (thread, index));
    let lines = HEAD.lines().chain(events.lines()).filter(|line| line.starts_with('T'));
    let ranked = steps.zip(lines).filter_map(|(at, line)| Some((line.to_owned(), *slice.events.get(&at)?)));
    ranked.collect()
}

#[test]
fn values_are_followed_to_where_they_came_from() {
    let events = "T0.0 begin\nT0.1 begin\nT0.0 w x 7\nT0.0 w z 1\nT0.1 r z 1\nT0.1 r x $1=7\nT0.1 w y $2=8 := (add $1 1:32)\n\
                  T0.0 r y $3=8\nT0.0 assert false (= $3 0:32) \"y == 0\"\nT0.0 fail assertion \"y == 0\"\n";
    let wanted = [
        "T0.0 w x 7",
        "T0.1 r x $1=7",
        "T0.1 w y $2=8 := (add $1 1:32)",
        "T0.0 r y $3=8",
        "T0.0 fail assertion \"y == 0\"",
    ];
    let wanted: Vec<(String, Rank)> = wanted.iter().map(|line| ((*line).to_owned(), Rank::Cause)).collect();
    assert_eq!(sliced(events), wanted);
}

#[test]
fn a_lost_update_shows_the_update_that_was_lost() {
    let events = "T0.0 begin\nT0.1 begin\nT0.0 r x $1=0\nT0.1 r x $2=0\nT0.1 w x 1 := (add $2 1:32)\n\
                  T0.0 w x 1 := (add $1 1:32)\nT0.0 end\nT0.1 end\nT0 join T0.0\nT0 join T0.1\nT0 r x $3=1\n\
                  T0 assert false (= $3 2:32) \"x == 2\"\nT0 fail assertion \"x == 2\"\n";
    let lost = ("T0.1 w x 1 := (add $2 1:32)".to_owned(), Rank::Other);
    assert!(sliced(events).contains(&lost), "{:?}", sliced(events));
}

#[test]
fn decisions_of_others_are_the_way() {
    let events = "T0.0 begin\nT0.1 begin\nT0.0 w z 1\nT0.1 r z $1=1\nT0.1 branch true (= $1 1:32)\nT0.1 w x 5\nT0.0 r x $2=5\n\
                  T0.0 assert false (= $2 0:32) \"x == 0\"\nT0.0 fail assertion \"x == 0\"\n";
    let ranks: Vec<Rank> = sliced(events).into_iter().map(|(_, rank)| rank).collect();
    assert_eq!(ranks, [Rank::Way, Rank::Way, Rank::Cause, Rank::Cause, Rank::Cause]);
}

#[test]
fn a_buffered_write_is_seen_by_its_own_thread_first() {
    let head = HEAD.replace("thread T0\n", "model tso\nthread T0\n");
    let events = "T0.0 begin\nT0.1 begin\nT0.0 w x $1=1\nT0.1 r x 0\nT0.0 r x 1\nT0.0 commit $1\nT0.1 r x 1\n\
         T0.0 w x 2\nT0.1 r x 1\n";
    let trace = text::parse(&format!("{head}{events}outcome exited 0\n")).expect("the text is good");
    let order: Vec<At> = trace.listing().map(|(thread, index, _)| (thread, index)).collect();
    let write = (ThreadIx(1), 1);
    // What is never committed is seen by nobody else.
    let wanted =
        BTreeMap::from([((ThreadIx(1), 2), write), ((ThreadIx(2), 2), write), ((ThreadIx(2), 3), write)]);
    assert_eq!(taken::taken(&trace, &order), wanted);
}

#[test]
fn a_deadlock_shows_who_holds_what() {
    let events = "T0.0 begin\nT0.1 begin\nT0.0 lock a\nT0.0 unlock a\nT0.0 lock a\nT0.1 lock b\nT0 join T0.0 pending\n\
                  T0.0 lock b pending\nT0.1 lock a pending\nT0.1 fail deadlock \"\"\n";
    let causes = sliced(events).into_iter().filter(|(_, rank)| *rank == Rank::Cause);
    let causes: Vec<String> = causes.map(|(line, _)| line).collect();
    let wanted =
        ["T0.0 lock a", "T0.1 lock b", "T0 join T0.0 pending", "T0.0 lock b pending", "T0.1 lock a pending"];
    assert_eq!(causes[..5], wanted);
}
