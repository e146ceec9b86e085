//! The stored history is valid for any wire text, any chunks and any outcomes of tools.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use proptest::prelude::*;
use silcrow_agent::Agent;
use silcrow_context::assemble;
use silcrow_event::{ControlKind, Entry, Event, Role};
use silcrow_parser::{Dialect, Options, Parser, write};
use silcrow_provider::{Delta, Error, ErrorKind, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_testkit::{Joined, action_text, action_turn, random_chars, turn, wire_text};
use silcrow_tool::{CancellationToken, ToolError, ToolOutput};

use crate::support::{Answer, DeltaModel, run, tool, toolbox, with};

#[derive(Clone, Copy, Debug)]
enum End {
    Stop,
    Length,
    Error,
    Nothing,
}

fn answer() -> impl Strategy<Value = (Wire, u64, End)> {
    let wire = prop_oneof![
        wire_text().prop_map(Wire::Text),
        turn().prop_map(Wire::Turn),
        wire_text().prop_map(|text| Wire::Text(format!("{text}\n§execute\n"))),
    ];
    let end = prop_oneof![
        6 => Just(End::Stop), 1 => Just(End::Length), 1 => Just(End::Error), 1 => Just(End::Nothing),
    ];
    (wire, any::<u64>(), end)
}

#[derive(Clone, Debug)]
enum Wire {
    Text(String),
    Turn(Vec<Event>),
}

fn options() -> impl Strategy<Value = Options> {
    prop_oneof![
        Just(Options::new(Dialect::Sigil)),
        Just(Options::new(Dialect::Sigil).with_inline(true)),
        Just(Options::new(Dialect::Phase)),
    ]
}

/// Each call has one result, after it and before anything of the next turn.
fn assert_valid(entries: &[Entry]) {
    let mut open: Vec<(Option<u32>, String)> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::Call(call) => open.push((entry.turn, call.id().to_owned())),
            Event::Result(outcome) => {
                let id = outcome.id.clone().expect("our results have ids");
                let place = open.iter().position(|one| *one == (entry.turn, id.clone()));
                match place {
                    Some(place) => drop(open.remove(place)),
                    None => assert_eq!(outcome.tool(), None, "{id} has a result and no call"),
                }
            }
            Event::User { .. } | Event::Cancelled { .. } | Event::Notice { .. } => {
                assert!(open.is_empty(), "{open:?}");
            }
            _ => assert!(open.iter().all(|(turn, _)| *turn == entry.turn), "{open:?}"),
        }
    }
    assert!(open.is_empty(), "{open:?} have no result");
    let seqs: Vec<_> = entries.iter().map(|entry| entry.seq.unwrap()).collect();
    assert_eq!(seqs, (1..=entries.len() as u64).collect::<Vec<_>>());
}

/// Returns the events of the model in the order in which the parser would emit them from written
/// text, without malformed calls, whose text is written as it is.
fn spoken(events: Vec<Event>, options: Options) -> Vec<Event> {
    let mut events: Vec<Event> = events
        .into_iter()
        .filter_map(|event| match event {
            Event::Call(call) => Some(Event::Call(call.with_id(""))),
            Event::Respond(respond) if respond.malformed.is_some() => None,
            Event::Think(_) | Event::Respond(_) => Some(event),
            _ => None,
        })
        .collect();
    if options.dialect == Dialect::Phase {
        events.sort_by_key(|event| matches!(event, Event::Call(_)));
    }
    events
}

fn read_again(wire: &str, options: Options) -> Vec<Event> {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    parser.push(wire, &mut |fragment| joined.push(fragment));
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish().events()
}

proptest! {
    #[test]
    fn the_stored_history_is_valid(
        answers in prop::collection::vec(answer(), 1..4), options in options(), outcomes: u64,
    ) {
        let script = answers.into_iter().map(|(wire, seed, end)| {
            let wire = match wire {
                Wire::Text(text) => text,
                Wire::Turn(events) => write(&events, options),
            };
            let mut deltas: Vec<_> = random_chars(&wire, seed)
                .into_iter()
                .map(|piece| Ok(Delta::Text(piece.to_owned())))
                .collect();
            deltas.extend(match end {
                End::Stop => Some(Ok(Delta::Done(FinishReason::Stop))),
                End::Length => Some(Ok(Delta::Done(FinishReason::Length))),
                End::Error => Some(Err(Error::new(ErrorKind::Network, "gone"))),
                End::Nothing => None,
            });
            Answer { deltas, hangs: false }
        });
        let tool = tool("t", move |args: String, _| {
            let luck = (outcomes >> (args.len() % 60)) & 3;
            async move {
                match luck {
                    0 => Err(ToolError::new("§end no")),
                    1 => std::panic::resume_unwind(Box::new("thrown by the test")),
                    _ => Ok(ToolOutput::new("done", args)),
                }
            }
            .boxed()
        });
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(DeltaModel::new(script), Arc::clone(&store))
            .with_tools(toolbox([with(tool)]))
            .with_dialect(options)
            .with_max_steps(3);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ran = runtime.block_on(run(&agent, &store, "go", &CancellationToken::new()));

        assert_valid(&ran.stored);
        let events: Vec<Event> = ran.stored.iter().map(|entry| entry.event.clone()).collect();
        for (index, message) in assemble(&ran.stored, options).iter().enumerate() {
            let role = if index % 2 == 0 { Role::User } else { Role::Assistant };
            prop_assert_eq!(message.role, role);
        }
        for turn in events.split(|event| matches!(event, Event::User { .. } | Event::Result(_))) {
            let spoken = spoken(turn.to_vec(), options);
            let again = self::spoken(read_again(&write(&spoken, options), options), options);
            prop_assert_eq!(again, spoken);
        }
        // The pieces that were shown are the text that was stored.
        let shown: Vec<String> = ran.text.iter().map(|(_, text)| text.trim_end().to_owned()).collect();
        let said: Vec<String> = events.iter().filter_map(|event| match event {
            Event::Think(think) => Some(think.content.trim_end().to_owned()),
            Event::Respond(respond) if respond.malformed.is_none() => {
                Some(respond.content.trim_end().to_owned())
            }
            _ => None,
        }).collect();
        prop_assert_eq!(shown, said);
    }
}

/// In actions each call has exactly one later result, in the same turn, by the end of the run.
fn assert_answered(entries: &[Entry]) {
    let mut open = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for entry in entries {
        match &entry.event {
            Event::Call(call) => {
                assert!(open.insert((entry.turn, call.id().to_owned())), "{} twice", call.id());
            }
            Event::Result(outcome) => {
                let key = (entry.turn, outcome.id.clone().expect("our results have ids"));
                // A malformed call has no event, and a block is not a call.
                let is_other = outcome.tool().is_none_or(|tool| ControlKind::WORDS.contains(&tool));
                assert!(open.remove(&key) || is_other, "{key:?} has a result and no call");
                assert!(answered.insert(key.clone()), "{key:?} has two results");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?} have no result");
}

fn action_answer() -> impl Strategy<Value = (String, u64, End)> {
    let wire = prop_oneof![
        action_text(),
        wire_text(),
        action_turn().prop_map(|events| write(&events, Dialect::Action)),
    ];
    let end = prop_oneof![
        6 => Just(End::Stop), 1 => Just(End::Length), 1 => Just(End::Error), 1 => Just(End::Nothing),
    ];
    (wire, any::<u64>(), end)
}

proptest! {
    #[test]
    fn the_history_of_actions_is_valid(
        answers in prop::collection::vec(action_answer(), 1..4), outcomes: u64, stop in 0_u64..400,
    ) {
        let script = answers.into_iter().map(|(wire, seed, end)| {
            let pieces = random_chars(&wire, seed).into_iter();
            let mut deltas: Vec<_> = pieces.map(|piece| Ok(Delta::Text(piece.to_owned()))).collect();
            deltas.extend(match end {
                End::Stop => Some(Ok(Delta::Done(FinishReason::Stop))),
                End::Length => Some(Ok(Delta::Done(FinishReason::Length))),
                End::Error => Some(Err(Error::new(ErrorKind::Network, "gone"))),
                End::Nothing => None,
            });
            Answer { deltas, hangs: false }
        });
        // These are all names that the generators call.
        let names = ["t", "ls", "file_read", "a", "x"];
        let tools = names.map(|name| with(tool(name, move |args: String, _| {
            let luck = (outcomes >> (args.len() % 60)) & 7;
            async move {
                tokio::time::sleep(Duration::from_millis(luck * 40)).await;
                match luck {
                    0 | 1 => Err(ToolError::new("</results> no")),
                    2 => std::panic::resume_unwind(Box::new("thrown by the test")),
                    _ => Ok(ToolOutput::new("done", args)),
                }
            }
            .boxed()
        })));
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(DeltaModel::new(script), Arc::clone(&store))
            .with_tools(toolbox(tools))
            .with_dialect(Dialect::Action)
            .with_max_steps(3);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        let cancel = CancellationToken::new();
        // The run is stopped at some time, or not at all.
        let stops = async {
            if stop < 300 {
                tokio::time::sleep(Duration::from_millis(stop)).await;
                cancel.cancel();
            }
        };
        let (ran, ()) = runtime.block_on(async {
            tokio::join!(run(&agent, &store, "go", &cancel), stops)
        });
        assert_answered(&ran.stored);
        for (index, message) in assemble(&ran.stored, Dialect::Action).iter().enumerate() {
            let role = if index % 2 == 0 { Role::User } else { Role::Assistant };
            prop_assert_eq!(message.role, role);
        }
    }
}
