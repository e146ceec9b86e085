//! The names of functions and loops, and how many arguments each takes.

use std::ops::RangeInclusive;

/// A function of the language. A method is the same function with its object as first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Size,
    String,
    Int,
    Double,
    Type,
    Json,
    Contains,
    StartsWith,
    EndsWith,
    LowerAscii,
    UpperAscii,
    Trim,
    Split,
    Lines,
    Join,
    Replace,
    Slice,
    Sum,
    Min,
    Max,
    Sort,
    Distinct,
    Flatten,
    Reverse,
    Range,
    Keys,
    Values,
}

/// A loop that is written as a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    SortBy,
}

impl Function {
    /// Returns the function of a name, and how many arguments it takes.
    pub(crate) fn find(name: &str) -> Option<(Self, RangeInclusive<usize>)> {
        FUNCTIONS
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, function, least, most)| (*function, *least..=*most))
    }
}

impl LoopKind {
    /// Returns the loop of a method, and how many arguments it takes, the variable included.
    pub(crate) fn find(name: &str) -> Option<(Self, RangeInclusive<usize>)> {
        LOOPS
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, kind, least, most)| (*kind, *least..=*most))
    }
}

/// Returns the most similar name of a function, if any is similar.
pub(crate) fn closest(name: &str) -> Option<&'static str> {
    let functions = FUNCTIONS.iter().map(|(known, ..)| *known);
    let loops = LOOPS.iter().map(|(known, ..)| *known);
    let others = ["has", "ok", "failed", "skipped"];
    let all = functions.chain(loops).chain(others);
    let near = all.map(|known| (distance(&name.to_ascii_lowercase(), known), known)).min()?;
    (near.0 <= 2 && near.0 < name.len()).then_some(near.1)
}

/// Returns how many letters have to be inserted, removed or changed; a change of two neighbours that
/// changed places counts as two.
fn distance(name: &str, known: &str) -> usize {
    if name.len() > MAX_NAME {
        return name.len();
    }
    let known = known.to_ascii_lowercase();
    let mut row = Vec::from_iter(0..=known.len());
    for (from, one) in name.bytes().enumerate() {
        let mut before = row[0];
        row[0] = from + 1;
        for (to, other) in known.bytes().enumerate() {
            let changed = before + usize::from(one != other);
            before = row[to + 1];
            row[to + 1] = changed.min(before + 1).min(row[to] + 1);
        }
    }
    row.pop().unwrap_or_default()
}

/// The length of the longest name that is compared, in bytes.
const MAX_NAME: usize = 32;

/// Each function with its least and greatest number of arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 30] = [
    ("size", Function::Size, 1, 1),
    ("len", Function::Size, 1, 1),
    ("string", Function::String, 1, 1),
    ("int", Function::Int, 1, 1),
    ("double", Function::Double, 1, 1),
    ("type", Function::Type, 1, 1),
    ("json", Function::Json, 1, 1),
    ("contains", Function::Contains, 2, 2),
    ("startsWith", Function::StartsWith, 2, 2),
    ("endsWith", Function::EndsWith, 2, 2),
    ("lowerAscii", Function::LowerAscii, 1, 1),
    ("lower", Function::LowerAscii, 1, 1),
    ("upperAscii", Function::UpperAscii, 1, 1),
    ("upper", Function::UpperAscii, 1, 1),
    ("trim", Function::Trim, 1, 1),
    ("split", Function::Split, 2, 2),
    ("lines", Function::Lines, 1, 1),
    ("join", Function::Join, 1, 2),
    ("replace", Function::Replace, 3, 3),
    ("slice", Function::Slice, 2, 3),
    ("sum", Function::Sum, 1, 1),
    ("min", Function::Min, 1, 1),
    ("max", Function::Max, 1, 1),
    ("sort", Function::Sort, 1, 1),
    ("distinct", Function::Distinct, 1, 1),
    ("flatten", Function::Flatten, 1, 1),
    ("reverse", Function::Reverse, 1, 1),
    ("range", Function::Range, 1, 1),
    ("keys", Function::Keys, 1, 1),
    ("values", Function::Values, 1, 1),
];

/// Each loop with its least and greatest number of arguments.
const LOOPS: [(&str, LoopKind, usize, usize); 6] = [
    ("all", LoopKind::All, 2, 2),
    ("exists", LoopKind::Exists, 2, 2),
    ("exists_one", LoopKind::ExistsOne, 2, 2),
    ("filter", LoopKind::Filter, 2, 2),
    ("map", LoopKind::Map, 2, 3),
    ("sortBy", LoopKind::SortBy, 2, 2),
];
