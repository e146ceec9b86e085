//! The project's own cases: every clause has one, and everything that is read is compared,
//! including diagnostics.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use silcrow_cases::{Case, CaseSection, CaseText};
use silcrow_event::{CallResult, Event, Fragment, TextKind};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_parser::{Options, Parser, write, write_results};
use silcrow_testkit::{by_bytes, by_chars, random_bytes};

use crate::cases::{options, read as read_cases};
use crate::parse::parse;

#[test]
fn every_case_holds_in_every_chunking() {
    for case in cases() {
        if case.sections("result").next().is_some() {
            continue;
        }
        let (options, wire, expected) = (options(&case), case.wire.as_bytes(), case.events());
        let by = |how: &str, pieces: Vec<&[u8]>| {
            let mut got = read(pieces, options);
            for (got, expected) in got.iter_mut().zip(&expected) {
                free(got, expected);
            }
            assert_eq!(got, expected, "{} {how}", case.id);
        };
        by("whole", vec![wire]);
        by("by 4 bytes", by_bytes(wire, 4));
        by("by bytes", by_bytes(wire, 1));
        for at in 0..wire.len() {
            by(&format!("cut at {at}"), vec![&wire[..at], &wire[at..]]);
        }
        if let Some(text) = case.wire.as_str() {
            by("by characters", by_chars(text).into_iter().map(str::as_bytes).collect());
        }
        for seed in 0..20 {
            by(&format!("by random cuts {seed}"), random_bytes(wire, seed));
        }
    }
}

/// Text is emitted with its chunk (L-3).
#[test]
fn text_is_emitted_once_certain() {
    let mut checked = 0;
    for case in cases() {
        let Some(expected) = case.sections("emitted").next() else { continue };
        assert_eq!(emitted(&case), expected.text, "{}", case.id);
        checked += 1;
    }
    assert_eq!(checked, 13);
}

/// Canonical text is written as it was (L-4).
#[test]
fn canonical_text_is_rewritten_unchanged() {
    let cases = cases();
    let canonical = || cases.iter().filter(|case| clauses(case).any(|clause| clause == "L-4"));
    assert_eq!(canonical().count(), 4);
    for case in canonical() {
        let (options, wire) = (options(case), case.wire.as_str().unwrap());
        assert_eq!(write(&parse([wire], options).events(), options), wire, "{}", case.id);
    }
}

/// Results are written in the notation of the dialect (P-18).
#[test]
fn results_are_written_as_the_cases_say() {
    let mut checked = 0;
    for case in cases() {
        let outcome = |result: &CaseSection| {
            let (tool, content) =
                (result.subject.as_deref().unwrap(), result.text.as_str().unwrap());
            match result.attribute("status").and_then(Value::as_str).unwrap() {
                "success" => CallResult::success("", tool, "", content),
                _ => CallResult::failure("", Some(tool), "", content),
            }
        };
        let results: Vec<_> = case.sections("result").map(outcome).collect();
        if !results.is_empty() {
            let written = write_results(&results, options(&case));
            assert_eq!(Some(&*written), case.wire.as_str(), "{}", case.id);
            checked += 1;
        }
    }
    assert_eq!(checked, 1);
}

/// The clauses are read from the protocol itself, so a new one without a case fails.
#[test]
fn every_clause_about_the_wire_has_a_case() {
    let protocol = include_str!("../../../../docs/protocol.md");
    let from = protocol.find("\n## 2. ").unwrap();
    let to = protocol.find("\n## 7. ").unwrap();
    let stated: BTreeSet<_> = protocol[from..to].lines().filter_map(clause).collect();
    assert!(stated.contains("L-1") && stated.contains("P-34"), "{stated:?}");
    let cases = cases();
    let shown: BTreeSet<_> = cases.iter().flat_map(clauses).collect();
    assert_eq!(shown, stated);
}

/// Returns the number of the clause that a line states, such as P-1 of `- **P-1 exact markers.**`.
fn clause(line: &str) -> Option<&str> {
    line.strip_prefix("- **")?.split([' ', '.']).next()
}

/// The kinds of reports that testing.md lists.
#[test]
fn every_kind_of_report_has_a_case() {
    let cases = cases();
    let shown: BTreeSet<_> = cases.iter().filter_map(|case| case.value("report")).collect();
    let testing = include_str!("../../../../docs/testing.md");
    let kind =
        |line: &'static str| line.strip_prefix("| ")?.split_once(" | ").map(|(kind, _)| kind);
    let listed = testing
        .lines()
        .filter_map(kind)
        .filter(|kind| kind.len() == 1 && kind.chars().all(|letter| letter.is_ascii_uppercase()));
    assert_eq!(shown, listed.collect());
    assert_eq!(shown.len(), 12);
}

fn cases() -> Vec<Case> {
    let files = [
        include_str!("../cases/own/laws.cases"),
        include_str!("../cases/own/sigil.cases"),
        include_str!("../cases/own/phase.cases"),
        include_str!("../cases/own/action.cases"),
        include_str!("../cases/own/action_edges.cases"),
        include_str!("../cases/own/blocks.cases"),
        include_str!("../cases/own/reports.cases"),
        include_str!("../cases/own/text.cases"),
    ];
    files.into_iter().flat_map(read_cases).collect()
}

/// Returns the text that each chunk of a case emits.
pub(crate) fn emitted(case: &Case) -> CaseText {
    let mut parser = Parser::new(options(case));
    let mut emitted = Vec::new();
    for chunk in case.wire.pieces() {
        let mut text = String::new();
        parser.push(str::from_utf8(chunk).unwrap(), &mut |fragment| {
            if let Fragment::Text(piece) = fragment {
                text.push_str(piece.text);
            }
        });
        emitted.push(text);
    }
    CaseText::from_pieces(&emitted)
}

fn clauses(case: &Case) -> impl Iterator<Item = &str> {
    case.words("clauses")
}

/// Reads the output of the command, without time and place: events, and diagnostics where they
/// occur.
pub(crate) fn read(pieces: Vec<&[u8]>, options: Options) -> Vec<Value> {
    let mut lines = Lines::default();
    let mut parser = Parser::new(options);
    let mut utf8 = Utf8Decoder::new();
    let mut at = 0;
    let mut push = |piece: DecodedText<'_>| {
        if piece.invalid > 0 {
            lines.lines.push(json!({"type": "error", "code": "invalid_utf8", "at": at}));
        }
        at += piece.text.len();
        parser.push(piece.text, &mut |fragment| lines.take(fragment));
    };
    for piece in pieces {
        utf8.push(piece, &mut push);
    }
    utf8.finish(&mut push);
    parser.finish(&mut |fragment| lines.take(fragment));
    lines.lines
}

#[derive(Default)]
struct Lines {
    lines: Vec<Value>,
    /// The kind of the open text.
    kind: Option<TextKind>,
    text: String,
}

impl Lines {
    fn take(&mut self, fragment: Fragment<'_>) {
        let Self { lines, kind, text } = self;
        match fragment {
            Fragment::Text(piece) => {
                *kind = Some(piece.kind);
                text.push_str(piece.text);
            }
            Fragment::Close { .. } => {
                let kind = kind.take().expect("it gave text");
                let content = text.trim_end_matches([' ', '\t', '\r', '\n']);
                let mut line = json!({"type": kind.type_name(), "content": content});
                match kind {
                    TextKind::Respond { last: false } => line["final"] = json!(false),
                    TextKind::Malformed => line["malformed"] = json!(true),
                    _ => {}
                }
                lines.push(line);
                text.clear();
            }
            Fragment::Call(call) => lines.push(event(&Event::Call(call))),
            Fragment::InvalidCall(bad) => {
                lines.push(
                    json!({"type": "invalid_call", "id": bad.id, "truncated": bad.truncated}),
                );
            }
            Fragment::Block(mark) => lines.push(event(&Event::Block(mark))),
            Fragment::Execute => lines.push(event(&Event::Execute)),
            Fragment::End => lines.push(event(&Event::End)),
            Fragment::Diagnostic(note) => lines.push(json!({
                "type": "error", "code": note.kind.as_str(), "at": note.at, "content": note.content,
            })),
            other => panic!("unknown fragment {other:?}"),
        }
    }
}

fn event(event: &Event) -> Value {
    serde_json::from_str(&event.to_json()).unwrap()
}

/// Removes the words of a diagnostic, unless the case has them.
pub(crate) fn free(got: &mut Value, expected: &Value) {
    if got["type"] == "error" && expected["content"].is_null() {
        got.as_object_mut().unwrap().remove("content");
    }
}
