//! Bodies of every API, in any pieces and cut anywhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_event as event;
use silcrow_provider::{CallDelta, Delta, Error, ErrorKind, FinishReason, ToolDeclaration};

use super::{AnswerReader, whole};
use crate::answer::{DeltaQueue, EventReader};
use crate::error::Peer;
use crate::{chat, gemini, messages, responses};

pub(crate) type New = fn() -> Box<dyn EventReader>;

/// The tools that a request declares.
pub(crate) fn declared() -> Arc<[ToolDeclaration]> {
    let names = ["look", "docs.search"];
    names.map(|name| ToolDeclaration::new(name, "Does it.", r#"{"type":"object"}"#)).into()
}

/// Checks the deltas of a stream that is cut at every byte: they are a prefix of the whole stream's
/// deltas, and no call ends unless it ends there.
#[track_caller]
pub(crate) fn check_cuts(api: New, events: &[&str]) {
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let joined = |body: &[u8]| brief(read(api, [body])).concat();
    let whole = joined(body.as_bytes());
    let whole = whole.trim_end_matches("ToolUse").trim_end_matches("Stop");
    for cut in 0..body.len() {
        let part = joined(&body.as_bytes()[..cut]);
        let part =
            part.trim_end_matches("ToolUse").trim_end_matches("Stop").trim_end_matches("cut");
        assert!(whole.starts_with(part), "{part:?} is not the beginning of {whole:?}");
    }
    let bytes: Vec<_> = body.as_bytes().chunks(1).collect();
    assert_eq!(brief(read(api, bytes)), streamed(api, &body));
}

/// Returns the deltas of a body that is read in pieces.
fn read<'a>(api: New, pieces: impl IntoIterator<Item = &'a [u8]>) -> DeltaQueue {
    let mut out = DeltaQueue::new();
    let mut reader = Some(AnswerReader::new(peer(), api()));
    for piece in pieces {
        reader = reader.and_then(|reader| reader.push(piece, &mut out));
    }
    if let Some(reader) = reader {
        reader.end(None, &mut out);
    }
    out
}

/// Returns the text of the deltas and their end, and checks the rules for every answer.
fn sum(out: DeltaQueue) -> (String, Result<FinishReason, ErrorKind>) {
    let mut text = String::new();
    let mut end = None;
    for item in out {
        assert_eq!(end, None, "{item:?} after the end");
        match item {
            Ok(Delta::Text(piece)) => {
                assert_ne!(piece, "");
                text.push_str(&piece);
            }
            Ok(Delta::Done(finish)) => end = Some(Ok(finish)),
            Ok(_) => {}
            Err(error) => end = Some(Err(error.kind())),
        }
    }
    (text, end.expect("an end"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures")
}

fn capture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

/// Returns the bodies of one API's captures, by name.
fn captures(apis: &[&str]) -> Vec<(String, Vec<u8>)> {
    let index = fs::read_to_string(folder().join("INDEX.jsonl")).unwrap();
    let names = index.lines().filter_map(|line| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        entry["body"].as_str().map(str::to_owned)
    });
    let of = |name: &String| apis.contains(&name.split(['/', '.']).nth(1).unwrap());
    names.filter(of).map(|name| (name.clone(), capture(&name))).collect()
}

/// Reads each body in pieces of several sizes that begin at every byte in turn, and cut off at many
/// places, small bodies at every byte.
///
/// A body that is cut off must give a prefix of the text, and its end only if the event with the
/// finish reason is complete.
fn every_cut(api: New, apis: &[&str], count: usize) {
    let captures = captures(apis);
    assert_eq!(captures.len(), count);
    for (name, body) in captures {
        cut_anywhere(api, &name, &body);
    }
}

/// Checks one body for [`every_cut`].
pub(crate) fn cut_anywhere(api: New, name: &str, body: &[u8]) {
    let (text, end) = sum(read(api, [body]));
    let same = |pieces: &mut dyn Iterator<Item = &[u8]>| {
        assert_eq!(sum(read(api, pieces)), (text.clone(), end), "{name}");
    };
    for size in [1, 2, 3, 7, 64] {
        same(&mut body.chunks(size));
    }
    for at in 0..STRIDE.min(body.len()) {
        let (start, rest) = body.split_at(at);
        same(&mut [start].into_iter().chain(rest.chunks(STRIDE)));
    }
    let windows: Vec<u8> = String::from_utf8(body.to_owned()).unwrap().replace('\n', "\r\n").into();
    same(&mut windows.chunks(5));
    let stride = if body.len() < SMALL { 1 } else { STRIDE };
    broken_off(api, name, body, stride, (&text, &end));
}

fn broken_off(
    api: New,
    name: &str,
    body: &[u8],
    stride: usize,
    (whole, end): (&str, &Result<FinishReason, ErrorKind>),
) {
    let (mut last, mut finished) = (0, false);
    for at in (0..body.len()).step_by(stride).chain([body.len()]) {
        let (text, cut) = sum(read(api, [&body[..at]]));
        assert!(whole.starts_with(&text), "{name}: {text:?} at {at}");
        assert!(text.len() >= last, "{name}: text lost at {at}");
        last = text.len();
        assert!(cut == Err(ErrorKind::Cut) || cut == *end, "{name}: {cut:?} at {at}");
        assert!(!finished || cut == *end, "{name}: no end any more at {at}");
        assert!(cut.is_err() || text == whole, "{name}: {text:?} is whole at {at}");
        finished = cut.is_ok();
    }
    assert_eq!(finished, end.is_ok(), "{name}");
}

/// The distance between two cuts. It is prime, so that cuts fall on every place of an event.
const STRIDE: usize = 61;

/// The length up to which a body is cut at every byte, which takes quadratic time.
const SMALL: usize = 5000;

fn chat() -> Box<dyn EventReader> {
    Box::new(chat::ChatReader::default())
}

fn messages() -> Box<dyn EventReader> {
    Box::new(messages::MessagesReader::default())
}

fn responses() -> Box<dyn EventReader> {
    Box::new(responses::ResponsesReader::default())
}

fn gemini() -> Box<dyn EventReader> {
    Box::new(gemini::GeminiReader::default())
}

#[test]
fn chat_completions_may_be_cut_anywhere() {
    every_cut(chat, &["openai_chat", "chat"], 16);
}

#[test]
fn messages_may_be_cut_anywhere() {
    every_cut(messages, &["anthropic_messages", "messages"], 6);
}

#[test]
fn responses_may_be_cut_anywhere() {
    every_cut(responses, &["openai_responses", "responses"], 5);
}

#[test]
fn gemini_may_be_cut_anywhere() {
    every_cut(gemini, &["gemini"], 4);
}

fn brief(out: DeltaQueue) -> Vec<String> {
    let brief = |item| match item {
        Ok(Delta::Text(text)) => text,
        Ok(Delta::Reasoning(text)) => format!("~{text}"),
        Ok(Delta::Usage(event::Usage { input, output, cached, reasoning, .. })) => {
            let thought = if reasoning > 0 { format!("~{reasoning}") } else { String::new() };
            format!("{input}/{output}{thought}/{cached}")
        }
        Ok(Delta::Done(finish)) => format!("{finish:?}"),
        Ok(Delta::Call(CallDelta::Begin { id, name })) => {
            format!("{name}#{}(", id.unwrap_or_default())
        }
        Ok(Delta::Call(CallDelta::Args(args))) => args,
        Ok(Delta::Call(CallDelta::End { opaque })) => format!("){}", opaque.unwrap_or_default()),
        Ok(Delta::Opaque(data)) => format!("^{data}"),
        Ok(other) => panic!("{other:?} is new"),
        Err(error) => Error::kind(&error).as_str().to_owned(),
    };
    out.into_iter().map(brief).collect()
}

/// Checks the deltas of a stream of such data, each in a short form.
#[track_caller]
pub(crate) fn check(api: New, events: &[&str], expected: &[&str]) {
    let lines = |event: &&str| format!("data: {}\n\n", event.replace('\n', "\ndata: "));
    let body: String = events.iter().map(lines).collect();
    assert_eq!(streamed(api, &body), expected);
}

/// Checks the deltas of an answer that arrived as one JSON text.
#[track_caller]
pub(crate) fn check_whole(api: New, body: &str, expected: &[&str]) {
    let mut out = DeltaQueue::new();
    whole(peer(), api(), body, None, &mut out);
    assert_eq!(brief(out), expected, "{body}");
}

fn streamed(api: New, body: &str) -> Vec<String> {
    brief(read(api, [body.as_bytes()]))
}

fn peer() -> Arc<Peer> {
    Arc::new(Peer::new("an API", "http://server/".to_owned(), None))
}

const STOP: &str = r#"data: {"choices":[{"finish_reason":"stop"}]}"#;

#[test]
fn complete_last_event_needs_no_blank_line() {
    assert_eq!(streamed(chat, STOP), ["Stop"]);
    assert_eq!(streamed(chat, &STOP[..STOP.len() - 1]), ["cut"]);
    assert_eq!(streamed(chat, &format!("{STOP}\n\ndata: [DO")), ["Stop"]);
    assert_eq!(streamed(chat, "event: error\ndata: plain"), ["overload"]);
}

#[test]
fn bare_json_errors_between_events_are_read() {
    let error = "{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"slow\"\n  }\n}\n";
    let text = r#"data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#;
    for end in [error, error.trim_end()] {
        assert_eq!(streamed(gemini, &format!("{text}\n\n{end}")), ["a", "rate"]);
        assert_eq!(streamed(gemini, end), ["rate"]);
    }
    assert_eq!(streamed(gemini, &format!("{text}\n\n{}", &error[..20])), ["a", "cut"]);
    assert_eq!(streamed(gemini, &format!("{text}\n\n[{error}]")), ["a", "rate"]);
    assert_eq!(streamed(chat, &format!("{STOP}\n\n{error}")), ["Stop"]);
}
