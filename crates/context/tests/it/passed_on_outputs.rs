//! Which outputs of a turn are only passed on (section 9).

use silcrow_context::PassedOn;
use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallMode, ControlBlock, ControlKind, Event, ParallelJoin,
    Respond,
};

fn call_with(id: &str, args: &str, attributes: ActionAttributes) -> Call {
    let content = format!(r#"{{"name":"tool_{id}","args":{args}}}"#);
    Call::parse(id, content).unwrap().with_action(attributes)
}

fn call(id: &str, args: &str) -> Event {
    Event::Call(call_with(id, args, ActionAttributes::default()))
}

fn item(id: &str, args: &str) -> Event {
    Event::Block(BlockMark::Template(call_with(id, args, ActionAttributes::default())))
}

fn begin(id: &str, kind: ControlKind) -> Event {
    Event::Block(BlockMark::Begin(ControlBlock::new(id, kind)))
}

fn end(id: &str) -> Event {
    Event::Block(BlockMark::End { id: id.to_owned() })
}

fn each(id: &str, items: &str) -> Event {
    let (items, item) = (items.to_owned(), "x".to_owned());
    let (max_parallel, limit) = (ControlKind::MAX_PARALLEL, ControlKind::LIMIT);
    let on_error = silcrow_event::OnError::Fail;
    begin(id, ControlKind::ForEach { items, item, index: None, max_parallel, limit, on_error })
}

fn says(wire: &str, last: bool) -> Event {
    let (content, wire) = ("said".to_owned(), Some(wire.to_owned()));
    Event::Respond(Respond { content, wire, last, malformed: None })
}

/// Checks which ids are only passed on.
#[track_caller]
fn check(events: &[Event], is_answered: bool, expected: &[&str]) {
    let passed_on = PassedOn::in_turn(events, is_answered);
    let all = ["a", "b", "c", "d", "each[3].a", "each[3].b", "o[1].each[3].b"];
    let found: Vec<_> = all.into_iter().filter(|id| passed_on.contains(id)).collect();
    assert_eq!(found, expected);
}

#[test]
fn used_output_is_passed_on() {
    check(&[call("a", "{}"), call("b", r#"{"text":"see $a"}"#)], false, &["a", "each[3].a"]);
    check(&[call("a", "{}"), call("b", r#"{"text":"$$a and $c"}"#)], false, &[]);
    // The place of the use decides: a name never means a later binding.
    check(&[call("b", r#"{"text":"$a"}"#), call("a", "{}")], false, &[]);
    check(&[call("a", "{}"), call("b", r#"{"text":"$tool_a"}"#)], false, &["a", "each[3].a"]);
}

#[test]
fn shown_or_unused_output_is_sent() {
    let show = ActionAttributes { show: true, ..ActionAttributes::default() };
    let shown = Event::Call(call_with("a", "{}", show));
    check(&[shown, call("b", r#"{"text":"$a"}"#)], false, &[]);
    let background =
        ActionAttributes { mode: CallMode::FireAndForget, ..ActionAttributes::default() };
    let unbound = Event::Call(call_with("a", "{}", background));
    check(&[unbound, call("b", r#"{"text":"$a"}"#)], false, &[]);
    let plain = Event::Call(Call::parse("a", r#"{"name":"t"}"#).unwrap());
    check(&[plain, call("b", r#"{"text":"$a"}"#)], false, &[]);
}

#[test]
fn last_binding_before_use_wins() {
    let keyed = |id: &str| {
        let output_key = Some("page".to_owned());
        let attributes = ActionAttributes { output_key, ..ActionAttributes::default() };
        Event::Call(call_with(id, "{}", attributes))
    };
    let events = [keyed("a"), keyed("b"), call("c", r#"{"text":"$page"}"#)];
    check(&events, false, &["b", "each[3].b", "o[1].each[3].b"]);
}

#[test]
fn answer_counts_once_delivered() {
    let events = [call("a", "{}"), says("It is $a.", true)];
    check(&events, true, &["a", "each[3].a"]);
    check(&events, false, &[]);
    check(&[call("a", "{}"), says("First $a.", false)], false, &["a", "each[3].a"]);
}

#[test]
fn expression_uses_outputs_but_end_does_not() {
    let value =
        |expression: &str| begin("n", ControlKind::Value { expression: expression.to_owned() });
    check(&[call("a", "{}"), value("len(a)")], false, &["a", "each[3].a"]);
    check(&[call("a", "{}"), value("ok(a)")], false, &[]);
    check(&[call("a", "{}"), value("len(")], false, &[]);
}

#[test]
fn loop_output_is_output_of_last_call() {
    let body = [each("each", "[1]"), item("a", "{}"), item("b", r#"{"text":"$a"}"#), end("each")];
    check(&body, false, &["a", "each[3].a"]);
    let used = call("c", r#"{"text":"$each"}"#);
    let used = [&body[..], &[used]].concat();
    check(&used, false, &["a", "b", "each[3].a", "each[3].b", "o[1].each[3].b"]);
    // The bindings of a loop end with it, and its item hides a name outside.
    let hidden = [each("each", "[1]"), item("a", "{}"), end("each"), call("c", r#"{"t":"$a"}"#)];
    check(&hidden, false, &[]);
    let x = ActionAttributes { output_key: Some("x".to_owned()), ..ActionAttributes::default() };
    let outside = Event::Call(call_with("a", "{}", x));
    check(&[outside, each("each", "[1]"), item("b", r#"{"t":"$x"}"#), end("each")], false, &[]);
}

#[test]
fn block_output_is_output_of_parts() {
    let test = || ControlKind::Choice { test: "true".to_owned() };
    let other = Event::Block(BlockMark::Otherwise { id: "if".to_owned() });
    let choice =
        [begin("if", test()), call("a", "{}"), call("b", "{}"), other, call("c", "{}"), end("if")];
    let use_of = |name: &str| [call("d", &format!(r#"{{"t":"${name}"}}"#))];
    let both = ["b", "c", "each[3].b", "o[1].each[3].b"];
    check(&[&choice[..], &use_of("if")].concat(), false, &both);
    check(&[&choice[..], &use_of("a")].concat(), false, &["a", "each[3].a"]);
    let join = ParallelJoin::All;
    let group = ControlKind::Parallel { join, max: None, timeout: None };
    let group = [begin("g", group), call("a", "{}"), call("b", "{}"), end("g")];
    let all = ["a", "b", "each[3].a", "each[3].b", "o[1].each[3].b"];
    check(&[&group[..], &use_of("g")].concat(), false, &all);
    // A block that stays open binds nothing, and ends nothing else.
    check(&[begin("if", test()), call("a", "{}")], false, &[]);
    check(&[call("a", "{}"), end("if"), call("b", r#"{"t":"$a"}"#)], false, &["a", "each[3].a"]);
}
