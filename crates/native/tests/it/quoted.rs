//! A call that is only shown is never a call: in a fence, in inline code, in a quoted line, or
//! after a quotation mark, in an answer and in a thought.

use silcrow_native::FamilyKind;

use crate::cases::{NativeCase, cases};
use crate::reading::Joined;

/// Shows a text.
type ShownText = fn(&str) -> String;

/// Ways to show a text, each with whether it takes several lines.
const WAYS: &[(&str, ShownText)] = &[
    ("fence", |text| format!("Like this:\n\n```\n{text}\n```\n\nDone.")),
    ("fence with a language", |text| format!("```text\n{text}\n```")),
    ("long fence", |text| format!("`````\n```\n{text}\n```\n`````\n")),
    ("tildes", |text| format!("See:\n~~~\n{text}\n~~~\n")),
    ("open fence", |text| format!("See:\n```\n{text}")),
    ("inline code", |text| format!("Write `{}` to call it.", text.replace('\n', " "))),
    ("double ticks", |text| format!("Write `` {} `` to call it.", text.replace('\n', " "))),
    ("quoted line", |text| format!("He wrote:\n> {}\n", text.replace('\n', "\n> "))),
    ("quotation", |text| format!("He wrote \"{}\".", text.replace('\n', " "))),
    ("single quotation", |text| format!("He wrote '{}'.", text.replace('\n', " "))),
];

#[test]
fn quoted_calls_are_not_calls() {
    let mut tried = 0;
    for case in cases().iter().filter(|case| has_calls_only(case)) {
        let family = case.setup.families[0];
        for (way, show) in WAYS {
            // A fence is a form of these calls.
            if ["xlam", "command_r_plus"].contains(&family.name()) && !way.contains("line") {
                continue;
            }
            let text = show(case.text.trim());
            let read = case.setup.check(&text, 5);
            let ran = read.iter().any(|one| matches!(one, Joined::Call(..)));
            assert!(!ran, "{}, {way}: {text:?} gives {read:?}", case.id);
            tried += 1;
        }
    }
    assert!(tried > 1500, "{tried}");
}

/// The quotation ends with its line, its span or its fence: a call after it runs.
#[test]
fn calls_after_a_quotation_are_calls() {
    for case in cases().iter().filter(|case| has_calls_only(case)) {
        if !case.text.starts_with(['<', ' ']) {
            continue;
        }
        let before =
            ["A `tick` and \"one\".\n", "```\ncode\n```\n", "> quoted\n\n", "It's a ` tick.\n"];
        for before in before {
            let text = format!("{before}{}", case.text);
            let read = case.setup.check(&text, 5);
            let ran = read.iter().any(|one| matches!(one, Joined::Call(..)));
            assert!(ran, "{}: {text:?} gives {read:?}", case.id);
        }
    }
}

/// Returns whether a case has a call and begins with it. The marks of messages are tokens, so they
/// count wherever they are.
fn has_calls_only(case: &NativeCase) -> bool {
    let expected = &case.value["expect"];
    let has_calls = expected["calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let is_plain = expected["thought"] == "" && expected["answer"] == "" && !case.setup.in_thought;
    let family = case.setup.families[0];
    // Its prompt has begun the message.
    let is_message = family.kind() == FamilyKind::Messages || family.name() == "functionary32";
    let has_marks = case.text.to_lowercase().contains("think");
    has_calls && is_plain && !is_message && !has_marks && !case.text.contains('`')
}
