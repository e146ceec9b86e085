//! The project's own cases: every clause has one, and all of what is read is compared, notes
//! included.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use silcrow_event::{CallResult, Event, Fragment, TextKind};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_parser::{Options, Parser, write, write_results};
use silcrow_testkit::{by_bytes, by_chars, random_bytes};

use crate::parse::parse;

#[test]
fn every_case_reads_as_it_says_in_every_chunking() {
    for case in cases() {
        let Some(expected) = case["expected"].as_array() else { continue };
        let (options, wire) = (options(&case), wire(&case));
        let by = |how: &str, pieces: Vec<&[u8]>| {
            let mut got = read(pieces, options);
            for (got, expected) in got.iter_mut().zip(expected) {
                free(got, expected);
            }
            assert_eq!(&got, expected, "{} {how}", case["id"]);
        };
        by("whole", vec![&wire]);
        by("by 4 bytes", by_bytes(&wire, 4));
        by("by bytes", by_bytes(&wire, 1));
        if let Ok(text) = str::from_utf8(&wire) {
            by("by characters", by_chars(text).into_iter().map(str::as_bytes).collect());
        }
        for seed in 0..20 {
            by(&format!("by random cuts {seed}"), random_bytes(&wire, seed));
        }
    }
}

/// L-3: what each chunk gives.
#[test]
fn text_is_given_out_with_the_chunk_that_makes_it_certain() {
    for case in cases() {
        let Some(chunks) = case["chunks"].as_array() else { continue };
        let mut parser = Parser::new(options(&case));
        let mut given = Vec::new();
        for chunk in chunks {
            let mut text = String::new();
            parser.push(chunk.as_str().unwrap(), &mut |fragment| {
                if let Fragment::Text(piece) = fragment {
                    text.push_str(piece.text);
                }
            });
            given.push(text);
        }
        assert_eq!(json!(given), case["given"], "{}", case["id"]);
    }
}

/// L-4.
#[test]
fn what_is_canonical_is_written_as_it_was() {
    for case in cases().into_iter().filter(|case| clauses(case).any(|clause| clause == "L-4")) {
        let (options, wire) = (options(&case), case["wire"].as_str().unwrap());
        assert_eq!(write(&parse([wire], options).events(), options), wire, "{}", case["id"]);
    }
}

/// P-18.
#[test]
fn results_are_written_as_the_cases_say() {
    for case in cases() {
        let Some(results) = case["results"].as_array() else { continue };
        let outcome = |result: &Value| {
            let word = |key: &str| result[key].as_str().unwrap();
            match word("status") {
                "success" => CallResult::success("", word("tool"), "", word("content")),
                _ => CallResult::failure("", Some(word("tool")), "", word("content")),
            }
        };
        let results: Vec<_> = results.iter().map(outcome).collect();
        assert_eq!(write_results(&results, options(&case)), case["wire"], "{}", case["id"]);
    }
}

/// The clauses are read out of the protocol itself: a new one without a case fails.
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

/// `- **P-1 exact markers.**` is P-1.
fn clause(line: &str) -> Option<&str> {
    line.strip_prefix("- **")?.split([' ', '.']).next()
}

/// The kinds of reports that testing.md lists.
#[test]
fn every_kind_of_report_has_a_case() {
    let cases = cases();
    let shown: BTreeSet<_> = cases.iter().filter_map(|case| case["report"].as_str()).collect();
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

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../cases/own.json")).unwrap()
}

fn clauses(case: &Value) -> impl Iterator<Item = &str> {
    case["clauses"].as_array().unwrap().iter().map(|clause| clause.as_str().unwrap())
}

fn options(case: &Value) -> Options {
    let dialect = case["dialect"].as_str().unwrap().parse().unwrap();
    Options::new(dialect).with_inline(case["flags"] == json!(["--inline"]))
}

/// What is no text is given as bytes.
fn wire(case: &Value) -> Vec<u8> {
    let bytes =
        |bytes: &Vec<Value>| bytes.iter().map(|byte| byte.as_u64().unwrap() as u8).collect();
    let chunk = |chunk: &Value| chunk.as_str().unwrap().bytes().collect::<Vec<_>>();
    let chunks = |chunks: &Vec<Value>| chunks.iter().flat_map(chunk).collect();
    (case["wire"].as_str().map(|wire| wire.bytes().collect()))
        .or_else(|| case["bytes"].as_array().map(bytes))
        .or_else(|| case["chunks"].as_array().map(chunks))
        .unwrap()
}

/// What the command prints, but for time and place: events, and notes at their places.
fn read(pieces: Vec<&[u8]>, options: Options) -> Vec<Value> {
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
    /// Of the text that is open.
    voice: Option<TextKind>,
    text: String,
}

impl Lines {
    fn take(&mut self, fragment: Fragment<'_>) {
        let Self { lines, voice, text } = self;
        match fragment {
            Fragment::Text(piece) => {
                *voice = Some(piece.voice);
                text.push_str(piece.text);
            }
            Fragment::Close { .. } => {
                let voice = voice.take().expect("it gave text");
                let content = text.trim_end_matches([' ', '\t', '\r', '\n']);
                let mut line = json!({"type": voice.type_name(), "content": content});
                if voice == (TextKind::Respond { last: false }) {
                    line["final"] = json!(false);
                }
                lines.push(line);
                text.clear();
            }
            Fragment::Call(call) => lines.push(event(&Event::Call(call))),
            Fragment::InvalidCall(bad) => {
                lines.push(json!({"type": "bad_call", "id": bad.id, "truncated": bad.truncated}));
            }
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

/// The words of a note are compared where the case has them.
fn free(got: &mut Value, expected: &Value) {
    if got["type"] == "error" && expected["content"].is_null() {
        got.as_object_mut().unwrap().remove("content");
    }
}
