//! A box in the space of inputs: an interval for some of them.

use warpath_trace::expr::to_signed;

use crate::model::InputVar;

/// An interval for each input, both ends belonging to it, of numbers in two's complement; `None`: any value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Region {
    /// By the position of the input in the forest.
    pub intervals: Vec<Option<(i128, i128)>>,
}

impl Region {
    /// Are these inputs in it?
    pub fn contains(&self, inputs: &[InputVar], values: &[u128]) -> bool {
        let all = self.intervals.iter().zip(inputs).zip(values);
        all.into_iter().all(|((interval, input), &value)| match interval {
            Some((low, high)) => (*low..=*high).contains(&to_signed(value, input.width)),
            None => true,
        })
    }

    /// How many comparisons it takes to say it.
    pub(super) fn comparisons(&self, inputs: &[InputVar]) -> usize {
        let count = |(interval, input): (&Option<(i128, i128)>, &InputVar)| match *interval {
            None => 0,
            Some((low, high)) if low == high => 1,
            Some((low, high)) => {
                let (least, most) = limits(input);
                usize::from(low > least) + usize::from(high < most)
            }
        };
        self.intervals.iter().zip(inputs).map(count).sum()
    }

    /// `i = 3 and 2 <= j`, each comparison by itself.
    pub(super) fn words(&self, inputs: &[InputVar]) -> Vec<String> {
        let words = |(interval, input): (&Option<(i128, i128)>, &InputVar)| {
            let (low, high) = (*interval)?;
            let (name, (least, most)) = (name(input), limits(input));
            match (low > least, high < most) {
                _ if low == high => Some(format!("{name} = {low}")),
                (true, true) => Some(format!("{low} <= {name} <= {high}")),
                (true, false) => Some(format!("{name} >= {low}")),
                (false, true) => Some(format!("{name} <= {high}")),
                (false, false) => None,
            }
        };
        self.intervals.iter().zip(inputs).filter_map(words).collect()
    }
}

/// The least and the greatest value of an input.
pub(super) fn limits(input: &InputVar) -> (i128, i128) {
    let most = i128::MAX >> (128 - u32::from(input.width.clamp(1, 128)));
    (-most - 1, most)
}

/// `stdin#3` for the fourth of a name.
pub(super) fn name(input: &InputVar) -> String {
    match input.nth {
        0 => input.name.clone(),
        nth => format!("{}#{nth}", input.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, width: u8) -> InputVar {
        InputVar { name: name.to_owned(), nth: 0, width }
    }

    #[test]
    fn limits_are_those_of_twos_complement() {
        assert_eq!(limits(&input("i", 8)), (-128, 127));
        assert_eq!(limits(&input("i", 1)), (-1, 0));
        assert_eq!(limits(&input("i", 128)), (i128::MIN, i128::MAX));
    }

    #[test]
    fn an_end_that_every_value_keeps_is_not_said() {
        let inputs = [input("i", 32), input("j", 8), input("k", 8), input("l", 8)];
        let intervals = vec![Some((3, 3)), Some((2, 127)), Some((-128, -1)), None];
        let region = Region { intervals };
        assert_eq!(region.words(&inputs), ["i = 3", "j >= 2", "k <= -1"]);
        assert_eq!(region.comparisons(&inputs), 3);
        assert!(region.contains(&inputs, &[3, 2, 0xff, 9]));
        assert!(!region.contains(&inputs, &[3, 0x82, 0xff, 9]), "130 is negative in 8 bits");
    }
}
