use std::fs;
use std::path::Path;
use std::sync::Arc;

use silcrow_provider::{Delta, ErrorKind, Finish};

use super::{Out, Reader};
use crate::error::Peer;

fn reader() -> Reader {
    Reader::new(Arc::new(Peer::new("http://server/".to_owned(), None)))
}

/// What the body gives, read in pieces.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Out {
    let mut out = Out::new();
    let mut reader = Some(reader());
    for piece in pieces {
        reader = reader.and_then(|reader| reader.push(piece, &mut out));
    }
    if let Some(reader) = reader {
        reader.end(None, &mut out);
    }
    out
}

/// The text of the deltas, and how they end. What holds of every answer is checked.
fn sum(out: Out) -> (String, Result<Finish, ErrorKind>) {
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

fn capture(name: &str) -> Vec<u8> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    fs::read(captures.join(name)).unwrap()
}

/// Cuts a body at every byte and demands a prefix of its text, and its end only once the chunk
/// with the finish reason is complete.
fn cut(name: &str) {
    let body = capture(name);
    let (whole, end) = sum(read([&body[..]]));
    assert_eq!(end, Ok(Finish::Stop));
    let reason = b"\"finish_reason\":\"stop\"";
    let reason = body.windows(reason.len()).position(|at| at == reason).unwrap();
    let finished = reason + body[reason..].iter().position(|&byte| byte == b'\n').unwrap();
    let mut last = 0;
    for at in 0..=body.len() {
        let (text, end) = sum(read([&body[..at]]));
        assert!(whole.starts_with(&text), "{text:?} at {at}");
        assert!(text.len() >= last, "text lost at {at}");
        last = text.len();
        let expected = if at < finished { Err(ErrorKind::Cut) } else { Ok(Finish::Stop) };
        assert_eq!(end, expected, "at {at}");
    }
}

#[test]
fn a_body_cut_at_any_byte_is_cut() {
    cut("llamacpp/chat.proto_call.body");
    cut("aimock/openai_chat.normal.body");
}

#[test]
fn halves_of_characters_cut_at_any_byte_give_no_other_character() {
    let body = capture("aimock/openai_chat.unicode_1char.body");
    let (whole, _) = sum(read([&body[..]]));
    assert!(whole.contains('🗼'));
    // Only where the pairs are: the rest is cut above.
    let first = body.windows(4).position(|at| at == b"ud83").unwrap();
    for at in first - 300..first + 2000 {
        let (text, end) = sum(read([&body[..at]]));
        assert!(whole.starts_with(&text), "{text:?} at {at}");
        assert_eq!(end, Err(ErrorKind::Cut));
    }
}

#[test]
fn a_body_may_come_in_any_pieces() {
    for name in ["llamacpp/chat.sse_ping_1s.body", "aimock/openai_chat.unicode_1char.body"] {
        let body = capture(name);
        let whole = sum(read([&body[..]]));
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(sum(read(body.chunks(size))), whole, "{name} by {size}");
        }
        let windows: Vec<u8> = String::from_utf8(body).unwrap().replace('\n', "\r\n").into();
        assert_eq!(sum(read(windows.chunks(5))), whole);
    }
}

/// The deltas of a stream of such data, each item in short.
#[track_caller]
fn check(events: &[&str], expected: &[&str]) {
    let lines = |event: &&str| format!("data: {}\n\n", event.replace('\n', "\ndata: "));
    let body: String = events.iter().map(lines).collect();
    let given: Vec<_> = read([body.as_bytes()])
        .into_iter()
        .map(|item| match item {
            Ok(Delta::Text(text)) => text,
            Ok(Delta::Reasoning(text)) => format!("~{text}"),
            Ok(Delta::Usage(usage)) => format!("{}/{}/{}", usage.input, usage.output, usage.cached),
            Ok(Delta::Done(finish)) => format!("{finish:?}"),
            Ok(other) => panic!("{other:?} is new"),
            Err(error) => error.kind().as_str().to_owned(),
        })
        .collect();
    assert_eq!(given, expected);
}

const STOP: &str = r#"{"choices":[{"finish_reason":"stop"}]}"#;

#[test]
fn odd_chunks_are_taken() {
    let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for odd in [
        "{}",
        "",
        r#"{"message":"queued","choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[],"prompt_filter_results":[{"x":1}]}"#,
        r#"{"choices":[{}],"usage":null,"error":null}"#,
        r#"{"choices":[{"index":0,"delta":null,"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":""}]}"#,
        r#"{"choices":[{"delta":{"content":""},"logprobs":{"content":[]}}],"obfuscation":"x"}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"type":""}]},"message":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"second"},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"delta":{"x":"\ud83d"}}],"usage":{"prompt_tokens":"many"}}"#,
    ] {
        check(&[odd, text, odd, STOP, odd, "[DONE]"], &["a", "Stop"]);
    }
}

#[test]
fn reasoning_comes_beside_the_text() {
    check(
        &[
            r#"{"choices":[{"delta":{"reasoning_content":"r\ud83d"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"\uddfc","content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"s","reasoning_content":"s"}}]}"#,
            STOP,
        ],
        &["~r", "~🗼", "a", "~s", "Stop"],
    );
}

#[test]
fn usage_comes_once_before_the_end_and_the_last_counts() {
    check(
        &[
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}"#,
            STOP,
            r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,
                "prompt_tokens_details":{"cached_tokens":4}}}"#,
            r#"{"choices":[]}"#,
            "[DONE]",
        ],
        &["a", "5/3/4", "Stop"],
    );
}

#[test]
fn every_reason_has_its_finish() {
    for (reason, finish) in [
        ("stop", "Stop"),
        ("length", "Length"),
        ("content_filter", "Filter"),
        ("tool_calls", "Other(\"tool_calls\")"),
        ("function_call", "Other(\"function_call\")"),
        ("eos", "Other(\"eos\")"),
    ] {
        let chunk = format!(r#"{{"choices":[{{"finish_reason":"{reason}"}}]}}"#);
        check(&[&chunk], &[finish]);
    }
    check(&[r#"{"choices":[{"delta":{"refusal":"no"}}]}"#, STOP], &["no", "Filter"]);
}

#[test]
fn a_half_at_the_end_is_replaced_unless_the_answer_is_cut() {
    let half = r#"{"choices":[{"delta":{"content":"\ud83d"}}]}"#;
    check(&[half, STOP], &["\u{FFFD}", "Stop"]);
    check(&[half], &["cut"]);
}

#[test]
fn the_wrong_shape_is_malformed() {
    let wrong = ["1", "[]", "text", r#"{"choices":1}"#, r#"{"choices":[{"delta":{"content":1}}]}"#];
    for wrong in wrong {
        check(&[wrong, STOP], &["malformed"]);
    }
    check(&[STOP, "text"], &["malformed"]);
}

#[test]
fn a_last_event_without_its_blank_line_counts_if_it_is_whole() {
    let stop = format!("data: {STOP}");
    assert_eq!(sum(read([stop.as_bytes()])).1, Ok(Finish::Stop));
    assert_eq!(sum(read([&stop.as_bytes()[..stop.len() - 1]])).1, Err(ErrorKind::Cut));
    let more = format!("{stop}\n\ndata: [DO");
    assert_eq!(sum(read([more.as_bytes()])).1, Ok(Finish::Stop));
    assert_eq!(sum(read([&b"event: error\ndata: plain"[..]])).1, Err(ErrorKind::Overload));
}
