//! Turns a regular expression into the smallest deterministic automaton that matches the same
//! texts.
//!
//! The states are the derivatives of the expression; equal ones are then merged.

use std::collections::{BTreeMap, HashMap};

use crate::char_set::CharSet;
use crate::regex::{RegexId, Regexes};

/// A state of the automaton.
pub(crate) struct AutomatonState {
    /// Whether a text may end in this state.
    pub(crate) accepts: bool,
    /// The next state after a character of each set; the sets are disjoint.
    pub(crate) transitions: Vec<(CharSet, usize)>,
}

/// Returns the states of the automaton; state 0 is the initial one.
pub(crate) fn automaton(regexes: &Regexes, re: RegexId) -> Vec<AutomatonState> {
    let classes = classes(regexes, re);
    let table = table(regexes, re, &classes);
    let blocks = blocks(regexes, &table);
    states(regexes, &table, &blocks, &classes)
}

/// Partitions all characters into sets that the expression does not distinguish.
fn classes(regexes: &Regexes, re: RegexId) -> Vec<CharSet> {
    let mut sets = Vec::new();
    regexes.sets(re, &mut sets);
    let mut starts: Vec<u32> = vec![0];
    for (low, high) in sets.iter().flat_map(CharSet::ranges) {
        starts.extend([*low, high + 1]);
    }
    starts.sort_unstable();
    starts.dedup();
    let mut classes: BTreeMap<Vec<bool>, CharSet> = BTreeMap::new();
    for (index, &low) in starts.iter().enumerate() {
        let high = starts.get(index + 1).map_or(char::MAX as u32, |next| next - 1);
        let (Some(first), Some(last)) = (char::from_u32(low), char::from_u32(high)) else {
            continue;
        };
        let membership = sets.iter().map(|set| set.contains(low)).collect();
        let class = classes.entry(membership).or_default();
        *class = class.union(&[(first, last)].into_iter().collect());
    }
    classes.into_values().collect()
}

/// The derivatives of an expression, and for each the target of every class of characters.
struct TransitionTable {
    derivatives: Vec<RegexId>,
    targets: Vec<Vec<usize>>,
}

fn table(regexes: &Regexes, re: RegexId, classes: &[CharSet]) -> TransitionTable {
    let mut table = TransitionTable { derivatives: vec![re], targets: Vec::new() };
    let mut numbers = HashMap::from([(re, 0)]);
    while let Some(&from) = table.derivatives.get(table.targets.len()) {
        let targets = classes.iter().map(|class| {
            let to = regexes.derivative(from, class.ranges()[0].0);
            *numbers.entry(to).or_insert_with(|| {
                table.derivatives.push(to);
                table.derivatives.len() - 1
            })
        });
        let targets = targets.collect();
        table.targets.push(targets);
    }
    table
}

/// Numbers the states so that equivalent ones share a number: Moore's partition refinement.
fn blocks(regexes: &Regexes, table: &TransitionTable) -> Vec<usize> {
    let mut blocks: Vec<usize> =
        table.derivatives.iter().map(|&re| usize::from(regexes.is_nullable(re))).collect();
    let mut count = 0;
    loop {
        let mut numbers = HashMap::new();
        let finer = table.targets.iter().zip(&blocks).map(|(targets, &block)| {
            let targets: Vec<usize> = targets.iter().map(|&to| blocks[to]).collect();
            let next = numbers.len();
            *numbers.entry((block, targets)).or_insert(next)
        });
        blocks = finer.collect();
        if numbers.len() == count {
            return blocks;
        }
        count = numbers.len();
    }
}

/// Returns one state per block, without the dead one, from which no text is accepted.
fn states(
    regexes: &Regexes,
    table: &TransitionTable,
    blocks: &[usize],
    classes: &[CharSet],
) -> Vec<AutomatonState> {
    let count = blocks.iter().max().map_or(0, |last| last + 1);
    let mut first = vec![None; count];
    for (index, &block) in blocks.iter().enumerate() {
        first[block].get_or_insert(index);
    }
    let accepts =
        |block: usize| first[block].is_some_and(|at| regexes.is_nullable(table.derivatives[at]));
    let targets = |block: usize| {
        let at = first[block].unwrap_or_default();
        table.targets[at].iter().map(|&to| blocks[to])
    };
    let dead = (0..count).find(|&block| !accepts(block) && targets(block).all(|to| to == block));
    let order: Vec<usize> = (0..count).filter(|&block| Some(block) != dead).collect();
    let number: HashMap<usize, usize> =
        order.iter().enumerate().map(|(number, &block)| (block, number)).collect();
    let state = |&block: &usize| {
        let mut transitions: BTreeMap<usize, CharSet> = BTreeMap::new();
        for (to, class) in targets(block).zip(classes) {
            if let Some(&to) = number.get(&to) {
                let set = transitions.entry(to).or_default();
                *set = set.union(class);
            }
        }
        let transitions = transitions.into_iter().map(|(to, set)| (set, to)).collect();
        AutomatonState { accepts: accepts(block), transitions }
    };
    order.iter().map(state).collect()
}
