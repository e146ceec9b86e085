//! A summary that the model writes while its run continues.
//!
//! It has the request and its answer; the loop reads this answer beside the answer of a step.

use std::future::pending;
use std::mem::take;

use futures_util::StreamExt as _;
use silcrow_context::SummaryTask;
use silcrow_event::Usage;
use silcrow_provider::{self as provider, Delta, DeltaStream, FinishReason};

use crate::error::{Error, ErrorKind};
use crate::metered::MeteredRequest;

/// The summary that a run has its model write. It is in one state at a time, or in none.
#[derive(Default)]
pub(crate) struct ModelSummary {
    /// The model is asked for it once the request of the step is made.
    pub(crate) planned: Option<Box<SummaryTask>>,
    /// The model writes it.
    pub(crate) open: Option<Box<SummaryRequest>>,
    /// It is stored before the next request.
    pub(crate) ended: Option<Box<EndedSummary>>,
}

/// A request for a summary, and its answer so far.
pub(crate) struct SummaryRequest {
    pub(crate) task: Box<SummaryTask>,
    /// The number of entries of the log when the model was asked.
    pub(crate) known: usize,
    pub(crate) metered: MeteredRequest,
    deltas: DeltaStream,
    text: String,
}

/// A request for a summary that is over and paid.
pub(crate) struct EndedSummary {
    pub(crate) task: Box<SummaryTask>,
    pub(crate) known: usize,
    pub(crate) answer: Result<String, Error>,
    pub(crate) usage: Usage,
}

impl ModelSummary {
    /// Waits for the next delta of the answer. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Delta, provider::Error>> {
        match &mut self.open {
            Some(request) => request.deltas.next().await,
            None => pending().await,
        }
    }
}

impl SummaryRequest {
    pub(crate) fn new(
        task: Box<SummaryTask>,
        known: usize,
        metered: MeteredRequest,
        deltas: DeltaStream,
    ) -> Self {
        Self { task, known, metered, deltas, text: String::new() }
    }

    /// Takes a delta, and returns the answer at its end.
    pub(crate) fn push(
        &mut self,
        delta: Option<Result<Delta, provider::Error>>,
    ) -> Option<Result<String, Error>> {
        self.metered.push(delta.as_ref());
        let no_answer = |why| Some(Err(Error::new(ErrorKind::NoAnswer, why)));
        match delta {
            Some(Ok(Delta::Text(piece))) => self.text.push_str(&piece),
            Some(Ok(Delta::Done(FinishReason::Stop | FinishReason::Length))) => {
                return match self.text.trim() {
                    "" => no_answer("the model's summary holds no text"),
                    text => Some(Ok(text.to_owned())),
                };
            }
            Some(Err(error)) => return Some(Err(error.into())),
            Some(Ok(Delta::Done(_))) | None => return no_answer("the model wrote no summary"),
            Some(Ok(_)) => {}
        }
        (self.text.len() > MAX_BYTES).then(|| Ok(take(&mut self.text)))
    }
}

/// The number of bytes from which an answer is read no further.
const MAX_BYTES: usize = 64 << 10;
