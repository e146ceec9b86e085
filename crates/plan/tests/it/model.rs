//! Random turns, in every order of arrival and end, compared with a naive reading of the clauses
//! P-20, P-22, P-24, P-25 and P-26.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::Index;
use silcrow_event::{ActionAttributes, Call, CallEnd, CallMode, OnError};
use silcrow_plan::{Plan, PlanDecision, PlanLimits, PlanUpdate};

use crate::play::{failed, failure, ok};

/// A call as the model writes it. Ids are `c0`, `c1`, …; numbers beyond the last are never written.
#[derive(Clone, Debug)]
struct Written {
    mode: CallMode,
    depends_on: Vec<usize>,
    /// The calls whose names are in its arguments. The names of later calls are unbound.
    uses: Vec<usize>,
    on_error: Option<OnError>,
    retry: Option<u32>,
    /// Whether each attempt succeeds, from the first on; the last value repeats.
    ends: Vec<bool>,
    /// Whether its failures are permanent, so that no retry helps.
    hopeless: bool,
}

impl Written {
    fn call(&self, index: usize) -> Call {
        let id = |call: &usize| format!("c{call}");
        let uses = Vec::from_iter(self.uses.iter().map(|call| format!("\"-$c{call}-\"")));
        let content = format!(r#"{{"name":"tool","args":{{"v":[{}]}}}}"#, uses.join(","));
        Call::parse(id(&index), content).unwrap().with_action(ActionAttributes {
            mode: self.mode,
            depends_on: self.depends_on.iter().map(id).collect(),
            retry: self.retry,
            on_error: self.on_error,
            ..ActionAttributes::default()
        })
    }

    fn attempts(&self) -> u32 {
        let unless_said = if self.on_error == Some(OnError::Retry) { 3 } else { 0 };
        1 + self.retry.unwrap_or(unless_said)
    }
}

/// An observer's knowledge of the turn.
struct Watched<'a> {
    calls: &'a [Written],
    arrived: usize,
    sealed: bool,
    /// The number of calls that were written before the final response.
    answered: Option<usize>,
    started: HashMap<usize, u32>,
    running: Vec<usize>,
    pausing: Vec<usize>,
    ended: HashMap<usize, CallEnd>,
    /// The calls that had ended when nothing more was decided the last time. A cycle fails as a
    /// whole.
    ended_before: HashMap<usize, CallEnd>,
    /// Whether a call failed whose `on_error` is `fail`.
    halted: bool,
    max_parallel: usize,
}

impl Watched<'_> {
    /// Returns the calls that a call waits for, among those written so far.
    fn waits(&self, call: usize) -> Vec<usize> {
        let written = &self.calls[call];
        let binds =
            |other: &&usize| **other < call && self.calls[**other].mode != CallMode::FireAndForget;
        let named = written.depends_on.iter().filter(|other| **other < self.arrived);
        named.chain(written.uses.iter().filter(binds)).copied().collect()
    }

    /// Whether a call waits for one that is not written, directly or not.
    fn waits_for_unwritten(&self, call: usize, seen: &mut Vec<usize>) -> bool {
        if seen.contains(&call) || self.ended_before.contains_key(&call) {
            return false;
        }
        seen.push(call);
        self.calls[call].depends_on.iter().any(|other| *other >= self.arrived)
            || self.waits(call).into_iter().any(|other| self.waits_for_unwritten(other, seen))
    }

    fn reaches(&self, from: usize, to: usize, seen: &mut Vec<usize>) -> bool {
        self.waits(from).into_iter().any(|next| {
            next == to
                || (!seen.contains(&next) && !self.ended_before.contains_key(&next) && {
                    seen.push(next);
                    self.reaches(next, to, seen)
                })
        })
    }

    /// Returns whether a call can never start, whatever follows.
    fn is_impossible(&self, call: usize) -> bool {
        let written = &self.calls[call];
        let forgotten = |other: &usize| {
            *other < self.arrived && self.calls[*other].mode == CallMode::FireAndForget
        };
        written.depends_on.iter().any(forgotten)
            || (self.sealed && written.depends_on.iter().any(|other| *other >= self.arrived))
            || (written.mode == CallMode::Sync && self.waits_for_unwritten(call, &mut Vec::new()))
            || self.reaches(call, call, &mut Vec::new())
    }

    fn is_after_answer(&self, call: usize) -> bool {
        self.answered.is_some_and(|answered| call >= answered)
            && self.calls[call].mode != CallMode::FireAndForget
    }

    /// Returns whether a call that this one waits for did not succeed.
    fn is_lost(&self, call: usize) -> bool {
        self.waits(call)
            .iter()
            .any(|other| self.ended.get(other).is_some_and(|how| *how != CallEnd::Ok))
    }

    /// Returns whether a call may start now.
    fn may_start(&self, call: usize) -> bool {
        let known = self.calls[call].depends_on.iter().all(|other| *other < self.arrived);
        let waits = self.waits(call);
        let free = waits.iter().all(|other| self.ended.get(other) == Some(&CallEnd::Ok));
        let sync = |other: usize| {
            self.calls[other].mode == CallMode::Sync && !self.ended.contains_key(&other)
        };
        known && free && !(0..call).any(sync)
    }

    fn see(&mut self, decision: &PlanDecision) {
        match decision {
            PlanDecision::Start(ready) => {
                let call = number(ready.id());
                assert!(self.may_start(call), "c{call} starts too early");
                assert!(!self.halted && !self.ended.contains_key(&call));
                assert!(!self.running.contains(&call) && !self.pausing.contains(&call));
                assert!(self.running.len() < self.max_parallel, "too many at once");
                let attempt = self.started.entry(call).or_default();
                *attempt += 1;
                assert_eq!(ready.attempt(), *attempt);
                assert!(*attempt <= self.calls[call].attempts());
                assert!(
                    !ready.args().contains("$c") || self.keeps_a_name(call),
                    "{}",
                    ready.args()
                );
                self.running.push(call);
            }
            PlanDecision::Retry { id, .. } => {
                let call = number(id);
                self.running.retain(|one| *one != call);
                self.pausing.push(call);
            }
            PlanDecision::Stop { .. } => assert!(self.halted),
            _ => {}
        }
    }

    fn hear(&mut self, update: &PlanUpdate) {
        let PlanUpdate::End { id, how } = update else { return };
        let call = number(id);
        self.running.retain(|one| *one != call);
        self.pausing.retain(|one| *one != call);
        match how {
            CallEnd::Ok => assert!(self.started.contains_key(&call)),
            CallEnd::Failed => match self.started.get(&call) {
                None => assert!(self.is_impossible(call), "c{call} cannot fail"),
                Some(attempts) => assert!(
                    self.calls[call].hopeless || *attempts == self.calls[call].attempts(),
                    "c{call} had attempts left"
                ),
            },
            CallEnd::Skipped => assert!(
                !self.started.contains_key(&call)
                    && (self.is_lost(call) || self.is_after_answer(call)),
                "c{call} was skipped without a reason"
            ),
            CallEnd::Cancelled => assert!(self.halted, "c{call} was cancelled"),
        }
        assert_eq!(self.ended.insert(call, *how), None, "c{call} ended twice");
        self.halted |= *how == CallEnd::Failed && self.calls[call].on_error == Some(OnError::Fail);
    }

    /// Returns whether a name in its arguments is not bound.
    fn keeps_a_name(&self, call: usize) -> bool {
        let unbound =
            |other: &usize| *other >= call || self.calls[*other].mode == CallMode::FireAndForget;
        self.calls[call].uses.iter().any(unbound)
    }

    /// Checks the invariants that hold whenever nothing more is decided.
    fn check(&mut self) {
        self.ended_before = self.ended.clone();
        for call in (0..self.arrived).filter(|call| !self.ended.contains_key(call)) {
            assert!(!self.halted, "c{call} outlives the turn");
            if self.running.contains(&call) || self.pausing.contains(&call) {
                continue;
            }
            assert!(!self.is_impossible(call), "c{call} waits for what cannot be");
            assert!(!self.is_lost(call), "c{call} waits for what is lost");
            assert!(!self.is_after_answer(call), "c{call} stands behind the answer");
            let full = self.running.len() >= self.max_parallel;
            assert!(full || !self.may_start(call), "c{call} does not start");
        }
    }
}

fn number(id: &str) -> usize {
    id[1..].parse().unwrap()
}

fn written() -> impl Strategy<Value = Vec<Written>> {
    let mode = prop_oneof![
        4 => Just(CallMode::Async),
        1 => Just(CallMode::Sync),
        1 => Just(CallMode::FireAndForget),
    ];
    let on_error = prop_oneof![
        8 => Just(None),
        1 => Just(Some(OnError::Skip)),
        1 => Just(Some(OnError::Retry)),
        1 => Just(Some(OnError::Fail)),
    ];
    let ends = prop::collection::vec(prop::bool::weighted(0.75), 1..4);
    // Mostly earlier calls, now and then later ones, itself, and one that never comes.
    let other = prop_oneof![6 => 0..4usize, 1 => 0..9usize];
    let one = (
        mode,
        prop::collection::vec(other.clone(), 0..3),
        prop::collection::vec(other, 0..2),
        on_error,
        prop::option::weighted(0.2, 0..3u32),
        ends,
        prop::bool::weighted(0.2),
    );
    let one = one.prop_map(|(mode, depends_on, uses, on_error, retry, ends, hopeless)| Written {
        mode,
        depends_on,
        uses,
        on_error,
        retry,
        ends,
        hopeless,
    });
    prop::collection::vec(one, 1..9).prop_map(|mut calls| {
        // Near the call itself, so that graphs are deep as often as they are broad.
        for (index, call) in calls.iter_mut().enumerate() {
            call.depends_on.iter_mut().chain(&mut call.uses).for_each(|other| {
                *other = if *other < 4 { index.saturating_sub(1 + *other) } else { *other };
            });
            call.depends_on.sort_unstable();
            call.depends_on.dedup();
        }
        calls
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_call_ends_once_with_a_reason(
        calls in written(),
        max_parallel in 1..4usize,
        answer in prop::option::weighted(0.2, 0..9usize),
        choices in prop::collection::vec(any::<Index>(), 200),
    ) {
        let mut plan = Plan::with_limits(PlanLimits { max_parallel, ..PlanLimits::default() });
        let mut turn = Watched {
            calls: &calls,
            arrived: 0,
            sealed: false,
            answered: None,
            started: HashMap::new(),
            running: Vec::new(),
            pausing: Vec::new(),
            ended: HashMap::new(),
            ended_before: HashMap::new(),
            halted: false,
            max_parallel,
        };
        let mut choices = choices.into_iter();
        loop {
            let pending = turn.running.len() + turn.pausing.len();
            let more = usize::from(!turn.sealed);
            if pending + more == 0 {
                break;
            }
            // In a turn this small 200 choices are enough.
            let choice = choices.next().unwrap().index(pending + more);
            if choice < turn.running.len() {
                let call = turn.running[choice];
                let attempt = turn.started[&call] as usize;
                let id = format!("c{call}");
                match *calls[call].ends.get(attempt - 1).or_else(|| calls[call].ends.last()).unwrap() {
                    true => ok(&mut plan, &id, "\"out\""),
                    false if calls[call].hopeless => failed(&mut plan, &id),
                    false => plan.fail(&id, failure(&id), 0),
                }
            } else if choice < pending {
                let call = turn.pausing.remove(choice - turn.running.len());
                plan.retry(&format!("c{call}"));
            } else if turn.arrived < calls.len() {
                if answer == Some(turn.arrived) {
                    plan.begin_final_response();
                    turn.answered = Some(turn.arrived);
                }
                turn.arrived += 1;
                plan.push(calls[turn.arrived - 1].call(turn.arrived - 1));
            } else {
                turn.sealed = true;
                plan.end_text();
            }
            loop {
                while let Some(update) = plan.next_update() {
                    turn.hear(&update);
                }
                let Some(decision) = plan.decide() else { break };
                turn.see(&decision);
            }
            turn.check();
        }
        prop_assert_eq!(turn.ended.len(), calls.len(), "every call ends");
        prop_assert!(plan.is_settled() && !plan.is_running());
        let awaited = calls.iter().filter(|call| call.mode != CallMode::FireAndForget).count();
        prop_assert_eq!(plan.take_results().map_or(0, |results| results.len()), awaited);
    }
}
