//! Turns of actions: outputs in answers, results as they come (P-22, P-24, P-26).

use silcrow_accumulate::{Accumulator, AnswerLimits, Step};
use silcrow_event::{
    ActionAttributes, Call, CallMode, CallResult, Event, Fragment, TextFragment, TextKind,
};
use silcrow_plan::PlanDecision;

fn action(id: &str, mode: CallMode) -> Fragment<'static> {
    let call = Call::parse(id, r#"{"name":"t"}"#).unwrap();
    Fragment::Call(call.with_action(ActionAttributes { mode, ..ActionAttributes::default() }))
}

fn text(part: u32, last: bool, text: &str) -> Fragment<'_> {
    Fragment::Text(TextFragment { voice: TextKind::Respond { last }, part, text })
}

fn ok(id: &str, content: &str) -> CallResult {
    CallResult::success(id, "t", "", content)
}

/// What it says when it takes something, in short.
fn said(take: impl FnOnce(&mut dyn FnMut(Step<'_>))) -> Vec<String> {
    let mut said = Vec::new();
    take(&mut |step| match step {
        Step::Show(text) => said.push(format!("show {} {}", text.part, text.text)),
        Step::Plan(PlanDecision::Start(ready)) => said.push(format!("start {}", ready.id())),
        Step::Plan(PlanDecision::End { id, how }) => said.push(format!("{} {id}", how.as_str())),
        Step::Emit(Event::Respond(respond)) => {
            let wire = respond.wire.map(|wire| format!(" for {wire}")).unwrap_or_default();
            said.push(format!("respond {}{wire}", respond.content));
        }
        Step::Emit(Event::Error(fault)) => said.push(fault.code),
        Step::Emit(event) => said.push(event.type_name().to_owned()),
        Step::Stop(why) => said.push(format!("stop {why:?}")),
        _ => {}
    });
    said
}

#[test]
fn an_answer_waits_for_the_output_that_it_names() {
    let mut turn = Accumulator::new().with_names();
    let push = |turn: &mut Accumulator, fragment| said(|take| turn.push(fragment, take));
    assert_eq!(push(&mut turn, action("a", CallMode::Async)), ["call", "start a"]);
    assert_eq!(push(&mut turn, text(1, false, "It is $a")), ["show 1 It is "]);
    assert_eq!(push(&mut turn, text(1, false, ".\n")), [""; 0]);
    assert_eq!(push(&mut turn, Fragment::Close { part: 1 }), [""; 0]);
    // A thought waits for nothing.
    let thought = Fragment::Text(TextFragment { voice: TextKind::Think, part: 2, text: "hm" });
    assert_eq!(push(&mut turn, thought), ["show 2 hm"]);
    assert_eq!(push(&mut turn, Fragment::Close { part: 2 }), ["think"]);
    assert_eq!(push(&mut turn, text(3, true, "$none")), [""; 0]);
    assert_eq!(push(&mut turn, Fragment::Close { part: 3 }), ["unbound"]);
    // Behind the final answer nothing starts.
    let late = push(&mut turn, action("b", CallMode::Async));
    assert_eq!(late, ["call", "skipped b", "result"]);
    let ended = said(|take| turn.outcome("a", ok("a", "seven"), take));
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
    assert_eq!(said(|take| turn.finish(take)), [""; 0]);
    assert!(turn.is_settled());
}

#[test]
fn what_waits_for_nothing_that_comes_is_decided_at_the_end() {
    let mut turn = Accumulator::new().with_names();
    let depends_on = vec!["never".to_owned()];
    let call = Call::parse("a", r#"{"name":"t"}"#).unwrap();
    let call = call.with_action(ActionAttributes {
        depends_on,
        mode: CallMode::Async,
        ..ActionAttributes::default()
    });
    assert_eq!(said(|take| turn.push(Fragment::Call(call), take)), ["call"]);
    assert_eq!(said(|take| turn.push(text(1, true, "x $a"), take)), ["show 1 x "]);
    assert_eq!(said(|take| turn.push(Fragment::Close { part: 1 }, take)), [""; 0]);
    let want = ["failed a", "result", "show 1 $a", "unbound", "respond x $a"];
    assert_eq!(said(|take| turn.finish(take)), want);
}

#[test]
fn outputs_make_no_answer_longer_than_a_turn_may_be() {
    let limits = AnswerLimits { bytes: 100, ..AnswerLimits::default() };
    let mut turn = Accumulator::with_limits(limits).with_names();
    said(|take| turn.push(action("a", CallMode::Async), take));
    said(|take| turn.outcome("a", ok("a", &"x".repeat(60)), take));
    let told = said(|take| turn.push(text(1, true, "$a $a $a"), take));
    assert_eq!(told[..2], [format!("show 1 {}", "x".repeat(60)), "show 1  ".to_owned()]);
    // What was shown is closed, so that it is stored.
    assert_eq!(told[2], format!("respond {} for $a $a $a", "x".repeat(60)));
    assert_eq!(told[3..], ["too_much", "stop TooMuch"]);
}

/// The names of other dialects are text.
#[test]
fn a_batch_has_no_names() {
    let mut turn = Accumulator::new();
    said(|take| turn.push(action("a", CallMode::Async), take));
    assert_eq!(said(|take| turn.push(text(1, true, "$a $$a"), take)), ["show 1 $a $$a"]);
}
