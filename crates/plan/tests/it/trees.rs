//! Random trees of blocks in every order of arrival and end, with failures, cancellations and
//! budgets of calls, compared with the model if the order does not matter.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::sample::Index;
use silcrow_event::{Call, CallEnd, CallMode};
use silcrow_plan::{
    ControlBlock, ControlKind, ControlStep, Plan, PlanDecision, PlanLimits, PlanUpdate,
};

use crate::play::{failed, ok};
use crate::tree::{Model, Tree, Writer, succeeds, trees};

/// The text of a turn, piece by piece.
pub(crate) enum Piece {
    Open(ControlBlock),
    Call(Call),
    Otherwise,
    Close,
}

pub(crate) fn write(steps: &[ControlStep], text: &mut Vec<Piece>) {
    for step in steps {
        match step {
            ControlStep::Call(call) => text.push(Piece::Call(call.clone())),
            ControlStep::Block { block, body, otherwise } => {
                text.push(Piece::Open(block.clone()));
                if matches!(block.kind, ControlKind::Value { .. }) {
                    continue;
                }
                write(body, text);
                text.push(Piece::Otherwise);
                write(otherwise, text);
                text.push(Piece::Close);
            }
            _ => unreachable!(),
        }
    }
}

/// An observer's knowledge of a turn.
#[derive(Default)]
struct Turn {
    running: Vec<String>,
    started: HashSet<String>,
    ended: HashMap<String, CallEnd>,
    /// The calls that had ended when the turn was cancelled.
    before_cancel: Option<HashMap<String, CallEnd>>,
}

/// The events of a turn.
#[derive(Clone, Debug)]
struct Course {
    /// The calls that fail.
    salt: u64,
    limits: PlanLimits,
    /// The order in which pieces arrive and calls end.
    choices: Vec<Index>,
    /// The number of pieces and ends before which it is cancelled.
    cancel_at: Option<usize>,
}

impl Turn {
    fn hear(&mut self, plan: &mut Plan) {
        while let Some(update) = plan.next_update() {
            let (PlanUpdate::End { id, how } | PlanUpdate::BlockEnd { id, how }) = update else {
                continue;
            };
            let was_running = self.running.iter().position(|one| *one == id);
            match how {
                CallEnd::Skipped => assert!(!self.started.contains(&id), "{id} was skipped"),
                // The end of a call that is stopped is heard before the stop is decided.
                _ => was_running.into_iter().for_each(|at| drop(self.running.swap_remove(at))),
            }
            assert!(plan.outcome(&id).is_some(), "{id} has no result");
            assert_eq!(self.ended.insert(id.clone(), how), None, "{id} ended twice");
        }
    }

    fn see(&mut self, plan: &mut Plan, top: &[ControlStep], max_parallel: usize) {
        loop {
            self.hear(plan);
            let had_decisions = plan.has_decisions();
            let Some(decision) = plan.decide() else {
                self.hear(plan);
                break;
            };
            assert!(had_decisions);
            match decision {
                PlanDecision::Start(ready) => {
                    let id = ready.id().to_owned();
                    assert!(!self.ended.contains_key(&id), "{id} starts late");
                    assert!(self.started.insert(id.clone()), "{id} starts twice");
                    assert!(self.before_cancel.is_none(), "{id} starts in a cancelled turn");
                    assert!(self.running.len() < max_parallel, "too many at once");
                    self.check_barriers(&id, top);
                    self.running.push(id);
                }
                PlanDecision::Stop { id } => {
                    assert!(self.started.contains(&id) && self.ended.contains_key(&id), "{id}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Nothing starts before an earlier barrier has ended, in the outermost body.
    fn check_barriers(&self, id: &str, top: &[ControlStep]) {
        for step in top {
            let written = id.rsplit('.').next().unwrap();
            let is_within = step.calls().iter().any(|call| call.id() == written);
            if is_within {
                return;
            }
            let is_barrier = match step {
                ControlStep::Call(call) => call.action().unwrap().mode == CallMode::Sync,
                _ => true,
            };
            assert!(!is_barrier || self.ended.contains_key(step.id()), "{id} before {}", step.id());
        }
    }
}

/// Runs a turn. Returns the plan and the observations.
fn play(top: &[ControlStep], course: &Course) -> (Plan, Turn) {
    let Course { salt, limits, ref choices, cancel_at } = *course;
    let mut plan = Plan::with_limits(limits);
    let mut turn = Turn::default();
    let mut text = Vec::new();
    write(top, &mut text);
    let mut text = text.into_iter();
    let mut is_ended = false;
    let mut choices = choices.iter().cycle();
    for count in 0.. {
        if cancel_at == Some(count) {
            turn.before_cancel = Some(turn.ended.clone());
            plan.cancel("cancelled", "cancelled");
            turn.see(&mut plan, top, limits.max_parallel);
        }
        let options = turn.running.len() + usize::from(!is_ended);
        if options == 0 {
            break;
        }
        let choice = choices.next().unwrap().index(options);
        if choice < turn.running.len() {
            let id = turn.running.swap_remove(choice);
            match succeeds(&id, salt) {
                true => ok(&mut plan, &id, &format!("\"out {id}\"")),
                false => failed(&mut plan, &id),
            }
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
        turn.see(&mut plan, top, limits.max_parallel);
    }
    (plan, turn)
}

/// Runs a tree, and compares its result with the model's.
fn check(trees: &[Tree], course: &Course) {
    let top = top(trees, true);
    let (mut plan, turn) = play(&top, course);
    // The failure of a block quotes its call's.
    let is_refused = |id: &&String| {
        plan.outcome(id)
            .is_some_and(|outcome| outcome.content.text().starts_with("a turn may hold"))
    };
    // Which calls and blocks are too many depends on the order; the consequences do not.
    let refused: HashSet<String> = turn.ended.keys().filter(is_refused).cloned().collect();
    let most = course.limits.max_calls;
    assert!(turn.started.len() <= most, "{} calls of {most}", turn.started.len());
    assert!(refused.is_empty() || turn.ended.len() > most, "{refused:?} of {most}");
    let mut model = Model { salt: course.salt, refused, ..Model::default() };
    model.body(&top, "");
    let expected = turn.before_cancel.as_ref().unwrap_or(&turn.ended);
    for (id, how) in expected {
        let Some((of_model, value)) = model.ends.get(id) else {
            panic!("{id} ended, and is in no body that runs: {top:#?}")
        };
        assert_eq!(how, of_model, "{id} of {top:#?}");
        let outcome = plan.outcome(id).unwrap();
        if *how == CallEnd::Ok {
            assert_eq!(outcome.value().unwrap().to_string(), *value, "{id} of {top:#?}");
        }
    }
    match &turn.before_cancel {
        None => assert_eq!(turn.ended.len(), model.ends.len(), "{:?}", turn.ended.keys()),
        // Calls that had not ended then ended with the turn: nothing is left, and nothing has
        // succeeded since.
        Some(before) => {
            let since = turn.ended.iter().filter(|(id, _)| !before.contains_key(*id));
            since.for_each(|(id, how)| assert_ne!(*how, CallEnd::Ok, "{id} of {top:#?}"));
        }
    }
    for id in turn.started.iter().map(String::as_str).chain(top.iter().map(ControlStep::id)) {
        assert!(turn.ended.contains_key(id), "{id} never ended");
    }
    assert!(plan.is_settled() && !plan.is_running() && !plan.has_decisions());
    assert_eq!(plan.take_results().map_or(0, |results| results.len()), turn.ended.len());
}

/// Returns the possible events of a turn.
fn courses() -> impl Strategy<Value = Course> {
    let max_calls = prop_oneof![2 => Just(1_000), 1 => 1..20usize];
    let choices = prop::collection::vec(any::<Index>(), 1..40);
    let cancel_at = prop::option::weighted(0.3, 0..30usize);
    (any::<u64>(), 1..4usize, max_calls, choices, cancel_at).prop_map(
        |(salt, max_parallel, max_calls, choices, cancel_at)| {
            let limits = PlanLimits { max_parallel, max_calls, ..PlanLimits::default() };
            Course { salt, limits, choices, cancel_at }
        },
    )
}

pub(crate) fn top(trees: &[Tree], exact: bool) -> Vec<ControlStep> {
    Writer { exact, ..Writer::default() }.steps(trees)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn trees_match_the_reference_model(trees in trees(true), course in courses()) {
        check(&trees, &course);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    #[ignore = "run by its name, as a campaign"]
    fn campaign_of_trees(trees in trees(true), course in courses()) {
        check(&trees, &course);
    }
}
