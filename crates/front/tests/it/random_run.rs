//! Random runs, as events that a run emits.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use silcrow_event::{
    CallResult, ErrorEvent, ErrorOrigin, Event, Metric, Progress, Respond, RunEvent, Usage,
};
use silcrow_front::RunEnd;

use crate::run_writer::RunWriter;
use crate::scenario::Scenario;

/// One thing that a model does in a turn.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Think(String),
    Answer(String),
    Call {
        args: String,
        ends: CallFate,
        prints: bool,
    },
    /// A call of an agent, which answers this.
    Agent(String),
    Rejected(String),
    Notice,
    Steer,
    Fault,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CallFate {
    Succeeds,
    Fails,
    /// Its result comes at the end of the run.
    Late,
}

/// Turns of deeds, and whether they come in pieces.
pub(crate) fn run() -> impl Strategy<Value = (Vec<Vec<Deed>>, bool)> {
    let text = || "[a-zé§<>\"\\\\ \n]{1,12}".prop_map(|text| format!("x{text}x"));
    let args = prop_oneof![
        Just("{}".to_owned()),
        "[a-z\u{e9} ]{0,8}".prop_map(|text| format!("{{\"text\":\"{text}\",\"n\":[1,{{}}]}}")),
    ];
    let fate = prop_oneof![Just(CallFate::Succeeds), Just(CallFate::Fails), Just(CallFate::Late)];
    let deed = prop_oneof![
        3 => text().prop_map(Deed::Think),
        3 => text().prop_map(Deed::Answer),
        4 => (args, fate, any::<bool>())
            .prop_map(|(args, ends, prints)| Deed::Call { args, ends, prints }),
        1 => text().prop_map(Deed::Agent),
        1 => text().prop_map(Deed::Rejected),
        1 => Just(Deed::Notice),
        1 => Just(Deed::Steer),
        1 => Just(Deed::Fault),
    ];
    (vec(vec(deed, 0..6), 1..4), any::<bool>())
}

/// Runs that end in any way, and some of which continue a client's history.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let failed = RunEnd::Failed { code: "spent".to_owned(), message: "Too much.".to_owned() };
    let end = prop_oneof![Just(RunEnd::Answered), Just(RunEnd::Stopped), Just(failed)];
    (run(), end, any::<Index>(), any::<Index>()).prop_map(
        |((turns, in_pieces), end, cut, known)| {
            let mut events = events(&turns, in_pieces);
            if end != RunEnd::Answered {
                events.truncate(cut.index(events.len() + 1));
            }
            let known = known.index(2 * events.len() + 1).saturating_sub(events.len());
            let rest = events.split_off(known);
            let known = events.into_iter().filter_map(|event| match event {
                RunEvent::Entry(entry) if entry.event.is_stored() => Some(*entry),
                _ => None,
            });
            Scenario { name: "random", known: known.collect(), events: rest, end }
        },
    )
}

/// Returns the events of a run.
pub(crate) fn events(turns: &[Vec<Deed>], in_pieces: bool) -> Vec<RunEvent> {
    let mut run = RunWriter::begin("Begin.", in_pieces.then_some(1));
    let mut late = Vec::new();
    for (turn, deeds) in (1..).zip(turns) {
        run.set_turn(turn);
        for (number, deed) in (1..).zip(deeds) {
            write(deed, number, &mut run, &mut late);
        }
        run.pass(Event::Metric(Metric::new(Usage::default(), Usage::default())));
    }
    for (turn, id) in late {
        run.set_turn(turn);
        run.store(Event::Result(CallResult::success(id, "slow", "done", "late")));
    }
    run.pass(Event::End);
    run.events
}

fn write(deed: &Deed, number: u32, run: &mut RunWriter, late: &mut Vec<(u32, String)>) {
    let id = format!("a{number}");
    match deed {
        Deed::Think(text) => run.think(text),
        Deed::Answer(text) => run.answer(text),
        Deed::Call { args, ends, prints } => {
            run.call(number, "file_read", args);
            run.start(&id, args);
            if *prints {
                let (channel, content) = ("stdout".to_owned(), "line\n".to_owned());
                run.pass(Event::Progress(Progress { id: id.clone(), channel, n: 0, content }));
            }
            let result = match ends {
                CallFate::Succeeds => CallResult::success(id, "file_read", "1 line", "text"),
                CallFate::Fails => CallResult::failure(id, Some("file_read"), "no file", "no"),
                CallFate::Late => return late.push((run.turn(), id)),
            };
            run.store(Event::Result(result));
        }
        Deed::Agent(text) => {
            run.call(number, "helper", "{\"task\":\"x\"}");
            run.agent(&id, [Event::user("x"), Event::respond(&**text)]);
            run.store(Event::Result(CallResult::success(id, "helper", "", &**text)));
        }
        Deed::Rejected(text) => {
            run.store(Event::Respond(Respond::malformed(&*id, &**text)));
            run.store(Event::Result(CallResult::framework_failure(id, None, "bad", "no call")));
        }
        Deed::Notice => run.store(Event::Notice { content: "Write a call.".to_owned() }),
        Deed::Steer => run.store(Event::steer("Faster.")),
        Deed::Fault => run.pass(Event::Error(ErrorEvent {
            code: "rate_limited".to_owned(),
            content: "wait".to_owned(),
            origin: ErrorOrigin::Provider,
            retry: true,
            at: None,
        })),
    }
}
