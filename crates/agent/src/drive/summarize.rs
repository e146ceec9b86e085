//! The summary that the model writes beside the steps of a run.
//!
//! The model is asked after the request of a step is made, so that the step comes first. The loop
//! reads both answers. The summary is stored before the next request; at the end of the run, the
//! loop waits for it a while ([`AgentRun::linger`]).

use silcrow_context::SummaryTask;
use silcrow_event::{ContextSummary, Event};
use silcrow_provider::{self as provider, Delta, Estimate, Request};
use silcrow_store as store;

use super::AgentRun;
use super::step::count;
use crate::error::{Error, ErrorKind};
use crate::metered::{MeteredRequest, unsaved};
use crate::model_summary::{EndedSummary, SummaryRequest};
use crate::step_kind::StepKind;

impl AgentRun<'_> {
    /// Asks for the summary that is planned. If a limit of the run does not allow it, there is none.
    pub(super) async fn begin_summary(&mut self) -> Result<(), Error> {
        let Some(task) = self.summary.planned.take() else { return Ok(()) };
        match self.ask_for_summary(task).await {
            Err(error) if error.store().is_some() => Err(error),
            _ => Ok(()),
        }
    }

    async fn ask_for_summary(&mut self, task: Box<SummaryTask>) -> Result<(), Error> {
        // The run has taken a request for its step already.
        self.budget.take_request(self.scope.agent_path.len() as u32 + 1)?;
        let wanted = Request::new(task.messages().to_vec());
        let wanted = wanted.with_sampling(self.parts.options.sampling.clone());
        let (provider, budget) = (&self.parts.provider, &self.budget);
        let read = Estimate::of_messages(&wanted.messages);
        let reserved =
            MeteredRequest::reserve(budget, provider.name(), read, None, StepKind::Ordinary).await;
        let metered = reserved.map_err(|error| error.into_error(budget))?;
        let known = self.sink.log.entries().len();
        let request = SummaryRequest::new(task, known, metered, provider.stream(wanted));
        self.summary.open = Some(Box::new(request));
        Ok(())
    }

    /// Takes a delta of the summary.
    pub(super) async fn push_summary(
        &mut self,
        delta: Option<Result<Delta, provider::Error>>,
    ) -> Result<(), Error> {
        let Some(request) = &mut self.summary.open else { return Ok(()) };
        count(&self.budget, &delta);
        let mut end = request.push(delta);
        if end.is_none()
            && let Some(exhausted) = request.metered.check(&self.budget).await.map_err(unsaved)?
        {
            end = Some(Err(exhausted.into()));
        }
        match end {
            Some(answer) => self.end_summary(answer).await,
            None => Ok(()),
        }
    }

    /// Ends the request for a summary that is open, and pays it.
    pub(super) async fn end_summary(&mut self, answer: Result<String, Error>) -> Result<(), Error> {
        let Some(request) = self.summary.open.take() else { return Ok(()) };
        let SummaryRequest { task, known, metered, .. } = *request;
        let estimated = metered.estimated_input();
        let usage = metered.settle().await.map_err(unsaved)?;
        self.total += usage;
        self.window.correct(&usage, estimated);
        self.summary.ended = Some(Box::new(EndedSummary { task, known, answer, usage }));
        Ok(())
    }

    /// Waits until the model has written the summary.
    pub(super) async fn wait_for_summary(&mut self) -> Result<(), Error> {
        while self.summary.open.is_some() {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => self.end_summary(Err(Error::interrupted())).await?,
                exhausted = self.budget.expired() => {
                    self.end_summary(Err(exhausted.into())).await?;
                }
                delta = self.summary.next() => self.push_summary(delta).await?,
            }
        }
        Ok(())
    }

    /// Stores a summary whose request is over, and returns whether the log has another summary than
    /// before. If the model wrote none, it is the framework's; if a limit was reached or the run
    /// was stopped, the summary is missing. If a person stored one meanwhile, that counts.
    pub(super) async fn store_ended_summary(&mut self) -> Result<bool, Error> {
        let Some(ended) = self.summary.ended.take() else { return Ok(false) };
        self.report(ended.usage, None).await;
        let summary = match ended.answer {
            Ok(answer) => ended.task.summary(&answer),
            Err(error) if error.provider().is_some() || error.kind() == ErrorKind::NoAnswer => {
                ended.task.without_model()
            }
            Err(_) => return Ok(false),
        };
        self.sink.refresh().await?;
        let mut later = self.sink.log.entries()[ended.known..].iter();
        if !later.any(|entry| matches!(entry.event, Event::Summary(_))) {
            self.store_summary(summary).await?;
        }
        Ok(true)
    }

    /// Ends the summary with the run: one that is complete is stored, and any other is dropped.
    pub(super) async fn close_summary(&mut self) -> Result<(), Error> {
        self.end_summary(Err(Error::interrupted())).await?;
        match self.store_ended_summary().await {
            // The answer is stored already, so another run may have begun.
            Err(error) if error.store().is_some_and(is_conflict) => Ok(()),
            stored => stored.map(drop),
        }
    }

    /// Has the model write a summary. The inner error is the model's, if it wrote none.
    pub(super) async fn summarize(
        &mut self,
        task: SummaryTask,
    ) -> Result<Result<ContextSummary, Error>, Error> {
        self.ask_for_summary(Box::new(task)).await?;
        self.wait_for_summary().await?;
        let Some(ended) = self.summary.ended.take() else { return Err(Error::interrupted()) };
        self.report(ended.usage, None).await;
        Ok(ended.answer.map(|answer| ended.task.summary(&answer)))
    }
}

fn is_conflict(error: &store::Error) -> bool {
    error.kind() == store::ErrorKind::Conflict
}
