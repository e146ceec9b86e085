//! The laws of a transcript.

use std::collections::BTreeMap;

use proptest::prelude::*;
use silcrow_event::RunEvent;
use silcrow_front::{CalledAgent, TranscriptChange, TranscriptReader};

use crate::random_run::{events, run};

/// A transcript as a reader keeps it; it rejects changes in a wrong order.
#[derive(Debug, Default, PartialEq)]
struct Kept {
    texts: BTreeMap<String, (String, bool)>,
    /// The name, the arguments in pieces, whether it is written, and whether it has ended.
    calls: BTreeMap<String, (String, String, bool, bool)>,
    agents: BTreeMap<String, bool>,
    turns: Vec<(u32, bool)>,
}

impl Kept {
    fn change(&mut self, agent: Option<&CalledAgent>, change: TranscriptChange<'_>) {
        if let Some(agent) = agent {
            let is_over = self.agents.get(&agent.id).copied();
            let expected = if change == TranscriptChange::AgentBegan { None } else { Some(false) };
            assert_eq!(is_over, expected, "{change:?} of {agent:?}");
        }
        match change {
            TranscriptChange::AgentBegan => {
                let agent = agent.unwrap();
                let call = &self.calls[agent.call.as_ref().unwrap()];
                assert!(call.2 && !call.3);
                self.agents.insert(agent.id.clone(), false);
            }
            TranscriptChange::AgentEnded => {
                self.agents.insert(agent.unwrap().id.clone(), true);
            }
            TranscriptChange::TurnBegan(turn) => {
                assert!(self.turns.last().is_none_or(|(last, is_over)| *last < turn && *is_over));
                self.turns.push((turn, false));
            }
            TranscriptChange::TurnEnded(turn) => {
                assert_eq!(self.turns.pop(), Some((turn, false)));
                self.turns.push((turn, true));
            }
            TranscriptChange::TextBegan { text, .. } => {
                assert!(self.texts.values().all(|(_, is_over)| *is_over) || agent.is_some());
                assert_eq!(self.texts.insert(text.to_owned(), Default::default()), None);
            }
            TranscriptChange::TextGrew { text, piece } => {
                let kept = self.texts.get_mut(text).unwrap();
                assert!(!kept.1 && !piece.is_empty());
                kept.0.push_str(piece);
            }
            TranscriptChange::TextEnded { text } => {
                let kept = self.texts.get_mut(text).unwrap();
                assert!(!std::mem::replace(&mut kept.1, true));
                kept.0.truncate(kept.0.trim_end().len());
            }
            TranscriptChange::CallBegan { call, name } => {
                let begun = (name.to_owned(), String::new(), false, false);
                assert_eq!(self.calls.insert(call.to_owned(), begun), None);
            }
            TranscriptChange::ArgsGrew { call, piece } => {
                let kept = self.calls.get_mut(call).unwrap();
                assert!(!kept.2 && !piece.is_empty());
                kept.1.push_str(piece);
            }
            TranscriptChange::CallWritten { call, name, args, .. } => {
                let kept = self.calls.get_mut(call).unwrap();
                assert_eq!((&*kept.0, &*kept.1), (name, args));
                assert!(!std::mem::replace(&mut kept.2, true));
            }
            TranscriptChange::CallRejected { call, .. } => {
                let kept = self.calls.get_mut(call).unwrap();
                assert!(!std::mem::replace(&mut kept.2, true));
            }
            TranscriptChange::CallStarted { call, .. }
            | TranscriptChange::CallPrinted { call, .. } => {
                assert!(self.calls[call].2 && !self.calls[call].3);
            }
            TranscriptChange::CallEnded { call, .. } => {
                let kept = self.calls.get_mut(call).unwrap();
                assert!(kept.2 && !std::mem::replace(&mut kept.3, true));
            }
            _ => {}
        }
    }

    fn read(events: &[RunEvent]) -> Self {
        let (mut kept, mut reader) = (Self::default(), TranscriptReader::new("talk"));
        for event in events {
            reader.push(event.as_ref(), &mut |agent, change| kept.change(agent, change));
        }
        reader.end(&mut |agent, change| kept.change(agent, change));
        kept
    }
}

proptest! {
    #[test]
    fn items_begin_grow_and_end_once((turns, in_pieces) in run()) {
        let kept = Kept::read(&events(&turns, in_pieces));
        prop_assert!(kept.texts.values().all(|(_, is_over)| *is_over));
        prop_assert!(kept.calls.values().all(|call| call.2 && call.3));
        prop_assert!(kept.agents.values().all(|is_over| *is_over));
        prop_assert!(kept.turns.iter().all(|(_, is_over)| *is_over));
    }

    #[test]
    fn stored_log_gives_same_transcript_as_run((turns, _) in run()) {
        let run = Kept::read(&events(&turns, true));
        prop_assert_eq!(run, Kept::read(&events(&turns, false)));
    }

    /// A client that has read up to any event gets the same ids for later changes.
    #[test]
    fn a_transcript_continues_from_any_position((turns, _) in run(), at in any::<prop::sample::Index>()) {
        let events = events(&turns, false);
        let at = at.index(events.len() + 1);
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        let mut reader = TranscriptReader::new("talk");
        for (number, event) in events.iter().enumerate() {
            reader.push(event.as_ref(), &mut |_, change| {
                if number >= at {
                    whole.push(format!("{change:?}"));
                }
            });
        }
        let mut reader = TranscriptReader::new("talk");
        for (number, event) in events.iter().enumerate() {
            if number >= at {
                reader.push(event.as_ref(), &mut |_, change| rest.push(format!("{change:?}")));
            } else if let RunEvent::Entry(entry) = event {
                reader.skip(entry);
            }
        }
        prop_assert_eq!(whole, rest);
    }

    /// An event of the log that comes again, as after a reconnection, changes nothing.
    #[test]
    fn repeated_event_changes_nothing((turns, _) in run()) {
        let events = events(&turns, false);
        let is_stored = |event: &&RunEvent| match event {
            RunEvent::Entry(entry) => entry.event.is_stored() && entry.agent_path.is_none(),
            _ => false,
        };
        let mut reader = TranscriptReader::new("talk");
        for event in &events {
            reader.push(event.as_ref(), &mut |_, _| ());
        }
        for event in events.iter().filter(is_stored) {
            reader.push(event.as_ref(), &mut |_, change| panic!("{change:?}"));
        }
    }
}
