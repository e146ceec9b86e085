//! Random trees with transactions, failures, time limits, cancellations and budgets of calls, and
//! their invariants: every block ends, nothing starts twice, and no compensation is missed (P-32).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use silcrow_event::{Call, CallEnd, CallResult};
use silcrow_plan::{
    ControlKind, ControlStep, Plan, PlanDecision, PlanLimits, PlanUpdate, UndoCover, UndoCoverage,
    undo_id,
};

use crate::play::{failed, ok};
use crate::tree::{Tree, succeeds, trees};
use crate::trees::{Piece, top, write};

/// By the number in its id, a call has a `compensate`, is undone by its tool, or needs nothing. A
/// few cannot be undone.
#[derive(Debug)]
struct ByNumber;

impl UndoCoverage for ByNumber {
    fn cover(&self, call: &Call) -> UndoCover {
        match number(call.id()) {
            n if n % 11 == 10 => UndoCover::Missing,
            n if n % 3 == 1 => UndoCover::ByTool,
            _ => UndoCover::Unneeded,
        }
    }
}

fn number(id: &str) -> usize {
    let digits = id.trim_end_matches("~undo").rsplit(['s', '.']).next().unwrap();
    digits.parse().unwrap()
}

/// The facts about a call that has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Done,
    /// Its tool said that it failed.
    Told,
    /// Unknown.
    Unknown,
    NotRun,
}

/// An observer's knowledge of a turn.
#[derive(Default)]
struct Turn {
    running: Vec<String>,
    awaited: Vec<String>,
    timers: Vec<String>,
    started: BTreeSet<String>,
    /// The end of each call and block, with its place in the order of the ends.
    ended: HashMap<String, (CallEnd, usize)>,
    effects: BTreeMap<String, Effect>,
    /// The transactions around each call, the innermost last.
    around: HashMap<String, Vec<String>>,
    /// The undone calls, in order.
    undone: Vec<String>,
}

impl Turn {
    fn note_places(&mut self, steps: &[ControlStep], around: &[String]) {
        for step in steps {
            match step {
                ControlStep::Call(call) => {
                    self.around.insert(call.id().to_owned(), around.to_vec());
                }
                ControlStep::Block { block, body, otherwise } => {
                    let mut inside = around.to_vec();
                    if let ControlKind::Transaction { .. } = block.kind {
                        inside.push(block.id.clone());
                    }
                    self.note_places(body, &inside);
                    self.note_places(otherwise, &inside);
                }
                _ => unreachable!(),
            }
        }
    }

    fn hear(&mut self, plan: &mut Plan) {
        while let Some(update) = plan.next_update() {
            match update {
                PlanUpdate::Instance(call) => {
                    let action = call.action().unwrap();
                    match &action.undoes {
                        Some(undone) => self.undone.push(undone.clone()),
                        None => {
                            self.around.insert(call.id().to_owned(), action.transactions.clone());
                        }
                    }
                }
                PlanUpdate::End { id, how } | PlanUpdate::BlockEnd { id, how } => {
                    self.running.retain(|one| *one != id);
                    assert!(plan.outcome(&id).is_some(), "{id} has no result");
                    let at = self.ended.len();
                    assert_eq!(self.ended.insert(id.clone(), (how, at)), None, "{id} ended twice");
                }
                _ => {}
            }
        }
    }

    fn see(&mut self, plan: &mut Plan, max_parallel: usize) {
        loop {
            self.hear(plan);
            let Some(decision) = plan.decide() else {
                return self.hear(plan);
            };
            match decision {
                PlanDecision::Start(ready) => {
                    let id = ready.id().to_owned();
                    assert!(!self.ended.contains_key(&id), "{id} starts late");
                    assert!(self.started.insert(id.clone()), "{id} starts twice");
                    assert!(self.running.len() < max_parallel, "too many at once");
                    if let Some(undone) = ready.undoes() {
                        self.check_quiet(&undone.id);
                    }
                    self.running.push(id);
                }
                PlanDecision::Await { id } => {
                    assert!(self.started.contains(&id) && self.ended.contains_key(&id), "{id}");
                    self.awaited.push(id);
                }
                PlanDecision::Time { id, .. } => self.timers.push(id),
                PlanDecision::Stop { id } => assert!(self.ended.contains_key(&id), "{id}"),
                other => panic!("{other:?}"),
            }
        }
    }

    /// No call in the innermost transaction of a call runs when the call is undone.
    fn check_quiet(&self, undone: &str) {
        let innermost = self.around[undone].last().unwrap();
        for id in self.running.iter().chain(&self.awaited) {
            let is_in = self.around.get(id).is_some_and(|around| around.contains(innermost));
            assert!(!is_in, "{id} runs while {undone} is taken back");
        }
    }

    /// Compares the undone calls with a slow reading of the clause.
    fn check(&self) {
        for id in self.started.iter().filter(|id| !id.ends_with("~undo")) {
            let around = &self.around[id];
            let has_failed = around.iter().any(|it| self.ended[it].0 != CallEnd::Ok);
            let effect = self.effects.get(id).copied().unwrap_or(Effect::NotRun);
            let must = match number(id) {
                n if n.is_multiple_of(3) => matches!(effect, Effect::Done | Effect::Unknown),
                n if n % 3 == 1 => effect != Effect::NotRun,
                _ => false,
            };
            let was_undone = self.undone.iter().filter(|undone| *undone == id).count();
            assert_eq!(was_undone, usize::from(must && has_failed), "{id}: {effect:?}");
            assert_eq!(self.ended.contains_key(&undo_id(id)), must && has_failed, "{id}");
        }
        // Each transaction takes its calls back in reverse order of their ends.
        let root = |id: &String| {
            let around = self.around[id].iter();
            around.rev().find(|it| self.ended[*it].0 != CallEnd::Ok).cloned()
        };
        let mut last: HashMap<String, usize> = HashMap::new();
        for id in &self.undone {
            let at = self.ended[id].1;
            if let Some(before) = last.insert(root(id).unwrap(), at) {
                assert!(at < before, "{id} is taken back too late: {:?}", self.undone);
            }
        }
    }
}

fn hash(id: &str, salt: u64) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    id.bytes().fold(salt ^ 0x9e37_79b9_7f4a_7c15, mix) >> 9
}

/// Runs a turn in the order that the choices say, and checks it.
fn check(
    trees: &[Tree],
    salt: u64,
    (max_parallel, max_calls): (usize, usize),
    choices: Vec<Index>,
    cancel_at: Option<usize>,
) {
    let steps = top(trees, false);
    let limits = PlanLimits { max_parallel, max_calls, ..PlanLimits::default() };
    let mut plan = Plan::with_limits(limits).with_undo_coverage(Arc::new(ByNumber));
    let mut turn = Turn::default();
    turn.note_places(&steps, &[]);
    let mut text = Vec::new();
    write(&steps, &mut text);
    let mut text = text.into_iter();
    let mut is_ended = false;
    let mut choices = choices.into_iter().cycle();
    for count in 0.. {
        assert!(count < 10_000, "it does not end: {steps:#?}");
        if cancel_at.is_some_and(|at| count == at || count == at + 3) {
            plan.cancel("cancelled", "cancelled");
            turn.see(&mut plan, max_parallel);
        }
        turn.timers.retain(|id| !turn.ended.contains_key(id));
        let counts = [turn.running.len(), turn.awaited.len(), turn.timers.len().min(1)];
        let options = counts.iter().sum::<usize>() + usize::from(!is_ended);
        if options == 0 || options == counts[2] && !plan.is_running() {
            break;
        }
        let mut choice = choices.next().unwrap().index(options);
        if choice < counts[0] {
            let id = turn.running.swap_remove(choice);
            end_call(&mut plan, &mut turn, &id, salt);
        } else if choice < counts[0] + counts[1] {
            choice -= counts[0];
            let id = turn.awaited.swap_remove(choice);
            let has_run = !hash(&id, salt).is_multiple_of(3);
            turn.effects.insert(id.clone(), if has_run { Effect::Unknown } else { Effect::NotRun });
            plan.stopped(&id, has_run);
        } else if choice < counts.iter().sum() {
            let id = turn.timers.swap_remove(0);
            plan.time_out(&id);
        } else {
            match text.next() {
                Some(Piece::Open(block)) => plan.open_block(block),
                Some(Piece::Call(call)) => plan.push(call),
                Some(Piece::Otherwise) => plan.otherwise(),
                Some(Piece::Close) => plan.close_block(),
                None => {
                    is_ended = true;
                    plan.end_text();
                }
            }
        }
        turn.see(&mut plan, max_parallel);
    }
    for step in &steps {
        assert!(turn.ended.contains_key(step.id()), "{} does not end in {steps:#?}", step.id());
    }
    for id in &turn.started {
        assert!(turn.ended.contains_key(id), "{id} does not end in {steps:#?}");
    }
    assert!(plan.is_settled() && !plan.is_running() && !plan.has_decisions());
    assert!(!plan.is_rolling_back() && plan.awaited().is_empty());
    assert_eq!(plan.take_results().map_or(0, |results| results.len()), turn.ended.len());
    turn.check();
}

/// Ends a call that runs: well, as its tool says, in an unknown way, or before its tool has begun.
fn end_call(plan: &mut Plan, turn: &mut Turn, id: &str, salt: u64) {
    let effect = match hash(id, salt) % 3 {
        _ if succeeds(id, salt) => Effect::Done,
        0 => Effect::Told,
        1 => Effect::Unknown,
        _ => Effect::NotRun,
    };
    turn.effects.insert(id.to_owned(), effect);
    match effect {
        Effect::Done => ok(plan, id, &format!("\"out {id}\"")),
        Effect::Told => failed(plan, id),
        Effect::Unknown => {
            plan.finish(id, CallResult::framework_failure(id, None, "timed out", "timed out"));
        }
        Effect::NotRun => {
            plan.refuse(id, CallResult::framework_failure(id, None, "denied", "denied"));
        }
    }
}

/// Returns the number of concurrent calls, and its limit.
fn limits() -> impl Strategy<Value = (usize, usize)> {
    (1..4usize, prop_oneof![2 => Just(1_000), 1 => 1..20usize])
}

fn choices() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_block_ends_and_failures_roll_back(
        trees in trees(false),
        salt: u64,
        limits in limits(),
        choices in choices(),
        cancel_at in prop::option::of(0..20usize),
    ) {
        check(&trees, salt, limits, choices, cancel_at);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    #[ignore = "run by its name, as a campaign"]
    fn campaign_of_rollbacks(
        trees in trees(false),
        salt: u64,
        limits in limits(),
        choices in choices(),
        cancel_at in prop::option::of(0..20usize),
    ) {
        check(&trees, salt, limits, choices, cancel_at);
    }
}
