//! Recording and replay of answers.

use std::error::Error as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use proptest::prelude::*;
use silcrow_event::{Message, Role, Usage};
use silcrow_provider::record::{Record, Replay, Secrets};
use silcrow_provider::{Delta, Error, ErrorKind, FinishReason, Provider, Request};
use silcrow_testkit::check_sources;

use crate::played::{Item, Played, ask, done, request, text};

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct File(Arc<Mutex<Vec<u8>>>);

impl File {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn none() -> Secrets {
    Secrets::default()
}

fn says(content: &str) -> Request {
    Request::new(vec![Message::new(Role::System, "s"), Message::new(Role::User, content)])
}

/// The items in a form that can be compared.
async fn given(model: &dyn Provider, request: Request) -> Vec<String> {
    let shown = |item: Item| match item {
        Err(error) => format!("{} {error} {:?}", error.kind().as_str(), error.retry_after()),
        Ok(delta) => format!("{delta:?}"),
    };
    model.stream(request).map(shown).collect().await
}

#[tokio::test]
async fn replay_repeats_the_recording() {
    let usage = Usage { input: 3, output: 2, cached: 1, ..Usage::default() };
    let wait = Duration::from_millis(1500);
    let answers = || {
        [
            vec![Ok(Delta::Reasoning("r".into())), text("§a\n"), text("🗼"), done()],
            vec![Ok(Delta::Usage(usage)), Ok(Delta::Done(FinishReason::ToolUse))],
            vec![text("a"), Err(Error::new(ErrorKind::Rate, "slow").with_retry_after(wait))],
            vec![Ok(Delta::Done(FinishReason::Length))],
            vec![Ok(Delta::Done(FinishReason::Filter))],
            vec![text("cut")],
            vec![],
        ]
    };
    let file = File::default();
    let record = Record::new(Played::new(answers()), file.clone(), none());
    assert_eq!(record.name(), "played");
    let whole = says("b").with_streaming(false);
    let requests = [says("a"), says("a"), whole, says("c"), says("d"), says("e"), says("f")];
    let (unrecorded, mut expected) = (Played::new(answers()), Vec::new());
    let mut first = Vec::new();
    for request in requests.clone() {
        expected.push(given(&unrecorded, request.clone()).await);
        first.push(given(&record, request).await);
    }
    assert_eq!(first, expected, "recording changes nothing");
    assert_eq!(file.text().lines().count(), requests.len());
    let replay = Replay::parse(&file.text(), none()).unwrap();
    let mut again = Vec::new();
    for request in requests {
        again.push(given(&replay, request).await);
    }
    assert_eq!(again, first);
    assert_eq!(first[0], [r#"Reasoning("r")"#, r#"Text("§a\n")"#, r#"Text("🗼")"#, "Done(Stop)"]);
}

#[tokio::test]
async fn recorded_lines_are_readable_json() {
    let file = File::default();
    ask(&Record::new(Played::new([vec![text("§end"), done()]]), file.clone(), none())).await;
    assert_eq!(
        file.text(),
        "{\"request\":{\"streaming\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]},\
         \"answer\":[{\"text\":\"§end\"},{\"done\":\"stop\"}]}\n"
    );
}

#[tokio::test]
async fn abandoned_answer_is_recorded_as_far_as_read() {
    let file = File::default();
    let record =
        Record::new(Played::new([vec![text("a"), text("b"), done()]]), file.clone(), none());
    let mut deltas = record.stream(request());
    deltas.next().await.unwrap().unwrap();
    assert_eq!(file.text(), "");
    drop(deltas);
    assert!(file.text().ends_with("\"answer\":[{\"text\":\"a\"}]}\n"), "{}", file.text());
}

#[tokio::test]
async fn replay_answers_in_any_order_but_once() {
    let file = File::default();
    let answers = ["a", "b"].map(|answer| vec![text(answer), done()]);
    let record = Record::new(Played::new(answers), file.clone(), none());
    for content in ["a", "b"] {
        given(&record, says(content)).await;
    }
    let replay = Replay::parse(&file.text(), none()).unwrap();
    for content in ["b", "a"] {
        assert!(given(&replay, says(content)).await[0].contains(content));
    }
    assert!(given(&replay, says("a")).await[0].contains("every answer of it was replayed"));
}

#[tokio::test]
async fn changed_request_is_refused_with_a_diff() {
    let file = File::default();
    let record = Record::new(Played::new([vec![done()]]), file.clone(), none());
    let long = "0123456789".repeat(10);
    given(&record, says(&format!("{long} old\n{long}"))).await;
    let refusal = |request| {
        let replay = Replay::parse(&file.text(), none()).unwrap();
        async move { ask_once(&replay, request).await }
    };
    let changed = refusal(says(&format!("{long} new\n{long}"))).await;
    assert_eq!(changed.kind(), ErrorKind::Recording);
    assert!(!changed.is_retryable());
    let old = r"…1234567890123456789 old\n012345678901234567890123456789012345…";
    let new = old.replace("old", "new");
    assert_eq!(
        changed.to_string(),
        format!(
            "the recording does not hold this request: message 2 (user) has `{new}` where `{old}` \
             was recorded; record it again"
        )
    );
    let whole = says("").with_streaming(false);
    assert!(refusal(whole).await.to_string().contains("was recorded in pieces"));
    let fewer = Request::new(vec![Message::new(Role::System, "s")]);
    assert!(refusal(fewer).await.to_string().contains("2 messages were recorded"));
    let turned = Request::new(vec![Message::new(Role::User, "s")]);
    assert!(refusal(turned).await.to_string().contains("recorded as system's, and is now user's"));
}

async fn ask_once(replay: &Replay, request: Request) -> Error {
    replay.stream(request).next().await.unwrap().unwrap_err()
}

#[tokio::test]
async fn secrets_are_masked_wherever_tokens_cut_them() {
    let secrets = || Secrets::new(["sk-canary", " other\n", ""]);
    let cut = ["a sk-", "can", "ary b", "sk-canarysk-canary"].map(text);
    let reasoning = Ok(Delta::Reasoning("other".into()));
    let error = Err(Error::new(ErrorKind::Auth, "not sk-canary"));
    let answer: Vec<_> = cut.into_iter().chain([reasoning, error]).collect();
    let file = File::default();
    let record = Record::new(Played::new([answer]), file.clone(), secrets());
    assert!(!format!("{:?}", secrets()).contains("canary"));
    let first = given(&record, says("the key is sk-canary")).await;
    assert!(first.concat().contains("canary"), "what is given on is not masked");
    let text = file.text();
    assert!(!text.contains("canary") && !text.contains("other"), "{text}");
    let answer = r#"[{"text":"a [secret]"},{"text":""},{"text":" b"},{"text":"[secret][secret]"},"#;
    assert!(text.contains(answer), "{text}");
    let replay = Replay::parse(&text, secrets()).unwrap();
    let again = given(&replay, says("the key is sk-canary")).await;
    assert!(again.last().unwrap().contains("auth not [secret]"), "{again:?}");
}

#[tokio::test]
async fn secrets_that_overlap_are_masked_as_one() {
    let answer = vec![text("a canary-"), text("bird!"), done()];
    let file = File::default();
    let secrets = Secrets::new(["canary", "ry-bird"]);
    ask(&Record::new(Played::new([answer]), file.clone(), secrets)).await;
    assert!(file.text().contains(r#"[{"text":"a [secret]"},{"text":"!"},"#), "{}", file.text());
}

#[tokio::test]
async fn earlier_recordings_with_vendor_finish_words_parse() {
    for (word, end) in [
        ("tool_calls", "Done(ToolUse)"),
        ("tool_use", "Done(ToolUse)"),
        (
            "network_error",
            "malformed the recorded answer ended with the reason `network_error` None",
        ),
    ] {
        let line = format!(
            "{{\"request\":{{\"streaming\":true,\"messages\":[]}},\
             \"answer\":[{{\"text\":\"a\"}},{{\"done\":{{\"other\":\"{word}\"}}}}]}}"
        );
        let replay = Replay::parse(&line, none()).unwrap();
        assert_eq!(given(&replay, Request::new(Vec::new())).await, [r#"Text("a")"#, end]);
    }
}

#[tokio::test]
async fn secrets_are_masked_in_every_encoding() {
    let secrets = || Secrets::new(["sk-canary-0123456789"]);
    let cut = ["a SK-Canary-", "01234\n56789", " b"].map(text);
    let error = "not sk-canary-0123…, not sk%2Dcanary%2D0123456789";
    let answer: Vec<_> = cut.into_iter().chain([Err(Error::new(ErrorKind::Auth, error))]).collect();
    let file = File::default();
    let record = Record::new(Played::new([answer]), file.clone(), secrets());
    given(&record, says("the key is sk-canary\n-0123456789")).await;
    let text = file.text().to_lowercase();
    assert!(!text.contains("canary") && !text.contains("56789"), "{text}");
    assert!(text.contains("not [secret]…, not [secret]"), "{text}");
}

#[test]
fn invalid_recordings_are_refused_with_their_line() {
    let good = r#"{"request":{"streaming":true,"messages":[]},"answer":[]}"#;
    assert!(Replay::parse(&format!("{good}\n\n{good}"), none()).is_ok());
    for bad in ["x", "{}", r#"{"request":{"streaming":true,"messages":[]},"answer":[{"x":1}]}"#] {
        let error = Replay::parse(&format!("{good}\n{bad}\n"), none()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Recording);
        assert!(error.to_string().starts_with("line 2 of the recording"), "{error}");
        assert!(error.source().is_some(), "{error}");
        check_sources(&error);
    }
}

#[tokio::test]
async fn unrecordable_answer_fails() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for answer in [vec![text("a"), done()], vec![text("a")]] {
        let record = Record::new(Played::new([answer]), Full, none());
        let (deltas, error) = ask(&record).await;
        assert_eq!(deltas, [Delta::Text("a".into())]);
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::Recording);
        assert_eq!(error.source().unwrap().to_string(), "the disk is full");
        check_sources(&error);
    }
}

#[test]
fn every_error_kind_has_a_distinct_code() {
    use ErrorKind::*;
    for (kind, code) in [
        (Auth, "auth"),
        (Refused, "refused"),
        (ContextTooLong, "context_too_long"),
        (Rate, "rate"),
        (Overload, "overload"),
        (Network, "network"),
        (Timeout, "timeout"),
        (Cut, "cut"),
        (Malformed, "malformed"),
        (ScriptExhausted, "script_exhausted"),
        (Recording, "recording"),
    ] {
        assert_eq!((kind.as_str(), &*kind.to_string()), (code, code));
        assert_eq!(code.parse(), Ok(kind));
    }
    assert!("new".parse::<ErrorKind>().is_err());
}

proptest! {
    #[test]
    fn secrets_are_masked_at_any_split(
        pieces in prop::collection::vec("[abé]{0,3}", 1..8),
        secrets in prop::collection::vec("[abé]{1,3}", 0..3),
    ) {
        let answer: Vec<_> = pieces.iter().map(|piece| text(piece)).chain([done()]).collect();
        let file = File::default();
        let record = Record::new(Played::new([answer]), file.clone(), Secrets::new(&secrets));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(ask(&record));
        let line: serde_json::Value = serde_json::from_str(&file.text()).unwrap();
        let texts = line["answer"].as_array().unwrap().iter().filter_map(|item| item["text"].as_str());
        let masked: String = texts.collect();
        let whole = pieces.concat();
        let is_secret = |at: usize| {
            secrets.iter().any(|secret| {
                let mut found = whole.match_indices(secret.as_str());
                found.any(|(start, text)| (start..start + text.len()).contains(&at))
            })
        };
        let visible: String =
            whole.char_indices().filter(|(at, _)| !is_secret(*at)).map(|(_, char)| char).collect();
        prop_assert_eq!(masked.replace("[secret]", ""), visible);
        let is_masked = (0..whole.len()).any(is_secret);
        prop_assert_eq!(masked.contains("[secret]"), is_masked);
    }
}
