//! A condition on inputs, and what is known of it.

use std::time::Duration;

use warpath_trace::expr::{Evaluator, ExprPool, Leaf};
use warpath_trace::ids::ExprId;

use super::region::{Region, name};
use super::words;
use crate::model::InputVar;

/// How a condition is said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Every input meets it.
    Any,
    /// The inputs in one of these boxes.
    Regions(Vec<Region>),
    /// The inputs in none of these boxes.
    Except(Vec<Region>),
    /// Those for which all of one of these hold.
    Expressions(Vec<Vec<ExprId>>),
    /// Some of the inputs in this box, and no others.
    Within(Region),
}

/// With which inputs a failure can happen.
#[derive(Clone, Debug)]
pub struct InputCondition {
    /// The inputs that it speaks of.
    pub inputs: Vec<InputVar>,
    /// The condition.
    pub shape: Shape,
    /// Was it proved that the failure needs it? Then with other inputs it cannot happen under any schedule.
    pub is_necessary: bool,
    /// Was it proved that it is enough, with some schedule for each of its inputs?
    pub is_sufficient: bool,
    /// Was it proved that with such inputs no schedule passes?
    pub always_fails: bool,
    /// Inputs that do not meet it, likely ones first: values by the position of the input.
    pub spared: Vec<Vec<u128>>,
    /// How many classes of inputs, each with its own schedule, it was made of.
    pub classes: usize,
    /// Why the search was not brought to its end.
    pub unfinished: Option<String>,
    /// Questions asked.
    pub questions: u64,
    /// Time for answers.
    pub solving: Duration,
    pub(super) pool: ExprPool,
}

impl InputCondition {
    /// Do these inputs meet what is shown?
    pub fn holds(&self, values: &[u128]) -> bool {
        let within = |region: &Region| region.contains(&self.inputs, values);
        match &self.shape {
            Shape::Any => true,
            Shape::Regions(regions) => regions.iter().any(within),
            Shape::Except(regions) => !regions.iter().any(within),
            Shape::Within(region) => within(region),
            Shape::Expressions(classes) => {
                let leaf = |leaf: Leaf| match leaf {
                    Leaf::Input(input) => values.get(input.index()).copied(),
                    Leaf::Read(..) => None,
                };
                let mut evaluator = Evaluator::new(&self.pool, leaf);
                let mut holds = |&expr: &ExprId| evaluator.holds(expr).unwrap_or(false);
                classes.iter().any(|all| all.iter().all(&mut holds))
            }
        }
    }

    /// In words, as `i = 3 and j >= 2`; empty if every input meets it.
    pub fn words(&self) -> String {
        match &self.shape {
            Shape::Any => String::new(),
            Shape::Regions(regions) => words::alternatives(&words::boxes(regions, &self.inputs)),
            Shape::Except(regions) => words::outside(regions, &self.inputs),
            Shape::Within(region) => words::alternatives(&[region.words(&self.inputs)]),
            Shape::Expressions(classes) => {
                let text = |&expr: &ExprId| {
                    words::expression(&self.pool, &self.inputs, expr).unwrap_or_else(|| "…".to_owned())
                };
                let classes = classes.iter().map(|all| all.iter().map(text).collect());
                words::alternatives(&classes.collect::<Vec<Vec<String>>>())
            }
        }
    }

    /// The positions of the inputs that it mentions.
    pub fn mentions(&self) -> Vec<usize> {
        let in_region = |region: &Region, input: usize| region.intervals[input].is_some();
        let mentions = |&input: &usize| match &self.shape {
            Shape::Any => false,
            Shape::Regions(regions) | Shape::Except(regions) => {
                regions.iter().any(|region| in_region(region, input))
            }
            Shape::Within(region) => in_region(region, input),
            Shape::Expressions(classes) => {
                let exprs = classes.iter().flatten().copied();
                super::readable::mentioned(&self.pool, exprs).contains(&input)
            }
        };
        (0..self.inputs.len()).filter(mentions).collect()
    }

    /// The name of an input, with a number if there are others of that name.
    pub fn name(&self, input: usize) -> String {
        name(&self.inputs[input])
    }
}
