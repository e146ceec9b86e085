//! State that watched runs and sending tasks share: a queue and sums.

use std::sync::{Mutex, MutexGuard, PoisonError};

use silcrow_event::Timestamp;
use silcrow_otlp::{MetricRecorder, TraceSpan};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::options::Options;
use crate::queue::SpanQueue;
use crate::report::ExportReport;

/// State that the runs, the tasks and the handles of an exporter share.
pub(crate) struct SharedState {
    pub(crate) options: Options,
    /// The time at which the sums begin.
    pub(crate) start: Timestamp,
    pub(crate) clock: Instant,
    pub(crate) state: Mutex<ExportState>,
    /// Wakes the task that sends spans.
    pub(crate) span_news: Notify,
    /// Wakes the task that sends metrics, at the end.
    pub(crate) metric_news: Notify,
}

/// The part of the state that changes.
pub(crate) struct ExportState {
    pub(crate) queue: SpanQueue,
    pub(crate) metrics: MetricRecorder,
    /// Whether something was counted since the metrics were sent.
    pub(crate) has_news: bool,
    pub(crate) is_closing: bool,
    /// The number of spans that are being sent.
    pub(crate) in_flight: u64,
    pub(crate) report: ExportReport,
}

impl SharedState {
    /// Takes spans that are over. Metrics count them all, even spans of a trace that is not
    /// sampled.
    pub(crate) fn take(&self, spans: Vec<TraceSpan>, is_recorded: bool) {
        let mut state = self.lock();
        if state.is_closing {
            return;
        }
        for span in spans {
            state.metrics.record(&span);
            state.has_news = true;
            if is_recorded && self.options.traces.is_some() {
                state.queue.push(span);
            }
        }
        drop(state);
        self.span_news.notify_one();
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.start.saturating_add(self.clock.elapsed())
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ExportState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is enough to send, and takes it. Returns nothing at the end.
    pub(crate) async fn batch(&self) -> Option<Vec<TraceSpan>> {
        let most = self.options.max_batch.max(1);
        let mut until = None;
        loop {
            {
                let mut state = self.lock();
                let (waiting, is_closing) = (state.queue.len(), state.is_closing);
                let is_due = until.is_some_and(|until| Instant::now() >= until);
                if waiting >= most || (waiting > 0 && (is_closing || is_due)) {
                    let spans = state.queue.take(most);
                    state.in_flight = spans.len() as u64;
                    return Some(spans);
                }
                if is_closing {
                    return None;
                }
                if waiting > 0 && until.is_none() {
                    until = Some(Instant::now() + self.options.delay);
                }
            }
            match until {
                Some(until) => tokio::select! {
                    () = self.span_news.notified() => {}
                    () = sleep_until(until) => {}
                },
                None => self.span_news.notified().await,
            }
        }
    }
}
