//! One turn, driven by hand.

mod names;

use silcrow_accumulate::{Accumulator, AnswerCap, AnswerLimits, Step, StopReason};
use silcrow_event::{
    Call, CallResult, CallTextFragment, Event, Fragment, InvalidCall, TextFragment, TextKind,
    Think, ThoughtOrigin,
};
use silcrow_plan::PlanDecision;

/// Steps in a few words.
fn steps(
    turn: &mut Accumulator,
    fragments: impl IntoIterator<Item = Fragment<'static>>,
) -> Vec<String> {
    let mut log = Vec::new();
    for fragment in fragments {
        turn.push(fragment, &mut |step| log.push(said(step)));
    }
    log
}

fn said(step: Step<'_>) -> String {
    match step {
        Step::Show(text) => format!("show {} {:?}", text.part, text.text),
        Step::ShowCall(CallTextFragment { call, name, text }) => {
            format!("show call {call} {name:?} {text:?}")
        }
        Step::Emit(event) => format!("emit {}", event.to_json()),
        Step::Plan(PlanDecision::Start(ready)) => format!("run {}", ready.id()),
        Step::Plan(PlanDecision::End { id, how }) => format!("{} {id}", how.as_str()),
        Step::Stop(why) => format!("stop {why:?}"),
        other => panic!("{other:?}"),
    }
}

fn text(part: u32, text: &'static str) -> Fragment<'static> {
    Fragment::Text(TextFragment { voice: TextKind::Respond { last: true }, part, text })
}

/// Wire text that is one answer without a delimiter, as a parser takes it.
fn read(turn: &mut Accumulator, wire: &'static str) -> Vec<String> {
    let admitted = turn.admit(wire);
    let mut log = Vec::new();
    if !admitted.is_empty() {
        log = steps(turn, [text(1, admitted)]);
    }
    if admitted.len() < wire.len() {
        turn.too_much(&mut |step| log.push(said(step)));
    }
    log
}

fn call(id: &str) -> Fragment<'static> {
    Fragment::Call(Call::parse(id, r#"{"name":"t"}"#).unwrap())
}

#[test]
fn a_text_is_shown_at_once_and_emitted_when_it_closes() {
    let mut turn = Accumulator::new();
    let shown = steps(&mut turn, [text(1, "a "), text(1, "b\n"), Fragment::Close { part: 1 }]);
    let respond = Event::respond("a b").to_json();
    assert_eq!(shown, ["show 1 \"a \"", "show 1 \"b\\n\"", &format!("emit {respond}")]);
}

#[test]
fn a_batch_is_emitted_before_it_runs_and_then_reading_stops() {
    let mut turn = Accumulator::new();
    let done = steps(
        &mut turn,
        [call("a1"), call("a2"), Fragment::Execute, text(1, "late"), Fragment::End],
    );
    let kinds: Vec<_> = done.iter().map(|step| step.split('"').next().unwrap()).collect();
    assert_eq!(kinds, ["emit {", "emit {", "emit {", "run a1", "run a2", "stop Execute"]);
    assert!(done[2].contains("execute"));
    assert!(turn.is_running() && !turn.is_ended());
    for id in ["a2", "a1"] {
        turn.outcome(id, CallResult::success(id, "t", "", "done"), &mut |_| {});
    }
    assert_eq!(turn.take_results().unwrap().len(), 2);
}

#[test]
fn a_turn_that_is_given_up_starts_nothing_and_answers_every_call() {
    let mut turn = Accumulator::new();
    steps(&mut turn, [call("a1")]);
    turn.abort("cancelled", "the answer was cut", &mut |_| {});
    let rest = steps(&mut turn, [call("a2"), Fragment::Execute]);
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert_eq!(rest[1], "cancelled a2");
    let bad = InvalidCall { id: "a3".to_owned(), why: "cut".to_owned(), truncated: true };
    steps(&mut turn, [Fragment::InvalidCall(bad)]);
    let results = turn.take_results().unwrap();
    let contents: Vec<_> = results.iter().map(|result| result.content.text()).collect();
    assert_eq!(contents, ["the answer was cut", "the answer was cut", "cut"]);
}

#[test]
fn reasoning_is_a_thought_of_the_providers_with_a_part_of_its_own() {
    let mut turn = Accumulator::new();
    let mut log = Vec::new();
    turn.reason("hm ", &mut |step| log.push(said(step)));
    turn.reason("so ", &mut |step| log.push(said(step)));
    log.append(&mut steps(&mut turn, [text(1, "a")]));
    turn.reason("more", &mut |step| log.push(said(step)));
    log.append(&mut steps(&mut turn, [text(1, "b"), Fragment::Close { part: 1 }, text(2, "c")]));
    let thought = |content: &str| {
        let think = Think { content: content.to_owned(), origin: ThoughtOrigin::Provider };
        format!("emit {}", Event::Think(think).to_json())
    };
    assert_eq!(
        log,
        [
            "show 1 \"hm \"".to_owned(),
            "show 1 \"so \"".to_owned(),
            thought("hm so"),
            "show 2 \"a\"".to_owned(),
            "show 3 \"more\"".to_owned(),
            thought("more"),
            "show 2 \"b\"".to_owned(),
            format!("emit {}", Event::respond("ab").to_json()),
            "show 4 \"c\"".to_owned(),
        ]
    );
}

/// Call text is no event: what is around it is the same without it.
#[test]
fn a_call_being_written_is_shown_and_ends_no_reasoning() {
    let mut turn = Accumulator::new();
    let mut log = Vec::new();
    turn.reason("hm ", &mut |step| log.push(said(step)));
    let piece = CallTextFragment { call: 1, name: Some("t"), text: "{" };
    log.append(&mut steps(&mut turn, [Fragment::CallText(piece)]));
    turn.reason("so", &mut |step| log.push(said(step)));
    log.append(&mut steps(&mut turn, [call("a1")]));
    assert_eq!(log[..3], ["show 1 \"hm \"", "show call 1 Some(\"t\") \"{\"", "show 1 \"so\""]);
    assert!(log[3].contains("hm so") && log[4].contains("a1"), "{log:?}");
}

#[test]
fn a_turn_of_too_much_text_ends_at_the_limit() {
    let limits = AnswerLimits { bytes: 5, events: 10 };
    for pieces in [&["abcdeßg"][..], &["abc", "deß", "g"], &["abcd", "e", "ß", "g"]] {
        let mut turn = Accumulator::with_limits(limits);
        let done: Vec<_> = pieces.iter().flat_map(|piece| read(&mut turn, piece)).collect();
        let [.., event, note, stop] = &*done else { panic!("{done:?}") };
        assert_eq!(*event, format!("emit {}", Event::respond("abcde").to_json()));
        assert!(note.contains("too_much"), "{note}");
        assert_eq!(*stop, format!("stop {:?}", StopReason::TooMuch));
    }
    // No character is cut, and a text of just so much is not too much.
    let mut turn = Accumulator::with_limits(limits);
    let done = read(&mut turn, "abcdß");
    assert_eq!(done[0], "show 1 \"abcd\"");
    let mut turn = Accumulator::with_limits(limits);
    assert_eq!(read(&mut turn, "abcß").len(), 1);
    assert_eq!(steps(&mut turn, [Fragment::Close { part: 1 }]).len(), 1);
}

/// What becomes of the bytes does not matter: these give no fragment at all.
#[test]
fn bytes_that_become_nothing_count_and_pending_calls_are_answered() {
    let mut turn = Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 });
    steps(&mut turn, [call("a1")]);
    assert_eq!(
        (turn.admit("\n\n\n"), turn.admit("\n\n\n"), turn.admit("\n")),
        ("\n\n\n", "\n\n", "")
    );
    let mut log = Vec::new();
    turn.too_much(&mut |step| log.push(said(step)));
    assert!(log[0].contains("too_much"), "{log:?}");
    assert_eq!(log[1..], ["cancelled a1", "stop TooMuch"]);
    assert_eq!(steps(&mut turn, [text(1, "late"), Fragment::Execute]), [""; 0]);
}

/// Once reading has stopped, more of the same chunk does not turn a good end into a bad one.
#[test]
fn what_follows_a_stop_is_not_too_much() {
    let mut turn = Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 });
    let fits = turn.admit("123456");
    assert_eq!(steps(&mut turn, [call("a1"), Fragment::Execute]).last().unwrap(), "stop Execute");
    assert_eq!(fits, "12345");
    let mut log = Vec::new();
    turn.too_much(&mut |step| log.push(said(step)));
    assert!(log.is_empty() && turn.is_running(), "{log:?}");
}

#[test]
fn a_turn_of_too_many_events_ends_and_its_calls_are_answered() {
    let mut turn = Accumulator::with_limits(AnswerLimits { bytes: 5, events: 2 });
    let done = steps(&mut turn, [call("a1"), call("a2"), Fragment::Execute]);
    assert!(done[2].contains("too_much"), "{done:?}");
    assert_eq!(done[3..], ["cancelled a1", "cancelled a2", "stop TooMuch"]);
    assert!(!turn.is_running());
    assert_eq!(turn.take_results().unwrap().len(), 2);
}

#[test]
fn reasoning_counts_too() {
    let mut turn = Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 });
    let mut log = read(&mut turn, "ab");
    turn.reason("cdefg", &mut |step| log.push(said(step)));
    assert_eq!(log[..2], ["show 1 \"ab\"", "show 2 \"cde\""]);
    assert!(log[2].contains("cde") && log[3].contains("ab"), "{log:?}");
    assert!(log[4].contains("too_much") && log[5].starts_with("stop TooMuch"), "{log:?}");

    let mut turn = Accumulator::with_limits(AnswerLimits { bytes: 50, events: 1 });
    let mut log = steps(&mut turn, [call("a1")]);
    turn.reason("a", &mut |step| log.push(said(step)));
    assert!(log[1].contains("too_much"), "{log:?}");
    assert_eq!(log[2..], ["cancelled a1", "stop TooMuch"]);
}

/// For those who only read: an execution point ends nothing.
#[test]
fn a_cap_passes_all_until_it_is_too_much() {
    let mut cap = AnswerCap::new(AnswerLimits { bytes: 9, events: 3 });
    let mut passed = Vec::new();
    for fragment in [call("a1"), Fragment::Execute, text(1, "ab"), call("a2"), call("a3")] {
        cap.push(fragment, |fragment| passed.push(format!("{fragment:?}")));
    }
    assert!(cap.is_over());
    let kinds: Vec<_> = passed.iter().map(|kind| kind.split(['(', ' ']).next().unwrap()).collect();
    assert_eq!(kinds, ["Call", "Execute", "Text", "Call", "Close", "Diagnostic"]);
}
