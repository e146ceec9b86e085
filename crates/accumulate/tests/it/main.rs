//! One turn, driven by hand.

use silcrow_accumulate::{Accumulator, Limits, Step, Why};
use silcrow_event::{BadCall, Call, Event, Fragment, Origin, Outcome, Text, Think, Voice};

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
        Step::Emit(event) => format!("emit {}", event.to_json()),
        Step::Run(ready) => format!("run {}", ready.id()),
        Step::Stop(why) => format!("stop {why:?}"),
        other => panic!("{other:?}"),
    }
}

fn text(part: u32, text: &'static str) -> Fragment<'static> {
    Fragment::Text(Text { voice: Voice::Respond { last: true }, part, text })
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
        turn.outcome(id, Outcome::success(id, "t", "", "done"));
    }
    assert_eq!(turn.take_results().unwrap().len(), 2);
}

#[test]
fn a_turn_that_is_given_up_starts_nothing_and_answers_every_call() {
    let mut turn = Accumulator::new();
    steps(&mut turn, [call("a1")]);
    turn.give_up("cancelled", "the answer was cut");
    let rest = steps(&mut turn, [call("a2"), Fragment::Execute]);
    assert_eq!(rest.len(), 1, "{rest:?}");
    let bad = BadCall { id: "a3".to_owned(), why: "cut".to_owned(), truncated: true };
    steps(&mut turn, [Fragment::BadCall(bad)]);
    let results = turn.take_results().unwrap();
    let contents: Vec<_> = results.iter().map(|result| result.content.as_str()).collect();
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
        let think = Think { content: content.to_owned(), origin: Origin::Provider };
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

#[test]
fn a_turn_that_is_too_much_ends() {
    let mut turn = Accumulator::with_limits(Limits { text: 5, events: 10 });
    let done = steps(&mut turn, [text(1, "abc"), text(1, "def"), text(1, "g")]);
    assert_eq!(done[0], "show 1 \"abc\"");
    assert_eq!(done[1], format!("emit {}", Event::respond("abc").to_json()));
    assert!(done[2].contains("too_much") && done[3] == format!("stop {:?}", Why::TooMuch));
    assert_eq!(done.len(), 4);

    let mut turn = Accumulator::with_limits(Limits { text: 5, events: 2 });
    let done = steps(&mut turn, [call("a1"), call("a2"), call("a3")]);
    assert!(done.last().unwrap().starts_with("stop TooMuch"), "{done:?}");
    assert_eq!(done.len(), 4);
}
