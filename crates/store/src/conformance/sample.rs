//! Entries for the checks.

use std::iter;
use std::time::Duration;

use silcrow_event as event;
use silcrow_event::{Entry, Event, Timestamp};

/// Returns a message of a person with `number` in it.
pub(super) fn said(number: usize) -> Entry {
    let time = 1_763_712_000_500_000_000 + number as i64 * 1_000_000_000;
    Entry { timestamp: Some(Timestamp::from_nanos(time)), ..Event::user(said_text(number)).into() }
}

/// Returns the text of [`said`].
pub(super) fn said_text(number: usize) -> String {
    format!("line {number}")
}

/// Returns several messages as from [`said`].
pub(super) fn batch(numbers: std::ops::Range<usize>) -> Vec<Entry> {
    numbers.map(said).collect()
}

/// Returns an entry of every kind that is stored, with content that is hard to keep.
pub(super) fn every_kind() -> Vec<Entry> {
    let call =
        |id: &str, content: &str| event::Call::parse(id, content).expect("the sample is a call");
    let json = |text: &str| event::Json::parse(text).expect("the sample is JSON");
    let outcome = |value: &str| {
        let truncated = event::Truncation::default()
            .with_omitted_bytes(u64::MAX)
            .with_omitted_lines(0)
            .with_next_offset(7)
            .with_full_output(HARD_TEXT)
            .with_tail(HARD_TEXT);
        let mut result = event::CallResult::success("a1", "file_read", "read 3 lines", "the text")
            .with_notices(vec![HARD_TEXT.to_owned(), String::new()])
            .with_truncation(truncated);
        let payload = result.payload.as_mut().expect("a success has a payload");
        payload.origin = event::ResultOrigin::Framework;
        payload.value = Some(json(value));
        Event::Result(result)
    };
    let parts = [
        event::ContentPart::Text(HARD_TEXT.to_owned()),
        event::ContentPart::Json(json(r#"{"b": 2.50, "a": []}"#)),
        event::ContentPart::Json(json(r#""\u0041""#)),
    ];
    let parts = event::Content::from_iter(parts);
    let deep = ["[".repeat(1_000), "]".repeat(1_000)].concat();
    let action = event::ActionAttributes {
        kind: event::CallKind::Workflow,
        mode: event::CallMode::FireAndForget,
        depends_on: vec!["a1".to_owned(), "ä\"b".to_owned()],
        output_key: Some("out".to_owned()),
        timeout: Some(Duration::from_nanos(300_000_001)),
        retry: Some(u32::MAX),
        on_error: Some(event::OnError::Fail),
        compensate: event::Compensation::parse(r#"{"name":"undo","args":{"of":"$out"}}"#)
            .ok()
            .map(Box::new),
        show: true,
        transactions: vec!["t".to_owned(), "l[0].t".to_owned()],
        undoes: Some("a0".to_owned()),
    };
    let approval = |state, scope: Option<&str>, reason: Option<&str>| {
        Event::Approval(event::Approval {
            id: "a1".to_owned(),
            state,
            args_sha256: scope.map(|_| "ab".repeat(32)),
            target: reason.map(|_| HARD_TEXT.to_owned()),
            risk: scope.map(|_| HARD_TEXT.to_owned()),
            scope: scope.map(str::to_owned),
            grants: scope.map(|_| event::Grant::Git).into_iter().collect(),
            reason: reason.map(str::to_owned),
        })
    };
    let question = event::OpenQuestion {
        id: "a1".to_owned(),
        item_of: Some(HARD_TEXT.to_owned()),
        kind: event::CallKind::Tool,
        tool: "file_write".to_owned(),
        args: r#"{"b": 2.50, "a": []}"#.to_owned(),
        args_sha256: "ab".repeat(32),
        target: Some(HARD_TEXT.to_owned()),
        effect: None,
        diff: Some(
            event::PreviewDiff::new(vec![event::FileDiff {
                path: HARD_TEXT.to_owned(),
                hunks: HARD_TEXT.to_owned(),
            }])
            .with_shown_args(&["text"]),
        ),
        scope: "all".to_owned(),
        wider_scopes: vec![HARD_TEXT.to_owned()],
        grants: [event::Grant::Write("/srv".to_owned())].into_iter().collect(),
        risk: Some(HARD_TEXT.to_owned()),
        why: Some(HARD_TEXT.to_owned()),
    };
    let events = vec![
        Event::user(HARD_TEXT),
        Event::user(""),
        Event::think(HARD_TEXT),
        Event::Think(event::Think::by_provider("beside")),
        Event::Think(event::Think {
            opaque: Some(Box::new(event::OpaqueData::new("m", HARD_TEXT))),
            ..event::Think::by_provider("")
        }),
        Event::Call(call("a1", r#"{"name":"file_read","args":{"b":1,"a":1e400,"b":[ 2.50 ]}}"#)),
        Event::Call(call("a2", "{ \"name\" : \"x\\u0041\", \"args\" : null, \"z\": 0 }\n")),
        Event::Call(call("a3", r#"{"name":"x"}"#).with_action(action)),
        Event::Call(call("", r#"{"name":"x"}"#).with_action(event::ActionAttributes::default())),
        outcome(r#"{"z": 1, "a": {"y": 2.50, "b": 1e400}, "z": 12345678901234567890123}"#),
        outcome(&deep),
        outcome("null"),
        Event::Result(event::CallResult::success("a1", "file_list", "2 files", HARD_TEXT)),
        Event::Result(event::CallResult::failure("a2", None, "no call", "the body is no call")),
        Event::Result(event::CallResult::unknown("")),
        Event::Result(event::CallResult::unknown(parts.clone())),
        Event::Result(event::CallResult::success("a1", "t", "s", json(r#"{"b": 2.50}"#))),
        Event::Result(event::CallResult::success("a1", "t", "s", parts.clone())),
        Event::user(parts),
        Event::Batch(event::ResultBatch::fold(&[event::CallResult::success("a1", "t", "s", "c")])),
        Event::respond(HARD_TEXT),
        Event::Respond(event::Respond {
            wire: Some("read $n".to_owned()),
            last: false,
            ..event::Respond::new("read 3")
        }),
        Event::Respond(event::Respond::malformed("a2", r#"{"name": 3}"#)),
        Event::Cancelled { content: "Ctrl-C".to_owned() },
        Event::Failed(event::ErrorEvent {
            code: "auth".to_owned(),
            content: HARD_TEXT.to_owned(),
            origin: event::ErrorOrigin::Provider,
            retry: false,
            at: None,
        }),
        Event::title(HARD_TEXT),
        Event::title(""),
        Event::Mode { mode: "plan".to_owned() },
        Event::PersonCommand(event::PersonCommand::new(HARD_TEXT, HARD_TEXT).with_status(Some(-1))),
        Event::Hook(hook_run()),
        Event::Notice { content: "[Your last answer held no text.]".to_owned() },
        Event::Parked(event::Parked {
            wire: HARD_TEXT.to_owned(),
            dialect: "action".to_owned(),
            inline: true,
            families: vec!["hermes".to_owned()],
            root: "1:2".to_owned(),
            questions: vec![question],
            inside: vec!["a2".to_owned()],
        }),
        approval(event::ApprovalState::Asked, None, None),
        approval(event::ApprovalState::Allowed, Some("session"), None),
        approval(event::ApprovalState::Denied, None, Some("not that file")),
    ];
    let nanos = [i64::MIN, -100_000_000, 0, 1_763_712_345_123_456_700, i64::MAX];
    let times: Vec<_> =
        iter::once(None).chain(nanos.map(|nanos| Some(Timestamp::from_nanos(nanos)))).collect();
    let openings = [None, Some(("c\u{0}1", "r1"))];
    events
        .into_iter()
        .enumerate()
        .map(|(number, event)| Entry {
            event,
            timestamp: times[number % times.len()],
            turn: (number % 3 > 0).then_some(number as u32),
            // The store replaces this position.
            seq: (number % 2 > 0).then_some(7),
            opening: openings[usize::from(number % 4 == 0)].map(|(conversation, run)| {
                event::RunOpening {
                    conversation: conversation.to_owned(),
                    run: run.to_owned(),
                    caller: event::TraceParent::parse(CALLER),
                }
            }),
            origin: (number % 4 == 1).then(|| {
                let conversation = HARD_TEXT.to_owned();
                let point = event::BranchPoint { conversation, seq: u64::MAX };
                match number % 8 {
                    1 => event::ConversationOrigin::Fork(point),
                    _ => event::ConversationOrigin::Replay(point),
                }
            }),
            agent_path: (number % 5 == 1).then(|| "scout/reader".to_owned()),
            user: (number % 7 == 0).then(|| HARD_TEXT.to_owned()),
            folder: (number % 6 == 2).then(|| HARD_TEXT.to_owned()),
        })
        .collect()
}

/// The span of a program that begins a run.
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// Every control character, both kinds of line break, quotes, delimiters, characters beyond the
/// basic plane and the last character of all.
const HARD_TEXT: &str = concat!(
    "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\t\n\u{b}\u{c}\r\u{e}\u{f}\u{10}\u{11}\u{12}",
    "\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}\u{19}\u{1a}\u{1b}\u{1c}\u{1d}\u{1e}\u{1f}\u{7f}\u{85}",
    "\r\n\"quoted\" 'single' \\ \\n \\u0041 / § ä € 𝄞 e\u{301} \u{2028}\u{feff}\u{fffd}\u{10ffff}",
);

/// Returns a run of a hook with every field.
fn hook_run() -> event::HookRun {
    let mut run = event::HookRun::new("PreToolUse", HARD_TEXT, event::HookEffect::Blocked);
    (run.id, run.tool) = (Some("a1".to_owned()), Some("shell".to_owned()));
    HARD_TEXT.clone_into(&mut run.content);
    (run.time, run.is_of_project) = (Duration::from_millis(12), true);
    run
}
