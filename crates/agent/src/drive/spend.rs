//! The payment of a run's requests, and the last step of a run whose budget is used up.

use silcrow_event::{Event, Metric, Usage};
use silcrow_exec::Budget;
use silcrow_provider::Request;

use super::AgentRun;
use crate::ending::AfterAnswer;
use crate::error::Error;
use crate::metered::{MeteredRequest, PaymentError, unsaved};
use crate::parts::AgentParts;
use crate::request::{BUDGET_USED_UP, LAST_STEP, end_question};
use crate::step_kind::StepKind;

impl AgentRun<'_> {
    /// Makes the request of a step and reserves its cost.
    ///
    /// If an account has no room for the request, the run's own agent gets one last step, which may
    /// exceed the limit; `step` says so then. An agent that a call runs leaves that step to the agents above it.
    pub(super) async fn paid_request(
        &mut self,
        step: &mut StepKind,
    ) -> Result<(Request, Box<MeteredRequest>), Error> {
        let asks_for_end = !step.is_last() && self.failed.take_end_question();
        let notice = match step {
            StepKind::Last => Some(LAST_STEP),
            StepKind::Ordinary if asks_for_end => Some(end_question(self.parts.options.dialect)),
            StepKind::Ordinary => None,
        };
        let wanted = self.request(notice).await?;
        let read = self.window.estimate(&wanted.messages);
        let mut reserved = reserve(self.parts, &self.budget, read, StepKind::Ordinary).await;
        // A step is worth more than a summary that is not complete.
        if matches!(reserved, Err(PaymentError::Exhausted(_))) && self.summary.open.is_some() {
            self.end_summary(Err(Error::interrupted())).await?;
            reserved = reserve(self.parts, &self.budget, read, StepKind::Ordinary).await;
        }
        let spending = match reserved {
            Ok(metered) => return Ok((wanted, metered)),
            Err(PaymentError::Exhausted(spending)) if self.scope.agent_path.is_empty() => spending,
            Err(error) => return Err(error.into_error(&self.budget)),
        };
        let wanted = self.request(Some(BUDGET_USED_UP)).await?;
        let read = self.window.estimate(&wanted.messages);
        let metered = reserve(self.parts, &self.budget, read, StepKind::Last).await;
        let metered = metered.map_err(|error| error.into_error(&self.budget))?;
        (self.overspent, *step) = (Some(spending), StepKind::Last);
        Ok((wanted, metered))
    }

    /// Settles a request that is over, and emits its metric.
    pub(super) async fn measure(
        &mut self,
        metered: impl Into<Option<Box<MeteredRequest>>>,
    ) -> Result<(), Error> {
        let Some(mut metered) = metered.into() else { return Ok(()) };
        metered.lost(self.connection.take_lost());
        let estimated = metered.estimated_input();
        let step = metered.settle().await.map_err(unsaved)?;
        self.total += step;
        self.window.correct(&step, estimated);
        self.report(step, self.window.limits().context).await;
        Ok(())
    }

    /// Emits the metric of a request that is settled. `window` is the model's, of which the request
    /// of a step takes a part.
    pub(super) async fn report(&mut self, step: Usage, window: Option<u64>) {
        let purse = self.budget.purse();
        let all = purse.usage().await;
        let is_own = self.scope.agent_path.is_empty();
        let all = (is_own && all != self.total).then(|| Box::new(all));
        let budget = purse.balances().await.map(Box::new);
        let metric = Metric { all, budget, window, ..Metric::new(step, self.total) };
        self.sink.pass(self.turn, Event::Metric(metric));
    }

    /// Returns the step that follows another one. After the last step that the budget allowed, the
    /// run ends with an error, whether the model has answered or not.
    pub(super) async fn after_step(
        &mut self,
        after: Result<AfterAnswer, Error>,
    ) -> Result<AfterAnswer, Error> {
        let Some(spending) = self.overspent.take() else { return after };
        match after {
            Ok(AfterAnswer::Interrupt | AfterAnswer::Park) => after,
            Err(error) if error.provider().is_some() || error.store().is_some() => Err(error),
            // The error has the current spending of the account.
            _ => {
                let balances = self.budget.purse().balances().await.unwrap_or_default();
                Err(self.budget.overspent(spending.with_balances(&balances)).into())
            }
        }
    }
}

async fn reserve(
    parts: &AgentParts,
    budget: &Budget,
    read: u64,
    step: StepKind,
) -> Result<Box<MeteredRequest>, PaymentError> {
    let (model, longest) = (parts.provider.name(), parts.options.model.output);
    // A run keeps it while it streams.
    MeteredRequest::reserve(budget, model, read, longest, step).await.map(Box::new)
}
