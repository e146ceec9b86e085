//! Random trees of blocks in every order of arrival and end, compared with the model where the order
//! does not matter.

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

/// What an observer of a turn knows.
#[derive(Default)]
struct Turn {
    running: Vec<String>,
    started: HashSet<String>,
    ended: HashMap<String, CallEnd>,
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

    /// Nothing starts before what is a barrier before it, in the outermost body.
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

/// Runs a turn in the order that the choices say. Returns the plan and what was seen of it.
fn play(top: &[ControlStep], salt: u64, max_parallel: usize, choices: Vec<Index>) -> (Plan, Turn) {
    let mut plan = Plan::with_limits(PlanLimits { max_parallel, ..PlanLimits::default() });
    let mut turn = Turn::default();
    let mut text = Vec::new();
    write(top, &mut text);
    let mut text = text.into_iter();
    let mut is_ended = false;
    let mut choices = choices.into_iter().cycle();
    loop {
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
        turn.see(&mut plan, top, max_parallel);
    }
    (plan, turn)
}

pub(crate) fn top(trees: &[Tree], exact: bool) -> Vec<ControlStep> {
    Writer { exact, ..Writer::default() }.steps(trees)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn a_tree_comes_to_what_the_model_says(
        trees in trees(true),
        salt: u64,
        max_parallel in 1..4usize,
        choices in prop::collection::vec(any::<Index>(), 1..40),
    ) {
        let top = top(&trees, true);
        let mut model = Model { salt, ..Model::default() };
        model.body(&top, "");
        let (mut plan, turn) = play(&top, salt, max_parallel, choices);
        for (id, (how, value)) in &model.ends {
            prop_assert_eq!(turn.ended.get(id), Some(how), "{} of {:#?}", id, top);
            let outcome = plan.outcome(id).unwrap();
            if *how == CallEnd::Ok {
                let output = outcome.value().unwrap().to_string();
                prop_assert_eq!(&output, value, "{} of {:#?}", id, top);
            }
        }
        prop_assert_eq!(turn.ended.len(), model.ends.len(), "{:?}", turn.ended.keys());
        prop_assert!(plan.is_settled() && !plan.is_running() && !plan.has_decisions());
        prop_assert_eq!(plan.take_results().map_or(0, |results| results.len()), turn.ended.len());
    }

}
