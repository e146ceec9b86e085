//! The check of a plan that is written and driven in any order: each letter of the input does something.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use silcrow_event::{ActionAttributes, Call, CallEnd, CallMode, CallResult, Compensation, OnError};
use silcrow_plan::{ControlBlock, ControlKind, ParallelJoin, Plan, PlanDecision, PlanUpdate};

/// Checks that every call and block ends once, that nothing starts twice, and that predicted calls
/// are the ones that come, whatever is written and however attempts end.
pub(crate) fn plan(bytes: &[u8]) {
    let mut driven = Driven::default();
    // A longer one says nothing new, and loops in loops multiply.
    for letter in bytes.iter().take(60) {
        driven.act(*letter);
        driven.hear();
    }
    driven.plan.end_text();
    driven.hear();
    loop {
        if let Some(id) = driven.running.pop_front() {
            driven.ok(&id);
        } else if let Some(id) = driven.pausing.pop() {
            driven.plan.retry(&id);
        } else if let Some(id) = driven.awaited.pop() {
            driven.plan.stopped(&id, true);
        } else {
            break;
        }
        driven.hear();
    }
    let Driven { mut plan, ended, .. } = driven;
    assert!(plan.is_settled() && !plan.is_running() && !plan.has_decisions(), "{plan:#?}");
    let results = plan.take_results().unwrap_or_default();
    assert!(results.iter().all(|result| ended.contains(result.id.as_ref().unwrap())));
}

#[derive(Default)]
struct Driven {
    plan: Plan,
    next: u32,
    /// The blocks that are open as written.
    open: u32,
    has_text_ended: bool,
    running: VecDeque<String>,
    pausing: Vec<String>,
    timed: Vec<String>,
    awaited: Vec<String>,
    started: BTreeSet<String>,
    ended: BTreeSet<String>,
    /// The predicted calls of a loop for its other items, with the arguments.
    foreseen: BTreeMap<String, String>,
}

impl Driven {
    fn act(&mut self, letter: u8) {
        match letter {
            b'c' => self.call(CallMode::Async, "", None),
            b's' => self.call(CallMode::Sync, "", None),
            b'g' => self.call(CallMode::FireAndForget, "", None),
            b'u' => self.call(CallMode::Async, "$last", None),
            b'n' => self.call(CallMode::Async, "$x", None),
            b'k' => self.call(CallMode::Async, "", Some(OnError::Skip)),
            b'j' => self.call(CallMode::Async, "", Some(OnError::Fail)),
            b'i' => self.block(ControlKind::Choice { test: "true".to_owned() }),
            b'I' => self.block(ControlKind::Choice { test: format!("failed({})", self.last()) }),
            b'f' => self.each("range(3)"),
            b'F' => self.each(&self.last()),
            b'p' => self.parallel(ParallelJoin::All),
            b'r' => self.parallel(ParallelJoin::Race),
            b'y' => self.parallel(ParallelJoin::Any),
            b'z' => self.parallel(ParallelJoin::Settled),
            b't' => self.block(ControlKind::Transaction { timeout: None }),
            b'v' => self.value(),
            b'e' => self.plan.otherwise(),
            b')' if self.open > 0 => {
                self.open -= 1;
                self.plan.close_block();
            }
            b'E' if !self.has_text_ended => {
                (self.has_text_ended, self.open) = (true, 0);
                self.plan.end_text();
            }
            b'.' => self.end_first(Self::ok),
            b':' => self.end_last(Self::ok),
            b',' => self.end_first(Self::failed),
            b';' => self.end_last(Self::failed),
            b'?' => self.end_first(|driven, id| {
                let lost = CallResult::framework_failure(id, None, "timed out", "timed out");
                driven.plan.finish(id, lost);
            }),
            b'!' => self.end_first(|driven, id| {
                let denied = CallResult::framework_failure(id, None, "denied", "denied");
                driven.plan.refuse(id, denied);
            }),
            b'R' => self.end_first(|driven, id| {
                driven.plan.fail(id, CallResult::failure(id, Some("tool"), "no", "no"), 1);
            }),
            b'P' => self.pausing.pop().into_iter().for_each(|id| self.plan.retry(&id)),
            b'o' => self.timed.pop().into_iter().for_each(|id| self.plan.time_out(&id)),
            b'A' => self.awaited.pop().into_iter().for_each(|id| self.plan.stopped(&id, true)),
            b'x' => self.plan.cancel("cancelled", "cancelled"),
            b'w' => {
                let running = &self.running;
                let has_started = |id: &str| running.iter().any(|one| one == id);
                self.plan.cancel_waiting(&has_started, "cancelled", "cancelled");
            }
            b'a' => self.plan.begin_final_response(),
            _ => {}
        }
    }

    fn last(&self) -> String {
        format!("s{}", self.next)
    }

    fn id(&mut self) -> String {
        self.next += 1;
        self.last()
    }

    fn call(&mut self, mode: CallMode, uses: &str, on_error: Option<OnError>) {
        if self.has_text_ended {
            return;
        }
        let uses = uses.replace("last", &self.last());
        let id = self.id();
        let undo = Compensation::parse(r#"{"name":"drop","parameters":{}}"#).ok();
        let compensate = undo.filter(|_| !self.next.is_multiple_of(5)).map(Box::new);
        let action = ActionAttributes { mode, on_error, compensate, ..Default::default() };
        let content = format!(r#"{{"name":"tool","args":{{"v":"{uses}"}}}}"#);
        self.plan.push(Call::parse(id, content).unwrap().with_action(action));
    }

    fn block(&mut self, kind: ControlKind) {
        if self.has_text_ended || self.open >= 4 {
            return;
        }
        self.open += 1;
        let id = self.id();
        self.plan.open_block(ControlBlock::new(id, kind));
    }

    fn each(&mut self, items: &str) {
        self.block(ControlKind::ForEach {
            items: items.to_owned(),
            item: "x".to_owned(),
            index: None,
            max_parallel: 2,
            limit: 10,
            on_error: if self.next.is_multiple_of(2) { OnError::Fail } else { OnError::Skip },
        });
    }

    fn parallel(&mut self, join: ParallelJoin) {
        let timeout = Some(Duration::from_secs(9));
        self.block(ControlKind::Parallel { join, max: None, timeout });
    }

    fn value(&mut self) {
        if !self.has_text_ended {
            let expression = self.last();
            let id = self.id();
            self.plan.open_block(ControlBlock::new(id, ControlKind::Value { expression }));
        }
    }

    fn end_first(&mut self, end: impl FnOnce(&mut Self, &str)) {
        if let Some(id) = self.running.pop_front() {
            end(self, &id);
        }
    }

    fn end_last(&mut self, end: impl FnOnce(&mut Self, &str)) {
        if let Some(id) = self.running.pop_back() {
            end(self, &id);
        }
    }

    fn ok(&mut self, id: &str) {
        self.plan.finish(id, CallResult::success(id, "tool", "", "[1,2]"));
    }

    fn failed(&mut self, id: &str) {
        self.plan.finish(id, CallResult::failure(id, Some("tool"), "no", "no"));
    }

    fn hear(&mut self) {
        loop {
            while let Some(update) = self.plan.next_update() {
                let (PlanUpdate::End { id, how } | PlanUpdate::BlockEnd { id, how }) = update
                else {
                    continue;
                };
                assert!(how != CallEnd::Skipped || !self.started.contains(&id), "{id} was skipped");
                assert!(self.plan.outcome(&id).is_some(), "{id} has no result");
                assert!(self.ended.insert(id.clone()), "{id} ended twice");
                self.running.retain(|one| *one != id);
                self.pausing.retain(|one| *one != id);
            }
            match self.plan.decide() {
                Some(PlanDecision::Start(ready)) => {
                    let id = ready.id().to_owned();
                    let is_first = self.started.insert(id.clone());
                    assert_eq!(is_first, ready.attempt() == 1, "{id} starts twice");
                    assert!(!self.ended.contains(&id), "{id} starts late");
                    if let Some(args) = self.foreseen.remove(&id) {
                        assert_eq!(args, ready.args(), "{id} is not what was foreseen");
                    }
                    for other in self.plan.other_items(&id, 100) {
                        let other_id = other.id().to_owned();
                        assert!(!self.started.contains(&other_id), "{other_id} has started");
                        assert_eq!(other.item_of(), ready.item_of());
                        self.foreseen.insert(other_id, other.args().to_owned());
                    }
                    self.running.push_back(id);
                }
                Some(PlanDecision::Retry { id, .. }) => self.pausing.push(id),
                Some(PlanDecision::Time { id, .. }) => self.timed.push(id),
                Some(PlanDecision::Await { id }) => self.awaited.push(id),
                Some(_) => {}
                None if self.plan.has_updates() => {}
                None => return,
            }
        }
    }
}
