//! The attempts of a runner: the context and the end of each.

use std::panic::resume_unwind;
use std::sync::Arc;

use silcrow_tool::{CallContext, CallHost, Scope};
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tracing::Instrument as _;

use super::Runner;
use super::awaiting::RunningAttempt;
use crate::attempt_host::AttemptHost;
use crate::call::{AttemptEnd, CallResources, RunnableCall};
use crate::call_terms::CallTerms;
use crate::limits::RunnerLimits;
use crate::update::CallUpdate;
use crate::wall::{WallLine, WallRequest};

impl Runner {
    /// Starts a call that has a place.
    pub(super) fn run(&mut self, call: RunnableCall) {
        self.last += 1;
        let (attempt, id) = (self.last, call.id().to_owned());
        let RunnerLimits { output_cap, max_timeout, .. } = self.settings;
        let cap = call.policy().output_cap.map_or(output_cap, |cap| cap.min(output_cap));
        let scope = self.call_scope(&id);
        let host = AttemptHost::new(&scope, &id, self.tracker.handle());
        let (end, over) = match call.is_in_transaction() {
            true => Some(mpsc::channel(1)).unzip(),
            false => (None, None),
        };
        let lines = self.lines.get_or_insert_default();
        let mut host = host.with_updates((attempt, lines.sender.clone())).with_end(end);
        if self.asks_at_walls {
            let caller = Arc::new(call.at_wall(scope.clone(), max_timeout));
            let requests = lines.wall_sender.clone();
            host = host.at_wall(WallLine { attempt, caller, requests });
        }
        let (host, CallTerms { access, grants }) = (Arc::new(host), call.terms());
        let context = CallContext::new(scope, &*id)
            .with_approved(call.approved())
            .with_access(access)
            .with_grants(grants)
            .with_output_cap(cap)
            .with_host(Arc::clone(&host) as Arc<dyn CallHost>);
        let (journal, spill) = (Arc::clone(&self.journal), self.spill.clone());
        let recorded = self.recorded.clone();
        let reports_start = self.reports_starts;
        let resources =
            CallResources { journal, spill, recorded, context, host, max_timeout, reports_start };
        let run = async move { (attempt, call.run(resources).await) };
        let stop = self.running.spawn(run.in_current_span());
        self.attempts.insert(attempt, RunningAttempt { id, stop, over });
    }

    /// Returns the context in which the call with this id is previewed.
    pub(super) fn preview_context(&self, id: &str) -> CallContext {
        let scope = self.call_scope(id);
        let host = AttemptHost::new(&scope, id, self.tracker.handle());
        CallContext::new(scope, id).with_host(Arc::new(host))
    }

    /// Returns the scope of the call with this id.
    fn call_scope(&self, id: &str) -> Scope {
        let mut scope = self.scope.clone().with_cancellation(self.cancel.child_token());
        scope.is_repeated |= self.resumed.contains(id);
        scope
    }

    /// Takes a request of a call at the wall. One that has ended gets no answer.
    pub(super) fn meet(&mut self, request: WallRequest) {
        if self.attempts.contains_key(&request.attempt) {
            self.approvals.meet(request, self.recorded.is_some());
        }
    }

    pub(super) fn ended(&mut self, ended: Result<(u64, AttemptEnd), JoinError>) {
        let (attempt, ended) = match ended {
            Ok(ended) => ended,
            // A panic of the tool ends only its task, so this one is a bug here.
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            // It was stopped, or the runtime is shutting down.
            Err(_) => return,
        };
        self.approvals.leave_wall(attempt);
        // It was stopped after it had ended.
        if !self.attempts.contains_key(&attempt) {
            return;
        }
        // All its updates from before its end are in the channel by now.
        let lines = self.lines.get_or_insert_default();
        for _ in 0..lines.receiver.len() {
            let Some((attempt, update)) = lines.try_recv() else { break };
            if let Some(RunningAttempt { id, .. }) = self.attempts.get(&attempt) {
                self.ready.push_back((id.clone(), *update));
            }
        }
        self.attempts.remove(&attempt);
        match ended {
            AttemptEnd::Ended(ended) => {
                // Another attempt is a new one.
                self.resumed.remove(&ended.id);
                self.ready.push_back((ended.id.clone(), CallUpdate::Ended(ended)));
            }
            AttemptEnd::Parked { id } => {
                self.parked.push(id.clone());
                self.ready.push_back((id.clone(), CallUpdate::Parked { id }));
            }
        }
    }
}
