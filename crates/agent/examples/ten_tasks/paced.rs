//! A model that writes a script at the pace of a real one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use tokio::time::sleep;

/// A model that takes 600 ms to its first token, and 10 ms for each.
#[derive(Clone)]
pub(crate) struct PacedModel {
    answers: Arc<[String]>,
    asked: Arc<AtomicUsize>,
}

impl PacedModel {
    pub(crate) fn new(answers: &[String]) -> Self {
        Self { answers: answers.into(), asked: Arc::default() }
    }

    /// Returns the number of requests so far.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Provider for PacedModel {
    fn name(&self) -> &str {
        "paced"
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let at = self.asked.fetch_add(1, Ordering::Relaxed);
        let answer = self.answers.get(at).cloned().unwrap_or_default();
        let letters: Vec<char> = answer.chars().collect();
        // A token has about four letters.
        let pieces: Vec<String> = letters.chunks(4).map(|piece| piece.iter().collect()).collect();
        let first = stream::once(async {
            sleep(Duration::from_millis(600)).await;
            None
        });
        let pieces = stream::iter(pieces).then(|piece| async {
            sleep(Duration::from_millis(10)).await;
            Some(Ok(Delta::Text(piece)))
        });
        let end = stream::iter([Some(Ok(Delta::Done(FinishReason::Stop)))]);
        first.chain(pieces).chain(end).filter_map(async |delta| delta).boxed()
    }
}
