use std::collections::{BTreeMap, HashMap};

use super::regex::{Re, Regexes};
use super::set::Set;

/// A state of a deterministic automaton.
pub(super) struct State {
    /// The text may end here.
    pub(super) accepts: bool,
    /// The state behind a character of each set; the sets are disjoint.
    pub(super) moves: Vec<(Set, usize)>,
}

/// The smallest automaton that matches what the regular expression does; it begins in state 0.
pub(super) fn automaton(regexes: &Regexes, re: Re) -> Vec<State> {
    let classes = classes(regexes, re);
    let table = table(regexes, re, &classes);
    let blocks = blocks(regexes, &table);
    states(regexes, &table, &blocks, &classes)
}

/// Characters that the expression never tells apart, as sets.
fn classes(regexes: &Regexes, re: Re) -> Vec<Set> {
    let mut sets = Vec::new();
    regexes.sets(re, &mut sets);
    let mut starts: Vec<u32> = vec![0];
    for (low, high) in sets.iter().flat_map(Set::ranges) {
        starts.extend([*low, high + 1]);
    }
    starts.sort_unstable();
    starts.dedup();
    let mut classes: BTreeMap<Vec<bool>, Set> = BTreeMap::new();
    for (index, &low) in starts.iter().enumerate() {
        let high = starts.get(index + 1).map_or(char::MAX as u32, |next| next - 1);
        let (Some(first), Some(last)) = (char::from_u32(low), char::from_u32(high)) else {
            continue;
        };
        let held = sets.iter().map(|set| set.holds(low)).collect();
        let class = classes.entry(held).or_default();
        *class = class.union(&[(first, last)].into_iter().collect());
    }
    classes.into_values().collect()
}

/// Every expression that can be reached, and where each class of characters leads from it.
struct Table {
    reached: Vec<Re>,
    targets: Vec<Vec<usize>>,
}

fn table(regexes: &Regexes, re: Re, classes: &[Set]) -> Table {
    let mut table = Table { reached: vec![re], targets: Vec::new() };
    let mut numbers = HashMap::from([(re, 0)]);
    while let Some(&from) = table.reached.get(table.targets.len()) {
        let targets = classes.iter().map(|class| {
            let to = regexes.behind(from, class.ranges()[0].0);
            *numbers.entry(to).or_insert_with(|| {
                table.reached.push(to);
                table.reached.len() - 1
            })
        });
        let targets = targets.collect();
        table.targets.push(targets);
    }
    table
}

/// The states that no text tells apart have one number (Moore).
fn blocks(regexes: &Regexes, table: &Table) -> Vec<usize> {
    let mut blocks: Vec<usize> =
        table.reached.iter().map(|&re| usize::from(regexes.is_nullable(re))).collect();
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

/// One state a block, without the one that leads nowhere.
fn states(regexes: &Regexes, table: &Table, blocks: &[usize], classes: &[Set]) -> Vec<State> {
    let count = blocks.iter().max().map_or(0, |last| last + 1);
    let mut first = vec![None; count];
    for (index, &block) in blocks.iter().enumerate() {
        first[block].get_or_insert(index);
    }
    let accepts =
        |block: usize| first[block].is_some_and(|at| regexes.is_nullable(table.reached[at]));
    let targets = |block: usize| {
        let at = first[block].unwrap_or_default();
        table.targets[at].iter().map(|&to| blocks[to])
    };
    let dead = (0..count).find(|&block| !accepts(block) && targets(block).all(|to| to == block));
    // The dead one goes last, so that the others keep an order without gaps.
    let order: Vec<usize> = (0..count).filter(|&block| Some(block) != dead).collect();
    let place: HashMap<usize, usize> =
        order.iter().enumerate().map(|(at, &block)| (block, at)).collect();
    let state = |&block: &usize| {
        let mut moves: BTreeMap<usize, Set> = BTreeMap::new();
        for (to, class) in targets(block).zip(classes) {
            if let Some(&to) = place.get(&to) {
                let set = moves.entry(to).or_default();
                *set = set.union(class);
            }
        }
        let moves = moves.into_iter().map(|(to, set)| (set, to)).collect();
        State { accepts: accepts(block), moves }
    };
    order.iter().map(state).collect()
}
