//! The beginnings and ends of runs, and their traces.

use insta::assert_snapshot;
use silcrow_event::{
    BranchPoint, Call, CallResult, ConversationOrigin, Entry, ErrorEvent, ErrorOrigin, Event,
    Metric, Parked, RunEventRef, RunOpening, Timestamp, TraceContext, TraceId, TraceParent, Usage,
};
use silcrow_otlp::{AttributeValue, TraceOptions, TraceReader};

use crate::span_tree::{check, drawn, read};

/// Writes a log, an event each second.
#[derive(Default)]
struct LogText {
    entries: Vec<Entry>,
}

impl LogText {
    fn push(mut self, turn: u32, run: Option<&str>, event: Event) -> Self {
        let seq = self.entries.len() as u64 + 1;
        let opening =
            run.map(|run| RunOpening { conversation: "c".into(), run: run.into(), caller: None });
        let timestamp = Some(Timestamp::from_nanos(seq as i64 * 1_000_000_000));
        let entry =
            Entry { timestamp, turn: Some(turn), seq: Some(seq), opening, ..Entry::from(event) };
        self.entries.push(entry);
        self
    }
}

fn call(id: &str) -> Event {
    Event::Call(Call::parse(id, r#"{"name":"save","args":{}}"#).unwrap())
}

fn saved(id: &str) -> Event {
    Event::Result(CallResult::success(id, "save", "saved", "saved"))
}

fn parked() -> Event {
    Event::Parked(Parked {
        wire: String::new(),
        dialect: "sigil".into(),
        inline: false,
        families: Vec::new(),
        root: String::new(),
        questions: Vec::new(),
        inside: Vec::new(),
    })
}

/// A run that waits, and the run that continues it.
fn waiting() -> LogText {
    LogText::default()
        .push(1, Some("r1"), Event::user("Save."))
        .push(1, None, call("a1"))
        .push(1, None, parked())
        .push(1, Some("r2"), saved("a1"))
        .push(2, None, Event::respond("Saved."))
}

#[test]
fn waiting_run_continues_in_its_trace() {
    let log = waiting().entries;
    let spans = read("c", &log);
    check(&spans);
    assert_snapshot!(drawn(&spans), @r"
    trace
      invoke_agent silcrow 0..2
        chat 0..1
        execute_tool save 1..3
      invoke_agent silcrow 3..4 linked 1
        chat 3..4
    ");
    let first = read("c", &log[..3]);
    assert_eq!(first.len(), 2, "the call has no span while it waits");
}

#[test]
fn resuming_process_exports_only_new_spans() {
    let log = waiting().entries;
    let trace = TraceId::of_prompt("c", &log[0]);
    let since = log[3].timestamp.unwrap();
    let options = TraceOptions::default();
    let mut reader = TraceReader::new("c", options).with_trace(Some(trace), since);
    log.iter().for_each(|entry| reader.push(RunEventRef::Entry(entry)));
    reader.finish();
    let new = reader.take_spans();
    let all = read("c", &log);
    assert_eq!(new.len(), 3);
    assert!(new.iter().all(|span| all.contains(span)), "{}", drawn(&new));
}

#[test]
fn each_prompt_begins_a_trace() {
    let log = LogText::default()
        .push(1, Some("r1"), Event::user("One."))
        .push(1, None, Event::respond("1"))
        .push(2, Some("r2"), Event::user("Two."))
        .push(2, None, Event::respond("2"));
    assert_snapshot!(drawn(&read("c", &log.entries)), @r"
    trace
      invoke_agent silcrow 0..1
        chat 0..1
    trace
      invoke_agent silcrow 2..3
        chat 2..3
    ");
}

#[test]
fn crashed_call_belongs_to_its_original_run() {
    let log = LogText::default()
        .push(1, Some("r1"), Event::user("Save."))
        .push(1, None, call("a1"))
        .push(1, Some("r2"), saved("a1"))
        .push(2, None, Event::user("And now?"))
        .push(2, None, Event::respond("Saved."));
    let spans = read("c", &log.entries);
    check(&spans);
    assert_snapshot!(drawn(&spans), @r"
    trace
      invoke_agent silcrow 0..1
        chat 0..1
        execute_tool save 1..2
    trace
      invoke_agent silcrow 2..4
        chat 3..4
    ");
}

#[test]
fn entries_beside_runs_begin_no_run() {
    let log = LogText::default()
        .push(1, Some("r1"), Event::user("One."))
        .push(1, Some("r2"), Event::steer("Hurry."))
        .push(1, None, Event::respond("1"))
        .push(1, Some("r3"), Event::title("Counting"));
    assert_snapshot!(drawn(&read("c", &log.entries)), @r"
    trace
      invoke_agent silcrow 0..2
        chat 0..2
    ");
}

#[test]
fn fork_links_to_its_original() {
    let mut log = LogText::default()
        .push(1, Some("r1"), Event::user("One."))
        .push(1, None, Event::respond("1"))
        .push(2, Some("r2"), Event::user("Two."))
        .push(2, None, Event::respond("2"))
        .entries;
    let point = BranchPoint { conversation: "other".into(), seq: 2 };
    log[0].origin = Some(ConversationOrigin::Fork(point));
    let copied = TraceContext::of_run(TraceId::of_prompt("other", &log[0]), "other", "r1");
    let links: Vec<_> = read("c", &log).into_iter().flat_map(|span| span.links).collect();
    assert_eq!(links, [copied]);
}

#[test]
fn failed_request_span_has_an_error() {
    let step = Usage { duration: std::time::Duration::from_millis(500), ..Usage::default() };
    let error = ErrorEvent {
        code: "rate_limited".into(),
        content: "too many requests".into(),
        origin: ErrorOrigin::Provider,
        retry: true,
        at: None,
    };
    let log = LogText::default()
        .push(1, Some("r1"), Event::user("One."))
        .push(1, None, Event::Metric(Metric::new(step, step)))
        .push(1, None, Event::Error(error));
    assert_snapshot!(drawn(&read("c", &log.entries)), @r#"
    trace
      invoke_agent silcrow 0..2 failed: Some(Text("rate_limited"))
        chat 0.5..1 failed: Some(Text("rate_limited"))
    "#);
}

#[test]
fn answer_spans_have_known_finish_reasons() {
    let failed = |code: &str| {
        Event::Error(ErrorEvent {
            code: code.into(),
            content: "the answer is cut".into(),
            origin: ErrorOrigin::Provider,
            retry: false,
            at: None,
        })
    };
    let stopped = Event::Cancelled { content: "the person stopped the run".into() };
    for (end, reason) in [
        (failed("length"), Some("length")),
        (failed("filter"), Some("content_filter")),
        (failed("overloaded"), None),
        (stopped, None),
        (Event::respond("It is saved."), Some("stop")),
        (Event::Execute, Some("stop")),
    ] {
        // The second answer is cut, and the first one was read to its end.
        let log = LogText::default()
            .push(1, Some("r1"), Event::user("Save."))
            .push(1, None, call("a1"))
            .push(1, None, saved("a1"))
            .push(2, None, Event::think("It may be saved."))
            .push(2, None, end);
        let spans = read("c", &log.entries);
        let reasons = spans.iter().filter(|span| span.name == "chat");
        let reasons: Vec<_> =
            reasons.map(|span| span.attribute("gen_ai.response.finish_reasons")).collect();
        let words = |word| AttributeValue::Words(vec![word]);
        assert_eq!(reasons, [Some(&words("stop")), reason.map(words).as_ref()]);
    }
}

#[test]
fn stopped_run_is_marked() {
    let log = LogText::default().push(1, Some("r1"), Event::user("One.")).push(
        1,
        None,
        Event::Cancelled { content: "the person stopped the run".into() },
    );
    assert_snapshot!(drawn(&read("c", &log.entries)), @r#"
    trace
      invoke_agent silcrow 0..1 failed: Some(Text("cancelled"))
    "#);
}

#[test]
fn a_workflow_makes_no_requests() {
    let outer = Call::parse("a1", r#"{"name":"digest","args":{}}"#).unwrap();
    let log = LogText::default()
        .push(1, Some("r1"), Event::user("Digest."))
        .push(1, None, Event::Call(outer))
        .push(1, None, saved("a1"));
    let inner = LogText::default()
        .push(1, None, Event::user(r#"{"text":"long"}"#))
        .push(
            1,
            None,
            match call("b1") {
                Event::Call(call) => Event::Call(call.with_action(Default::default())),
                other => other,
            },
        )
        .push(1, None, saved("b1"))
        .push(1, None, Event::respond("short"));
    let opening = RunOpening { conversation: "c/1/a1".into(), run: "w1".into(), caller: None };
    let inner = inner.entries.into_iter().map(|entry| Entry {
        opening: Some(opening.clone()),
        agent_path: Some("digest".into()),
        ..entry
    });
    let log: Vec<_> = log.entries.into_iter().chain(inner).collect();
    let spans = read("c", &log);
    check(&spans);
    assert_snapshot!(drawn(&spans), @r"
    trace
      invoke_agent silcrow 0..2
        chat 0..1
        execute_tool digest 1..2
          invoke_workflow digest 0..3
            execute_tool save 1..2
    ");
}

#[test]
fn called_run_and_continuation_stay_in_callers_trace() {
    let caller = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let mut log = waiting().entries;
    let opening = log[0].opening.as_mut().unwrap();
    opening.caller = caller;
    let context = caller.unwrap().context;
    assert_eq!(TraceId::of_log("c", &log), Some(context.trace));
    let spans = read("c", &log);
    assert!(spans.iter().all(|span| span.context.trace == context.trace));
    let runs: Vec<_> = spans.iter().filter(|span| span.name == "invoke_agent silcrow").collect();
    let parents: Vec<_> = runs.iter().map(|run| run.parent).collect();
    assert_eq!(parents, [Some(context.span), None]);
}

#[test]
fn fork_does_not_inherit_its_originals_caller() {
    let caller = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let mut log = waiting().entries;
    log[0].opening.as_mut().unwrap().caller = caller;
    let point = BranchPoint { conversation: "other".into(), seq: 5 };
    log[0].origin = Some(ConversationOrigin::Fork(point));
    let trace = caller.unwrap().context.trace;
    assert!(read("c", &log).iter().all(|span| span.context.trace != trace));
}
