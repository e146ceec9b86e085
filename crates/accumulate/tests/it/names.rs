//! Turns of actions: outputs in answers, results as they come (P-22, P-24, P-26).

use silcrow_accumulate::{Accumulator, AnswerLimits, Step};
use silcrow_event::{
    ActionAttributes, Call, CallMode, CallResult, Event, Fragment, TextFragment, TextKind,
};
use silcrow_plan::PlanUpdate;

use crate::Turn;

fn action(id: &str, mode: CallMode) -> Fragment<'static> {
    let call = Call::parse(id, r#"{"name":"t"}"#).unwrap();
    Fragment::Call(call.with_action(ActionAttributes { mode, ..ActionAttributes::default() }))
}

fn text(part: u32, last: bool, text: &'static str) -> Fragment<'static> {
    Fragment::Text(TextFragment { kind: TextKind::Respond { last }, part, id: None, text })
}

fn ok(id: &str, content: &str) -> CallResult {
    CallResult::success(id, "t", "", content)
}

/// A turn in the dialect `action`.
fn turn(accumulator: Accumulator) -> Turn {
    Turn::new(accumulator).with_described(described)
}

fn end(turn: &mut Turn, id: &str, content: &str) -> Vec<String> {
    turn.plan.finish(id, ok(id, content));
    turn.steps(Accumulator::report)
}

/// A step in a few words.
fn described(step: Step<'_>) -> Option<String> {
    Some(match step {
        Step::Show(text) => format!("show {} {}", text.part, text.text),
        Step::Report(PlanUpdate::End { id, how }) => format!("{} {id}", how.as_str()),
        Step::Emit(Event::Respond(respond)) => {
            let wire = respond.wire.map(|wire| format!(" for {wire}")).unwrap_or_default();
            format!("respond {}{wire}", respond.content)
        }
        Step::Emit(Event::Error(fault)) => fault.code,
        Step::Emit(event) => event.type_name().to_owned(),
        Step::Stop(why) => format!("stop {why:?}"),
        _ => return None,
    })
}

#[test]
fn answer_waits_for_named_output() {
    let mut turn = turn(Accumulator::new().with_names());
    assert_eq!(turn.push([action("a", CallMode::Async)]), ["call", "run a"]);
    assert_eq!(turn.push([text(1, false, "It is $a")]), ["show 1 It is "]);
    assert_eq!(turn.push([text(1, false, ".\n")]), [""; 0]);
    assert_eq!(turn.push([Fragment::Close { part: 1 }]), [""; 0]);
    // A thought waits for nothing.
    let thought =
        Fragment::Text(TextFragment { kind: TextKind::Think, part: 2, id: None, text: "hm" });
    assert_eq!(turn.push([thought]), ["show 2 hm"]);
    assert_eq!(turn.push([Fragment::Close { part: 2 }]), ["think"]);
    assert_eq!(turn.push([text(3, true, "$none")]), [""; 0]);
    assert_eq!(turn.push([Fragment::Close { part: 3 }]), ["unbound"]);
    // After the final answer nothing starts.
    let late = turn.push([action("b", CallMode::Async)]);
    assert_eq!(late, ["call", "skipped b", "result"]);
    let ended = end(&mut turn, "a", "seven");
    let want = [
        "ok a",
        "result",
        "show 1 seven",
        "show 1 .\n",
        "respond It is seven. for It is $a.",
        "show 3 $none",
        "respond $none",
    ];
    assert_eq!(ended, want);
    assert_eq!(turn.steps(Accumulator::finish), [""; 0]);
    assert!(turn.plan.is_settled());
}

#[test]
fn waiting_for_nothing_is_decided_at_end() {
    let mut turn = turn(Accumulator::new().with_names());
    let depends_on = vec!["never".to_owned()];
    let call = Call::parse("a", r#"{"name":"t"}"#).unwrap();
    let call = call.with_action(ActionAttributes {
        depends_on,
        mode: CallMode::Async,
        ..ActionAttributes::default()
    });
    assert_eq!(turn.push([Fragment::Call(call)]), ["call"]);
    assert_eq!(turn.push([text(1, true, "x $a")]), ["show 1 x "]);
    assert_eq!(turn.push([Fragment::Close { part: 1 }]), [""; 0]);
    let want = ["failed a", "result", "show 1 $a", "unbound", "respond x $a"];
    assert_eq!(turn.steps(Accumulator::finish), want);
}

#[test]
fn outputs_cannot_make_answer_exceed_turn_limit() {
    let limits = AnswerLimits { bytes: 100, ..AnswerLimits::default() };
    let mut turn = turn(Accumulator::with_limits(limits).with_names());
    turn.push([action("a", CallMode::Async)]);
    end(&mut turn, "a", &"x".repeat(60));
    let shown = turn.push([text(1, true, "$a $a $a")]);
    assert_eq!(shown[..2], [format!("show 1 {}", "x".repeat(60)), "show 1  ".to_owned()]);
    // The part that was shown is closed, so that it is stored.
    assert_eq!(shown[2], format!("respond {} for $a $a $a", "x".repeat(60)));
    assert_eq!(shown[3..], ["too_much", "stop TooMuch"]);
}

/// The names of other dialects are text.
#[test]
fn a_batch_has_no_names() {
    let mut turn = turn(Accumulator::new());
    turn.push([action("a", CallMode::Async)]);
    assert_eq!(turn.push([text(1, true, "$a $$a")]), ["show 1 $a $$a"]);
}
