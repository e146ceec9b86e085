//! Control blocks: their events in a log, in order (P-28 to P-30).

use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::{
    BlockMark, Call, CallResult, ControlBlock, ControlKind, Event, Fragment, InvalidCall, Json,
};

use crate::Turn;

fn described(step: Step<'_>) -> Option<String> {
    let Step::Emit(event) = step else { return None };
    Some(match event {
        Event::Block(BlockMark::Template(call)) => format!("template {}", call.id()),
        Event::Block(mark) => format!("block {}", mark.id()),
        Event::Call(call) => format!("call {} {}", call.id(), call.is_instance()),
        Event::Result(result) => {
            let id = result.id.clone().unwrap_or_default();
            format!("result {id}: {}", result.content.text())
        }
        other => other.to_json(),
    })
}

fn turn(people: &str) -> Turn {
    let mut turn = Turn::new(Accumulator::new().with_names()).with_described(described);
    turn.plan.preset("people", Json::parse(people).unwrap());
    turn
}

fn begin(id: &str, kind: ControlKind) -> Fragment<'static> {
    Fragment::Block(BlockMark::Begin(ControlBlock::new(id, kind)))
}

fn each() -> Fragment<'static> {
    let (items, item) = ("people".to_owned(), "person".to_owned());
    let (max_parallel, limit) = (ControlKind::MAX_PARALLEL, ControlKind::LIMIT);
    let on_error = silcrow_event::OnError::Fail;
    begin("each", ControlKind::ForEach { items, item, index: None, max_parallel, limit, on_error })
}

fn greet() -> Fragment<'static> {
    let call = Call::parse("greet", r#"{"name":"greet","args":{"who":"$person"}}"#).unwrap();
    Fragment::Call(call.with_action(Default::default()))
}

fn end(id: &str) -> Fragment<'static> {
    Fragment::Block(BlockMark::End { id: id.to_owned() })
}

#[test]
fn loop_instances_start_before_loop_closes() {
    let mut turn = turn(r#"["Ada","Max"]"#);
    assert_eq!(turn.push([each()]), ["block each"]);
    assert_eq!(
        turn.push([greet()]),
        [
            "template greet",
            "call each[0].greet true",
            "call each[1].greet true",
            "run each[0].greet",
            "run each[1].greet"
        ]
    );
    assert_eq!(turn.push([end("each")]), ["block each"]);
    turn.plan.finish("each[1].greet", CallResult::success("each[1].greet", "greet", "", "Hi, Max"));
    let ended = turn.steps(Accumulator::report);
    assert_eq!(ended, ["result each[1].greet: Hi, Max"]);
    turn.plan.finish("each[0].greet", CallResult::success("each[0].greet", "greet", "", "Hi, Ada"));
    let ended = turn.steps(Accumulator::report);
    assert_eq!(ended, ["result each[0].greet: Hi, Ada", "result each: 2 items"]);
    // The output of the loop is in the results of its instances, not in a separate event.
    let output = turn.plan.outcome("each").unwrap().value().unwrap().into_owned();
    assert_eq!(output.as_str(), r#"["Hi, Ada","Hi, Max"]"#);
}

#[test]
fn empty_loop_reports_no_items() {
    let mut turn = turn("[]");
    assert_eq!(turn.push([each()]), ["block each", "result each: 0 items"]);
    assert_eq!(turn.push([greet(), end("each")]), ["template greet", "block each"]);
}

#[test]
fn unrunnable_loop_call_fails_once() {
    let mut turn = turn(r#"["Ada","Max"]"#);
    let bad = InvalidCall {
        id: "bad".to_owned(),
        why: "no name".to_owned(),
        truncated: false,
        text: "{}".to_owned(),
    };
    turn.push([each()]);
    let log = turn.push([Fragment::InvalidCall(bad), end("each")]);
    let results = log.iter().filter(|step| step.starts_with("result bad")).count();
    assert_eq!(results, 1, "{log:?}");
    assert!(log.iter().any(|step| step.starts_with("result each: ")), "{log:?}");
    assert!(!log.iter().any(|step| step.contains("each[0].bad: ")), "{log:?}");
}

#[test]
fn a_block_that_fails_has_a_result() {
    let mut turn = turn(r#"["Ada"]"#);
    let log = turn.push([begin("c", ControlKind::Choice { test: "people".to_owned() }), greet()]);
    let failed = "result c: the test is not true or false, but a list";
    assert!(log.iter().any(|step| step == failed), "{log:?}");
    assert!(log.iter().any(|step| step.starts_with("result greet: ")), "{log:?}");
}
