//! A run that is parked, answered, killed and continued at random, and compared with one that held.

use std::sync::Arc;

use silcrow_agent::{ErrorKind, ParkedQuestion, QuestionAnswer, RunOutcome};
use silcrow_event::{Approval, ApprovalState, Entry, Event};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::checks;
use super::mortal::Death;
use super::process::{Process, Ran, World};
use super::script::Script;
use crate::support::Random;

/// A run in many processes.
pub(super) struct ParkedHistory {
    world: World,
    held: Vec<Entry>,
    random: Random,
    processes: u64,
    /// Of how many processes one is killed; 0 for none.
    kill_one_in: u64,
    /// Whether a kill left something unknown or unread.
    pub(super) is_excused: bool,
    pub(super) kills: u64,
    /// The answers that were stored for parked questions.
    pub(super) given: Vec<GivenAnswer>,
    pub(super) refusals: u64,
}

/// An answer to a parked question.
pub(super) type GivenAnswer = (ParkedQuestion, ApprovalDecision);

impl ParkedHistory {
    /// Runs the script of a seed both ways, and checks the law.
    pub(super) fn run(seed: u64) -> Self {
        let mut random = Random(seed ^ 0x5eed);
        let script = Arc::new(Script::new(seed));
        let holding = World::new(&script);
        let process = Process { is_asked_at_once: random.one_in(2), ..Process::default() };
        let held = holding.run(process).expect("nothing kills it");
        assert_eq!(held.outcome.as_ref().ok(), Some(&RunOutcome::Answered), "{holding}");
        let mut history = Self {
            world: World::new(&script),
            held: holding.entries(),
            kill_one_in: [2, 4, 0][random.below(3) as usize],
            random,
            processes: 0,
            is_excused: false,
            kills: 0,
            given: Vec::new(),
            refusals: 0,
        };
        let last = history.live();
        let Self { world, held: holds, given, is_excused, .. } = &history;
        checks::calls(world, given);
        if !is_excused {
            checks::same(world, holds);
            if let Some(last) = last.filter(|_| !script.ends_alone) {
                checks::same_text(world, &last, holds, &held);
            }
        }
        history
    }

    /// Runs one process after the other until the run is over. Returns the last one, if it found
    /// something to do.
    fn live(&mut self) -> Option<Ran> {
        let world = self.world.clone();
        let process = self.process();
        let mut ran = self.world.run(process);
        loop {
            assert!(self.processes < 500, "it does not end: {world}");
            match ran.as_ref().map(|ran| &ran.outcome) {
                None => self.killed(),
                Some(Ok(RunOutcome::Answered)) => return ran,
                Some(Ok(RunOutcome::Waiting(asked))) => {
                    assert!(asked.iter().any(|asked| asked.answer.is_none()), "{world}");
                    assert_eq!(*asked, self.world.questions(), "{world}");
                }
                // It was killed when everything was stored.
                Some(Err(error)) if error.kind() == ErrorKind::Refused && self.kills > 0 => {
                    return None;
                }
                other => panic!("{other:?}: {world}"),
            }
            let process = self.process();
            ran = match self.world.entries().is_empty() {
                true => self.world.run(process),
                false => self.answer(process),
            };
        }
    }

    /// Chooses a process.
    fn process(&mut self) -> Process {
        let random = &mut self.random;
        self.processes += 1;
        let dies = self.kill_one_in > 0 && random.one_in(self.kill_one_in);
        let most = [4, 16][random.below(2) as usize];
        let death = Death { change: 1 + random.below(most), takes_effect: random.one_in(2) };
        Process {
            number: random.below(u64::MAX),
            parks: [1, 1, 2, 3][random.below(4) as usize],
            is_asked_at_once: random.one_in(2),
            death: dies.then_some(death),
        }
    }

    /// Answers some of the open questions in any order and by any means, and continues the run.
    fn answer(&mut self, process: Process) -> Option<Ran> {
        while self.random.one_in(2) {
            let (answers, process) = (self.choose(), self.process());
            let stored = self.give(&answers, |world, answers| world.answer(process, answers));
            if let Some(Err(why)) = stored {
                panic!("{why}: {}", self.world);
            }
            self.answer_again();
        }
        let answers = self.choose();
        self.give(&answers, |world, answers| world.resume(process, answers))
    }

    /// Returns answers to some of the questions that have none, in any order.
    fn choose(&mut self) -> Vec<GivenAnswer> {
        let mut open = self.world.questions();
        open.retain(|asked| asked.answer.is_none());
        let wanted = self.random.below(open.len() as u64 + 1);
        let answer = |_| {
            let asked = open.swap_remove(self.random.below(open.len() as u64) as usize);
            let decision = self.world.script.decide(&asked.question.scope, &asked.question.args);
            (asked, decision)
        };
        (0..wanted).map(answer).collect()
    }

    /// Gives answers to a process, which stores all of them; if it dies, it may store none.
    fn give<T>(
        &mut self,
        answers: &[GivenAnswer],
        process: impl FnOnce(&World, &[QuestionAnswer]) -> Option<T>,
    ) -> Option<T> {
        let bound: Vec<_> =
            answers.iter().map(|(asked, decision)| asked.answer(decision.clone())).collect();
        let before = self.world.entries().len();
        let done = process(&self.world, &bound);
        let entries = self.world.entries();
        let is_stored = |(asked, decision): &&GivenAnswer| {
            let state = match decision {
                ApprovalDecision::Deny(_) => ApprovalState::Denied,
                _ => ApprovalState::Allowed,
            };
            entries[before..].iter().any(|entry| {
                let is_it =
                    |found: &Approval| found.id == asked.question.id && found.state == state;
                entry.turn == Some(asked.turn)
                    && matches!(&entry.event, Event::Approval(found) if is_it(found))
            })
        };
        let stored = answers.iter().filter(is_stored).count();
        let world = &self.world;
        assert!(stored == answers.len() || done.is_none() && stored == 0, "{answers:?}: {world}");
        if stored > 0 {
            self.given.extend(answers.iter().cloned());
        }
        if done.is_none() {
            self.killed();
        }
        done
    }

    /// Answers a question a second time, which fails and stores nothing.
    fn answer_again(&mut self) {
        if self.given.is_empty() {
            return;
        }
        let (asked, decision) = &self.given[self.random.below(self.given.len() as u64) as usize];
        let other = match decision {
            ApprovalDecision::Deny(_) => ApprovalDecision::Allow(ApprovalScope::Once),
            _ => ApprovalDecision::Deny("no, after all".to_owned()),
        };
        let (answers, before) = ([asked.answer(other)], self.world.entries());
        let process = Process::default();
        let refused = match self.random.one_in(2) {
            true => self.world.answer(process, &answers).unwrap(),
            false => self.world.resume(process, &answers).unwrap().outcome.map(drop),
        };
        let error = refused.expect_err("it is answered already");
        assert_eq!(error.kind(), ErrorKind::Refused, "{}", self.world);
        assert_eq!(self.world.entries(), before, "{}", self.world);
        self.refusals += 1;
    }

    /// Notes a kill, and whether it left something unknown or unread.
    fn killed(&mut self) {
        self.kills += 1;
        self.is_excused |= checks::is_broken_off(&self.world, &self.held);
    }
}
