//! Compares the picture in the module's documentation with the tables.

use std::fmt::Write as _;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::{BODY, STATES, State, StateSet, TRANSITIONS};
use crate::dialect::Dialect;
use crate::index::line_start_states;
use crate::table::DelimiterRule;

/// Returns the transitions within a body, as the documentation shows them.
fn body_picture() -> String {
    let mut picture = String::from("trigger       from                  to\n");
    for (trigger, from, to) in TRANSITIONS {
        let from = match from {
            _ if from == BODY => "body".into(),
            _ => from.iter().map(|state| format!("{state:?}")).collect::<Vec<_>>().join(" "),
        };
        let _ = writeln!(picture, "{:<14}{from:<22}{to:?}", format!("{trigger:?}"));
    }
    picture
}

/// Returns the transitions of a dialect, as the documentation shows them.
fn dialect_picture(dialect: Dialect) -> String {
    let table = dialect.table();
    let mut picture = format!("{dialect:<14}in                    to\n");
    for rule in table.rules {
        let to = rule.opens.map_or_else(|| "outer".into(), |state| format!("{state:?}"));
        let states = states(rule, table.at_line_start);
        let _ = writeln!(picture, "{:<13} {states:<22}{to}", rule.literal);
    }
    let _ = writeln!(picture, "{:<14}{:<22}{:?}", "end of item", "Brackets", table.after_item);
    if table.after_item == State::AfterBody {
        let to = table.after_separators;
        let _ = writeln!(picture, "{:<14}{:<22}{to:?}", "other text", "AfterBody");
    }
    picture
}

/// Returns the states in which a rule counts. A `^` marks those that need a line's start.
fn states(rule: &DelimiterRule, at_line_start: bool) -> String {
    let bound = line_start_states(rule, at_line_start, false);
    let mark = |state| if bound.contains(state) { "^" } else { "" };
    let sections = STATES.into_iter().filter(|state| !state.is_body());
    let mut states: Vec<_> = sections
        .filter(|state| rule.counts_in.contains(*state))
        .map(|state| format!("{state:?}{}", mark(state)))
        .collect();
    if rule.counts_in.contains(State::Brackets) {
        assert!(rule.counts_in.union(StateSet::BODY) == rule.counts_in, "a part of a body");
        states.push(format!("body{}", mark(State::Brackets)));
    }
    states.join(" ")
}

#[test]
fn the_picture_shows_the_tables() {
    let dialects = Dialect::ALL.map(dialect_picture);
    let expected = [body_picture(), dialects.join("\n")];
    let page = include_str!("../machine.rs");
    let blocks = page.split("//! ```text\n").skip(1);
    let shown = blocks.map(|block| {
        let lines = block.lines().take_while(|line| *line != "//! ```");
        lines.map(|line| format!("{}\n", line.trim_start_matches("//!").trim_start())).collect()
    });
    assert_eq!(shown.collect::<Vec<String>>(), expected);
}

#[test]
fn unlisted_triggers_keep_the_state() {
    for state in STATES {
        for trigger in TRANSITIONS.map(|(trigger, ..)| trigger) {
            let row = TRANSITIONS.iter().find(|row| row.0 == trigger && row.1.contains(&state));
            assert_eq!(state.after(trigger), row.map_or(state, |row| row.2));
        }
    }
}
