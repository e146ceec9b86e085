//! Prints the automaton of a text as rules of GBNF: one for each state, and one for the common part
//! of several states.
//!
//! States have short names, such as `A1f`, because most of a grammar is their names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::automaton::AutomatonState;
use crate::gbnf_spelling::class;
use crate::shared_choices::SharedChoices;

/// The letters that the names of states of other texts begin with.
#[derive(Default)]
pub(crate) struct StateNames(Vec<char>);

impl StateNames {
    /// Returns a letter for the states of a text: the first of its name that is free. Names of other rules
    /// have no capital letters.
    fn letter(&mut self, name: &str) -> char {
        let letters = name.chars().map(|letter| letter.to_ascii_uppercase()).chain('A'..='Z');
        let mut letters = letters.filter(char::is_ascii_uppercase);
        let free = letters.find(|letter| !self.0.contains(letter)).unwrap_or('Z');
        self.0.push(free);
        free
    }
}

/// Writes the rules of an automaton, of which the first has the name. `exit` is the continuation of
/// the text.
pub(crate) fn state_rules(
    names: &mut StateNames,
    name: &str,
    states: &[AutomatonState],
    exit: &str,
    out: &mut String,
) {
    let letter = names.letter(name);
    let state = |number: usize| match number {
        0 => name.to_owned(),
        _ => format!("{letter}{}", short(number)),
    };
    let mut numbers = BTreeMap::new();
    let mut number = |alternative: String| {
        let next = numbers.len();
        *numbers.entry(alternative).or_insert(next)
    };
    let choices = states.iter().map(|from| {
        let next = from.transitions.iter();
        let next = next.map(|(set, to)| format!("{} {}", class(set), state(*to)));
        let end = from.accepts.then(|| format!("{letter}-end"));
        let mut choice: Vec<_> = next.chain(end).map(&mut number).collect();
        choice.sort_unstable();
        choice
    });
    let choices: Vec<_> = choices.collect();
    let mut alternatives = vec![""; numbers.len()];
    for (alternative, number) in &numbers {
        alternatives[*number] = alternative;
    }
    let sizes = alternatives.iter().map(|text| text.len()).collect();
    let shared = SharedChoices::new(choices, sizes, NAME);
    for (number, choice) in shared.choices.iter().enumerate() {
        let written = choice.iter().map(|at| match shared.parts.get(at) {
            Some(part) => state(*part),
            None => alternatives[*at].to_owned(),
        });
        let _ = writeln!(out, "{} ::= {}", state(number), written.collect::<Vec<_>>().join(" | "));
    }
    let _ = writeln!(out, "{letter}-end ::= {exit}");
}

/// Returns a number in 36 digits.
fn short(mut number: usize) -> String {
    let mut digits = Vec::new();
    while number > 0 {
        digits.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
    }
    digits.into_iter().rev().collect()
}

/// The number of bytes of most names.
const NAME: usize = 3;
