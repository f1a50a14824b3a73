//! The added steps, for ways of threads through the lines of a function.

use warpath_trace::repair::{How, Region, Rule, Spot};

use super::*;

const MUTEX: u64 = 0xffff_8000_0000_0000;
/// A call of the function that is repaired.
const CALL: u64 = 0x7000;

fn region(from: u32, to: u32) -> Region {
    Region { file: "m.c".into(), function: String::new(), from, to }
}

fn spot(line: u32) -> Spot {
    Spot { file: "m.c".into(), line, function: String::new() }
}

fn sections(regions: &[(u32, u32)]) -> Plan {
    let regions = regions.iter().map(|&(from, to)| region(from, to)).collect();
    Plan::new(&[Rule::CriticalSections { regions }])
}

fn wait(how: How, threads: &[&str]) -> Plan {
    let threads = threads.iter().map(|&key| key.to_owned()).collect();
    Plan::new(&[Rule::Wait { before: spot(10), until: spot(20), how, threads }])
}

/// A call that is at a line: its frame, and the line, which is its instruction, too.
type At = (u64, u32);

/// A thread under a repair.
struct Walker<'p> {
    plan: &'p Plan,
    key: ThreadKey,
    progress: Progress,
}

impl Walker<'_> {
    fn new<'p>(plan: &'p Plan, key: &str) -> Walker<'p> {
        Walker { plan, key: key.parse().expect("a key"), progress: Progress::default() }
    }

    /// It is about to do something in the innermost of these calls.
    fn does(&mut self, verb: Verb, calls: &[At]) -> Vec<Added> {
        let line = calls[0].1;
        self.arrive(Kind::Event { verb, at: Some(("m.c".into(), line, 1)) }, calls)
    }

    fn arrive(&mut self, kind: Kind, calls: &[At]) -> Vec<Added> {
        let mut inside = Vec::new();
        for (depth, &(frame, line)) in calls.iter().enumerate() {
            for (place, region) in self.plan.places.iter().enumerate() {
                if (region.from..=region.to).contains(&line) {
                    inside.push(Inside { place, frame, pc: line.into(), is_innermost: depth == 0 });
                }
            }
        }
        let site = calls.first().map_or(0, |call| call.1.into());
        let steps = self.progress.arrive(self.plan, &self.key, &Stand { kind, inside, site });
        steps.into_iter().map(|(added, _)| added).collect()
    }

    fn writes(&mut self, line: u32) -> Vec<Added> {
        self.does(Verb::Write, &[(CALL, line)])
    }

    fn reads(&mut self, line: u32) -> Vec<Added> {
        self.does(Verb::Read, &[(CALL, line)])
    }

    fn ends(&mut self) -> Vec<Added> {
        self.arrive(Kind::End, &[])
    }
}

#[test]
fn a_section_is_locked_from_its_first_step_until_one_beside_it() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(4), []);
    assert_eq!(thread.reads(5), [Added::Lock(MUTEX)]);
    assert_eq!(thread.writes(6), []);
    assert_eq!(thread.writes(7), []);
    assert_eq!(thread.writes(8), [Added::Unlock(MUTEX)]);
    assert_eq!(thread.ends(), []);
}

#[test]
fn the_end_of_a_thread_ends_its_section() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    thread.writes(6);
    assert_eq!(thread.ends(), [Added::Unlock(MUTEX)]);
}

#[test]
fn a_return_ends_a_section() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    thread.writes(6);
    assert_eq!(thread.does(Verb::Write, &[(CALL + 64, 90)]), [Added::Unlock(MUTEX)]);
}

#[test]
fn a_jump_from_one_section_to_another_lets_others_in() {
    let plan = sections(&[(5, 5), (9, 9)]);
    let mut thread = Walker::new(&plan, "T0");
    thread.writes(5);
    assert_eq!(thread.writes(9), [Added::Unlock(MUTEX), Added::Lock(MUTEX)]);
}

#[test]
fn what_is_called_from_a_section_is_a_part_of_it() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.does(Verb::Read, &[(CALL - 64, 50), (CALL, 5)]), [Added::Lock(MUTEX)]);
    assert_eq!(thread.does(Verb::Read, &[(CALL - 64, 50), (CALL, 5)]), [], "a loop in what is called");
    assert_eq!(thread.writes(6), []);
    assert_eq!(
        thread.does(Verb::Read, &[(CALL - 64, 50), (CALL, 8)]),
        [Added::Unlock(MUTEX)],
        "called from beside it"
    );
}

#[test]
fn a_section_that_calls_itself_does_not_wait_for_itself() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(5), [Added::Lock(MUTEX)]);
    assert_eq!(thread.does(Verb::Write, &[(CALL - 64, 5), (CALL, 6)]), []);
    assert_eq!(thread.does(Verb::Write, &[(CALL - 64, 9), (CALL, 6)]), [], "the outer call is inside still");
    assert_eq!(thread.writes(9), [Added::Unlock(MUTEX)]);
}

#[test]
fn sections_inside_each_other_are_one() {
    let plan = sections(&[(5, 7), (50, 51)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(5), [Added::Lock(MUTEX)]);
    assert_eq!(thread.does(Verb::Write, &[(CALL - 64, 50), (CALL, 6)]), []);
    assert_eq!(thread.writes(7), []);
    assert_eq!(thread.writes(8), [Added::Unlock(MUTEX)]);
}

#[test]
fn each_turn_of_a_loop_is_a_section() {
    let plan = sections(&[(5, 6)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.reads(5), [Added::Lock(MUTEX)]);
    assert_eq!(thread.writes(5), [], "another thing at the same place");
    assert_eq!(thread.writes(6), []);
    assert_eq!(thread.reads(5), [Added::Unlock(MUTEX), Added::Lock(MUTEX)]);
    // Of a loop that begins with a call, too.
    let called = [(CALL - 64, 50), (CALL, 5)];
    let mut thread = Walker::new(&plan, "T0");
    thread.does(Verb::Read, &called);
    assert_eq!(thread.writes(6), []);
    assert_eq!(thread.does(Verb::Read, &called), [Added::Unlock(MUTEX), Added::Lock(MUTEX)]);
}

#[test]
fn who_waits_outside_the_program_leaves_but_does_not_enter() {
    let plan = sections(&[(5, 7)]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.arrive(Kind::Aside, &[(CALL, 5)]), []);
    thread.writes(5);
    assert_eq!(thread.arrive(Kind::Aside, &[(CALL, 6)]), []);
    assert_eq!(thread.arrive(Kind::Aside, &[(CALL, 8)]), [Added::Unlock(MUTEX)]);
}

#[test]
fn a_fence_comes_before_each_execution_of_a_line() {
    let plan = Plan::new(&[Rule::Fences { before: vec![spot(5), spot(9)] }]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(4), []);
    assert_eq!(thread.reads(5), [Added::Fence]);
    assert_eq!(thread.writes(5), []);
    assert_eq!(thread.reads(5), [Added::Fence]);
    assert_eq!(thread.reads(9), [Added::Fence]);
    assert_eq!(thread.reads(10), []);
}

#[test]
fn a_wait_for_once_is_a_latch() {
    let plan = wait(How::Once, &[]);
    let mut late = Walker::new(&plan, "T0");
    let pass = [Added::Wait(MUTEX), Added::Post(MUTEX)];
    assert_eq!(late.writes(10), pass);
    assert_eq!(late.writes(10), [], "it is open for ever");
    let mut early = Walker::new(&plan, "T0.0");
    assert_eq!(early.writes(20), []);
    assert_eq!(early.writes(21), [Added::Post(MUTEX)]);
    early.writes(20);
    assert_eq!(early.ends(), [], "once is enough");
}

#[test]
fn a_wait_for_each_time_has_a_latch_for_each() {
    let plan = wait(How::Each, &[]);
    let mut early = Walker::new(&plan, "T0.0");
    early.writes(20);
    assert_eq!(early.writes(20), [Added::Post(latch(MUTEX, 0))]);
    assert_eq!(early.ends(), [Added::Post(latch(MUTEX, 1))]);
    let mut late = Walker::new(&plan, "T0");
    assert_eq!(late.writes(10), [Added::Wait(latch(MUTEX, 0)), Added::Post(latch(MUTEX, 0))]);
    assert_eq!(late.writes(10), [Added::Wait(latch(MUTEX, 1)), Added::Post(latch(MUTEX, 1))]);
}

#[test]
fn a_wait_for_all_is_not_for_oneself() {
    let plan = wait(How::All, &["T0.0", "T0.1", "T0.2"]);
    let mut thread = Walker::new(&plan, "T0.1");
    thread.writes(20);
    let (first, own, third) = (latch(MUTEX, 0), latch(MUTEX, 1), latch(MUTEX, 2));
    assert_eq!(
        thread.writes(10),
        [Added::Post(own), Added::Wait(first), Added::Post(first), Added::Wait(third), Added::Post(third)]
    );
    let mut stranger = Walker::new(&plan, "T0.7");
    stranger.writes(20);
    assert_eq!(stranger.ends(), [], "nobody waits for it");
}

#[test]
fn who_is_waited_for_need_not_be_noticed_there() {
    let plan = wait(How::Each, &[]);
    let passage = |address| Kind::Passage { address };
    let mut early = Walker::new(&plan, "T0.0");
    assert_eq!(early.arrive(passage(20), &[(CALL, 20)]), []);
    assert_eq!(early.arrive(passage(21), &[(CALL, 20)]), [], "another statement of the line");
    assert_eq!(early.arrive(passage(20), &[(CALL, 20)]), [Added::Post(latch(MUTEX, 0))], "the next turn");
    assert_eq!(early.writes(20), [], "it has come there already");
    assert_eq!(early.writes(21), [Added::Post(latch(MUTEX, 1))]);
    // A loop that the compiler has unrolled.
    let mut early = Walker::new(&plan, "T0.0");
    for (copy, told) in [(20, vec![]), (21, vec![Added::Post(latch(MUTEX, 0))])] {
        assert_eq!(early.arrive(passage(copy), &[(CALL, 20)]), []);
        assert_eq!(early.reads(20), told);
        assert_eq!(early.writes(20), []);
    }
    assert_eq!(early.ends(), [Added::Post(latch(MUTEX, 1))]);
    let mut late = Walker::new(&plan, "T0");
    let pass = [Added::Wait(latch(MUTEX, 0)), Added::Post(latch(MUTEX, 0))];
    assert_eq!(late.arrive(passage(10), &[(CALL, 10)]), pass);
    assert_eq!(late.writes(10), []);
}

#[test]
fn who_waits_has_told_others_where_it_has_been() {
    let plan = wait(How::All, &["T0.0", "T0.1"]);
    let (first, own) = (latch(MUTEX, 0), latch(MUTEX, 1));
    let mut thread = Walker::new(&plan, "T0.1");
    assert_eq!(thread.reads(20), []);
    assert_eq!(
        thread.arrive(Kind::Passage { address: 10 }, &[(CALL, 10)]),
        [Added::Post(own), Added::Wait(first), Added::Post(first)]
    );
    // Not yet, where it has been is where it is called from.
    let mut thread = Walker::new(&plan, "T0.1");
    assert_eq!(thread.reads(20), []);
    assert_eq!(
        thread.arrive(Kind::Passage { address: 10 }, &[(CALL - 64, 10)]),
        [Added::Wait(first), Added::Post(first)]
    );
}

#[test]
fn a_passage_says_nothing_of_what_a_lock_is_around() {
    let plan = Plan::new(&[
        Rule::CriticalSections { regions: vec![region(5, 7)] },
        Rule::Fences { before: vec![spot(9)] },
    ]);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(5), [Added::Lock(MUTEX)]);
    assert_eq!(thread.arrive(Kind::Passage { address: 9 }, &[(CALL, 9)]), [Added::Fence]);
    assert_eq!(thread.writes(7), [], "moved in front of it by the compiler");
    assert_eq!(thread.writes(9), [Added::Unlock(MUTEX), Added::Fence]);
}

#[test]
fn threads_one_by_one_hold_a_lock_from_beginning_to_end() {
    let plan = Plan::new(&[Rule::OneByOne { threads: vec!["T0.0".into()] }]);
    let mut thread = Walker::new(&plan, "T0.0");
    assert_eq!(thread.writes(1), [Added::Lock(MUTEX)]);
    assert_eq!(thread.writes(2), []);
    assert_eq!(thread.ends(), [Added::Unlock(MUTEX)]);
    assert_eq!(Walker::new(&plan, "T0.1").writes(1), []);
}

#[test]
fn nothing_is_locked_while_a_thread_waits() {
    let mut rules = wait(How::Once, &[]).rules;
    rules.insert(0, Rule::CriticalSections { regions: vec![region(10, 12), region(20, 20)] });
    let plan = Plan::new(&rules);
    let second = MUTEX + (1 << 32);
    let mut thread = Walker::new(&plan, "T0");
    assert_eq!(thread.writes(20), [Added::Lock(MUTEX)]);
    assert_eq!(
        thread.writes(10),
        [
            Added::Unlock(MUTEX),
            Added::Post(second),
            Added::Wait(second),
            Added::Post(second),
            Added::Lock(MUTEX)
        ]
    );
}

#[test]
fn who_starts_a_thread_where_it_is_to_be_joined_waits_for_it_before_anything_else() {
    let plan = Plan::new(&[Rule::JoinAtOnce { after: spot(5) }]);
    let mut thread = Walker::new(&plan, "T0");
    let fork = |thread: &mut Walker<'_>, line, handle| {
        assert_eq!(thread.does(Verb::Fork, &[(CALL, line)]), [], "nobody has been started yet");
        let here: &[PlaceIx] = if line == 5 { &[0] } else { &[] };
        thread.progress.has_started(&plan, here, (handle, 0));
    };
    fork(&mut thread, 4, 70);
    assert_eq!(thread.writes(6), [], "another line");
    fork(&mut thread, 5, 71);
    assert_eq!(thread.reads(5), [Added::Join(71)]);
    assert_eq!(thread.reads(5), [], "once is enough");
    thread.does(Verb::Fork, &[(CALL, 5)]);
    assert_eq!(thread.writes(6), [], "a thread that could not be started");
    fork(&mut thread, 5, 72);
    assert_eq!(thread.ends(), [Added::Join(72)], "also at the end");
}
