//! The exporter: a queue, sums, and the tasks that send them.
//!
//! The tasks run beside the runs, on the same runtime. Each sends one kind of data, so a collector
//! that hangs with one does not hold up the other.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use silcrow_agent::{EventWatch, ObservedRun, RunObserver};
use silcrow_event::Timestamp;
use silcrow_otlp::{Attribute, MetricRecorder, TraceSpan};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::Error;
use crate::options::Options;
use crate::post::CollectorClient;
use crate::queue::SpanQueue;
use crate::report::ExportReport;
use crate::run_spans::RunSpans;
use crate::sender::{metrics, send, traces, words};
use crate::shared_state::{ExportState, SharedState};

/// Watches agents' runs and sends their spans and metrics. Cloning is cheap.
///
/// When the last clone is dropped, sending stops; [`shutdown`](Self::shutdown) first sends the
/// waiting spans.
#[derive(Clone)]
pub struct Exporter {
    shared: Arc<SharedState>,
    tasks: Arc<Mutex<JoinSet<()>>>,
}

impl Exporter {
    /// Starts the tasks that send.
    ///
    /// # Errors
    ///
    /// Returns an error if no client can be made of the options.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn start(mut options: Options) -> Result<Self, Error> {
        let start = Timestamp::from(SystemTime::now());
        let resource = &mut options.resource;
        if !resource.attributes.iter().any(|attribute| attribute.name == INSTANCE) {
            let instance = format!("{:x}-{:x}", start.as_nanos(), std::process::id());
            *resource = resource.clone().with_attribute(Attribute::new(INSTANCE, instance));
        }
        let client = |target: &Option<_>| target.clone().map(CollectorClient::new).transpose();
        let (for_traces, for_metrics) = (client(&options.traces)?, client(&options.metrics)?);
        let state = ExportState {
            queue: SpanQueue::new(options.max_queue, options.max_queue_bytes),
            metrics: MetricRecorder::new(options.vocabulary),
            has_news: false,
            is_closing: false,
            in_flight: 0,
            report: ExportReport::default(),
        };
        let shared = Arc::new(SharedState {
            options,
            start,
            clock: Instant::now(),
            state: Mutex::new(state),
            span_news: Notify::new(),
            metric_news: Notify::new(),
        });
        let mut tasks = JoinSet::new();
        if let Some(client) = for_traces {
            tasks.spawn(send_spans(Arc::clone(&shared), client));
        }
        if let Some(client) = for_metrics {
            tasks.spawn(send_metrics(Arc::clone(&shared), client));
        }
        Ok(Self { shared, tasks: Arc::new(Mutex::new(tasks)) })
    }

    /// Returns the options, with the id of this instance.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Adds spans that are over, and counts them. Never waits.
    pub fn push(&self, spans: Vec<TraceSpan>) {
        self.shared.take(spans, true);
    }

    /// Sends the waiting data, for at most this long, and ends. Returns the data that was not sent.
    ///
    /// Spans that come later are dropped.
    pub async fn shutdown(&self, patience: Duration) -> ExportReport {
        self.shared.lock().is_closing = true;
        self.shared.span_news.notify_one();
        self.shared.metric_news.notify_one();
        let mut tasks =
            std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while tasks.join_next().await.is_some() {} };
        let is_late = timeout(patience, all).await.is_err();
        tasks.abort_all();
        let state = self.shared.lock();
        let unsent = match self.shared.options.traces {
            Some(_) => state.queue.len() as u64 + state.in_flight,
            None => 0,
        };
        let mut report =
            ExportReport { unsent, dropped: state.queue.dropped, ..state.report.clone() };
        if is_late && report.failure.is_none() {
            report.failure = Some("the collector did not answer in time".to_owned());
        }
        report
    }
}

impl RunObserver for Exporter {
    fn observe(&self, run: &ObservedRun<'_>) -> Option<EventWatch> {
        let mut spans = RunSpans::new(run, Arc::clone(&self.shared));
        Some(Box::new(move |event| spans.push(event)))
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

/// Sends spans to the end.
async fn send_spans(shared: Arc<SharedState>, client: CollectorClient) {
    while let Some(spans) = shared.batch().await {
        let count = spans.len() as u64;
        let body = traces(&client, &shared.options.resource, &spans);
        drop(spans);
        let sent = send(&client, body, &|| shared.lock().is_closing).await;
        let mut state = shared.lock();
        state.in_flight = 0;
        match sent {
            Ok(partial) => {
                let rejected = partial.rejected.min(count);
                state.report.sent += count - rejected;
                state.report.refused += rejected;
                if rejected > 0 {
                    state.report.failure = Some(partial.message);
                }
            }
            Err(error) => {
                state.report.refused += count;
                state.report.failure = Some(words(&error));
            }
        }
    }
}

/// Sends the sums again and again, and once more at the end.
async fn send_metrics(shared: Arc<SharedState>, client: CollectorClient) {
    loop {
        let next = Instant::now() + shared.options.metric_interval;
        let is_closing = || shared.lock().is_closing;
        if !is_closing() {
            tokio::select! {
                () = shared.metric_news.notified() => {}
                () = sleep_until(next) => {}
            }
        }
        let is_last = is_closing();
        let news = {
            let mut state = shared.lock();
            std::mem::take(&mut state.has_news).then(|| state.metrics.clone())
        };
        if let Some(sums) = news {
            let times = (shared.start, shared.now());
            let body = metrics(&client, &shared.options.resource, &sums, times);
            if let Err(error) = send(&client, body, &is_closing).await {
                shared.lock().report.failure = Some(words(&error));
            }
        }
        if is_last {
            return;
        }
    }
}

/// The attribute that distinguishes two processes of one program.
const INSTANCE: &str = "service.instance.id";
