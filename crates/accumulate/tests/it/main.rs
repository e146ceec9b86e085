//! Tests of one turn through the public interface.

mod blocks;
mod names;

use silcrow_accumulate::{Accumulator, AnswerCap, AnswerLimits, Step, StopReason};
use silcrow_event::{
    Call, CallResult, CallTextFragment, Event, Fragment, InvalidCall, TextFragment, TextKind, Think,
};
use silcrow_plan::{Plan, PlanDecision, PlanUpdate};

/// An accumulator with its plan.
pub(crate) struct Turn {
    accumulator: Accumulator,
    pub(crate) plan: Plan,
    /// Writes a step in a few words.
    described: fn(Step<'_>) -> Option<String>,
}

impl Default for Turn {
    fn default() -> Self {
        Self::new(Accumulator::default())
    }
}

impl Turn {
    pub(crate) fn new(accumulator: Accumulator) -> Self {
        Self { accumulator, plan: Plan::new(), described: |step| Some(described(step)) }
    }

    pub(crate) fn with_described(self, described: fn(Step<'_>) -> Option<String>) -> Self {
        Self { described, ..self }
    }

    /// Lets the accumulator act, and returns its steps and then the calls that start.
    pub(crate) fn steps(
        &mut self,
        act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) -> Vec<String> {
        let mut log = Vec::new();
        act(&mut self.accumulator, &mut self.plan, &mut |step| log.extend((self.described)(step)));
        while let Some(decision) = self.plan.decide() {
            if let PlanDecision::Start(ready) = decision {
                log.push(format!("run {}", ready.id()));
            }
        }
        self.accumulator.resume(&mut self.plan, &mut |step| log.extend((self.described)(step)));
        log
    }

    pub(crate) fn push(
        &mut self,
        fragments: impl IntoIterator<Item = Fragment<'static>>,
    ) -> Vec<String> {
        let push = |fragment| self.steps(|turn, plan, take| turn.push(fragment, plan, take));
        fragments.into_iter().flat_map(push).collect()
    }

    fn reason(&mut self, text: &str) -> Vec<String> {
        self.steps(|turn, plan, take| turn.push_reasoning(text, plan, take))
    }

    fn too_much(&mut self) -> Vec<String> {
        self.steps(Accumulator::end_at_limit)
    }

    fn abort(&mut self, why: &str) -> Vec<String> {
        self.accumulator.abort();
        self.plan.cancel("cancelled", why);
        self.steps(Accumulator::report)
    }

    /// Passes wire text that is one answer without a delimiter, as a parser would.
    fn read(&mut self, wire: &'static str) -> Vec<String> {
        let admitted = self.accumulator.admit(wire);
        let mut log = Vec::new();
        if !admitted.is_empty() {
            log = self.push([text(1, admitted)]);
        }
        if admitted.len() < wire.len() {
            log.append(&mut self.too_much());
        }
        log
    }
}

/// A step in a few words.
fn described(step: Step<'_>) -> String {
    match step {
        Step::Show(text) => format!("show {} {:?}", text.part, text.text),
        Step::ShowCall(CallTextFragment { call, name, text, .. }) => {
            format!("show call {call} {name:?} {text:?}")
        }
        Step::Emit(Event::Result(result)) => format!("result {}", result.id.unwrap_or_default()),
        Step::Emit(event) => format!("emit {}", event.to_json()),
        Step::Report(PlanUpdate::End { id, how }) => format!("{} {id}", how.as_str()),
        Step::Stop(why) => format!("stop {why:?}"),
        other => panic!("{other:?}"),
    }
}

fn text(part: u32, text: &'static str) -> Fragment<'static> {
    Fragment::Text(TextFragment { kind: TextKind::Respond { last: true }, part, id: None, text })
}

fn call(id: &str) -> Fragment<'static> {
    Fragment::Call(Call::parse(id, r#"{"name":"t"}"#).unwrap())
}

#[test]
fn text_shows_immediately_and_is_emitted_when_closed() {
    let mut turn = Turn::default();
    let shown = turn.push([text(1, "a "), text(1, "b\n"), Fragment::Close { part: 1 }]);
    let respond = Event::respond("a b").to_json();
    assert_eq!(shown, ["show 1 \"a \"", "show 1 \"b\\n\"", &format!("emit {respond}")]);
}

#[test]
fn batch_is_emitted_before_reading_stops() {
    let mut turn = Turn::default();
    let done =
        turn.push([call("a1"), call("a2"), Fragment::Execute, text(1, "late"), Fragment::End]);
    let kinds: Vec<_> = done.iter().map(|step| step.split('"').next().unwrap()).collect();
    assert_eq!(kinds, ["emit {", "emit {", "emit {", "stop Execute", "run a1", "run a2"]);
    assert!(done[2].contains("execute"));
    assert!(turn.plan.is_running() && !turn.accumulator.is_ended());
    for id in ["a2", "a1"] {
        turn.plan.finish(id, CallResult::success(id, "t", "", "done"));
    }
    assert_eq!(turn.plan.take_results().unwrap().len(), 2);
}

/// The result of a call that started early is certain at its execution point, or when the turn is
/// given up (P-23).
#[test]
fn early_result_waits_for_execution_point() {
    for is_executed in [true, false] {
        let mut turn = Turn::default();
        turn.steps(|turn, plan, take| turn.push_early(call("a1"), plan, take));
        turn.plan.finish("a1", CallResult::success("a1", "t", "", "done"));
        assert_eq!(turn.steps(Accumulator::report), ["ok a1"]);
        let content = if is_executed {
            let done = turn.push([Fragment::Execute]);
            assert_eq!(done[1..], ["result a1", "stop Execute"]);
            "done"
        } else {
            assert_eq!(turn.abort("the answer was cut"), ["result a1"]);
            "the answer was cut"
        };
        assert_eq!(turn.plan.outcome("a1").unwrap().content, content);
    }
}

#[test]
fn abandoned_turn_answers_calls_and_starts_none() {
    let mut turn = Turn::default();
    turn.push([call("a1")]);
    turn.abort("the answer was cut");
    let rest = turn.push([call("a2"), Fragment::Execute]);
    assert_eq!(rest[1..], ["cancelled a2", "result a2"]);
    let bad = InvalidCall {
        id: "a3".to_owned(),
        why: "cut".to_owned(),
        truncated: true,
        text: "{".to_owned(),
    };
    turn.push([Fragment::InvalidCall(bad)]);
    let results = turn.plan.take_results().unwrap();
    let contents: Vec<_> = results.iter().map(|result| result.content.text()).collect();
    assert_eq!(contents, ["the answer was cut", "the answer was cut", "cut"]);
}

#[test]
fn provider_reasoning_is_a_separate_thought() {
    let mut turn = Turn::default();
    let mut log = Vec::new();
    log.append(&mut turn.reason("hm "));
    log.append(&mut turn.reason("so "));
    log.append(&mut turn.push([text(1, "a")]));
    log.append(&mut turn.reason("more"));
    log.append(&mut turn.push([text(1, "b"), Fragment::Close { part: 1 }, text(2, "c")]));
    let thought = |content: &str| {
        let think = Think::by_provider(content);
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

/// The text of a call changes nothing about the steps around it.
#[test]
fn unfinished_call_is_shown_and_keeps_reasoning_open() {
    let mut turn = Turn::default();
    let mut log = Vec::new();
    log.append(&mut turn.reason("hm "));
    let piece = CallTextFragment { call: 1, id: None, name: Some("t"), text: "{" };
    log.append(&mut turn.push([Fragment::CallText(piece)]));
    log.append(&mut turn.reason("so"));
    log.append(&mut turn.push([call("a1")]));
    assert_eq!(log[..3], ["show 1 \"hm \"", "show call 1 Some(\"t\") \"{\"", "show 1 \"so\""]);
    assert!(log[3].contains("hm so") && log[4].contains("a1"), "{log:?}");
}

#[test]
fn too_much_text_ends_turn_at_limit() {
    let limits = AnswerLimits { bytes: 5, events: 10 };
    for pieces in [&["abcdeßg"][..], &["abc", "deß", "g"], &["abcd", "e", "ß", "g"]] {
        let mut turn = Turn::new(Accumulator::with_limits(limits));
        let done: Vec<_> = pieces.iter().flat_map(|piece| turn.read(piece)).collect();
        let [.., event, note, stop] = &*done else { panic!("{done:?}") };
        assert_eq!(*event, format!("emit {}", Event::respond("abcde").to_json()));
        assert!(note.contains("too_much"), "{note}");
        assert_eq!(*stop, format!("stop {:?}", StopReason::TooMuch));
    }
    // No character is cut, and a text of exactly the limit is not too long.
    let mut turn = Turn::new(Accumulator::with_limits(limits));
    let done = turn.read("abcdß");
    assert_eq!(done[0], "show 1 \"abcd\"");
    let mut turn = Turn::new(Accumulator::with_limits(limits));
    assert_eq!(turn.read("abcß").len(), 1);
    assert_eq!(turn.push([Fragment::Close { part: 1 }]).len(), 1);
}

/// All bytes count, also those that become no fragment.
#[test]
fn dropped_bytes_count_and_pending_calls_are_answered() {
    let mut turn = Turn::new(Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 }));
    turn.push([call("a1")]);
    assert_eq!(
        (
            turn.accumulator.admit("\n\n\n"),
            turn.accumulator.admit("\n\n\n"),
            turn.accumulator.admit("\n")
        ),
        ("\n\n\n", "\n\n", "")
    );
    let log = turn.too_much();
    assert!(log[0].contains("too_much"), "{log:?}");
    assert_eq!(log[1..], ["cancelled a1", "result a1", "stop TooMuch"]);
    assert_eq!(turn.push([text(1, "late"), Fragment::Execute]), [""; 0]);
}

/// After a stop, the rest of the chunk does not turn a good end into a bad one.
#[test]
fn text_after_stop_does_not_exceed_limits() {
    let mut turn = Turn::new(Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 }));
    let fits = turn.accumulator.admit("123456");
    assert!(turn.push([call("a1"), Fragment::Execute]).contains(&"stop Execute".to_owned()));
    assert_eq!(fits, "12345");
    let log = turn.too_much();
    assert!(log.is_empty() && turn.plan.is_running(), "{log:?}");
}

#[test]
fn too_many_events_end_turn_and_answer_calls() {
    let mut turn = Turn::new(Accumulator::with_limits(AnswerLimits { bytes: 5, events: 2 }));
    let done = turn.push([call("a1"), call("a2"), Fragment::Execute]);
    assert!(done[2].contains("too_much"), "{done:?}");
    assert_eq!(
        done[3..],
        ["cancelled a1", "result a1", "cancelled a2", "result a2", "stop TooMuch"]
    );
    assert!(!turn.plan.is_running());
    assert_eq!(turn.plan.take_results().unwrap().len(), 2);
}

#[test]
fn reasoning_counts_too() {
    let mut turn = Turn::new(Accumulator::with_limits(AnswerLimits { bytes: 5, events: 10 }));
    let mut log = turn.read("ab");
    log.append(&mut turn.reason("cdefg"));
    assert_eq!(log[..2], ["show 1 \"ab\"", "show 2 \"cde\""]);
    assert!(log[2].contains("cde") && log[3].contains("ab"), "{log:?}");
    assert!(log[4].contains("too_much") && log[5].starts_with("stop TooMuch"), "{log:?}");

    let mut turn = Turn::new(Accumulator::with_limits(AnswerLimits { bytes: 50, events: 1 }));
    let mut log = turn.push([call("a1")]);
    log.append(&mut turn.reason("a"));
    assert!(log[1].contains("too_much"), "{log:?}");
    assert_eq!(log[2..], ["cancelled a1", "result a1", "stop TooMuch"]);
}

/// A program that only reads continues after an execution point.
#[test]
fn cap_passes_everything_up_to_its_limit() {
    let mut cap = AnswerCap::new(AnswerLimits { bytes: 9, events: 3 });
    let mut passed = Vec::new();
    for fragment in [call("a1"), Fragment::Execute, text(1, "ab"), call("a2"), call("a3")] {
        cap.push(fragment, |fragment| passed.push(format!("{fragment:?}")));
    }
    assert!(cap.is_limit_exceeded());
    let kinds: Vec<_> = passed.iter().map(|kind| kind.split(['(', ' ']).next().unwrap()).collect();
    assert_eq!(kinds, ["Call", "Execute", "Text", "Call", "Close", "Diagnostic"]);
}
