//! A server's counters of its runs: outcomes, durations, and usage.
//!
//! Everything is a number: it names no user and no conversation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use silcrow_event::{Money, Usage};
use silcrow_front::RunEnd;

/// The numbers of a server since it began.
#[derive(Default)]
pub(crate) struct ServerMeters(Mutex<Numbers>);

#[derive(Default)]
struct Numbers {
    ended: BTreeMap<&'static str, u64>,
    failed: BTreeMap<String, u64>,
    refused: BTreeMap<u16, u64>,
    usage: Usage,
    cost: Money,
    run: Histogram,
    first_text: Histogram,
    queued: Histogram,
}

/// The measurements of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunMeasure {
    /// The time to its first text for the person.
    pub(crate) first_text: Option<Duration>,
    /// The usage of the run and of everything that it called.
    pub(crate) usage: Usage,
    /// Its spending, if an account counts it.
    pub(crate) cost: Money,
}

/// The number of times in each bucket, and their sum.
#[derive(Default)]
struct Histogram {
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: Duration,
}

impl ServerMeters {
    pub(crate) fn ended(&self, end: &RunEnd, time: Duration, measured: &RunMeasure) {
        let mut numbers = self.lock();
        let outcome = match end {
            RunEnd::Answered => "answered",
            RunEnd::Stopped => "stopped",
            RunEnd::Waiting => "waiting",
            RunEnd::Failed { .. } => "failed",
        };
        *numbers.ended.entry(outcome).or_default() += 1;
        if let RunEnd::Failed { code, .. } = end
            && (numbers.failed.contains_key(code) || numbers.failed.len() < MOST_CODES)
        {
            *numbers.failed.entry(code.clone()).or_default() += 1;
        }
        numbers.usage += measured.usage;
        numbers.cost = numbers.cost.saturating_add(measured.cost);
        numbers.run.record(time);
        if let Some(time) = measured.first_text {
            numbers.first_text.record(time);
        }
    }

    /// Counts an answer with this status, if it refuses a request for now.
    pub(crate) fn answered(&self, status: u16) {
        if matches!(status, 409 | 429 | 503) {
            *self.lock().refused.entry(status).or_default() += 1;
        }
    }

    /// Counts the time that a prompt waited for its place.
    pub(crate) fn queued(&self, time: Duration) {
        self.lock().queued.record(time);
    }

    /// Writes the numbers in the text format of Prometheus.
    pub(crate) fn write(&self, out: &mut String) {
        let numbers = self.lock();
        let head = |out: &mut String, name: &str, about: &str, kind: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "# HELP silcrow_{name} {about}\n# TYPE silcrow_{name} {kind}");
        };
        head(out, "runs_ended_total", "Runs that have ended, by how.", "counter");
        for outcome in ["answered", "stopped", "waiting", "failed"] {
            let count = numbers.ended.get(outcome).copied().unwrap_or_default();
            let _ = writeln!(out, "silcrow_runs_ended_total{{outcome=\"{outcome}\"}} {count}");
        }
        head(out, "failures_total", "Runs that have failed, by the code of the error.", "counter");
        for (code, count) in &numbers.failed {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if code.bytes().all(is_word) {
                let _ = writeln!(out, "silcrow_failures_total{{code=\"{code}\"}} {count}");
            }
        }
        head(out, "refused_total", "Requests that were refused for now, by status.", "counter");
        for status in [409, 429, 503] {
            let count = numbers.refused.get(&status).copied().unwrap_or_default();
            let _ = writeln!(out, "silcrow_refused_total{{status=\"{status}\"}} {count}");
        }
        head(out, "tokens_total", "Tokens that runs used.", "counter");
        let Usage { input, output, cached, reasoning, .. } = numbers.usage;
        let kinds =
            [("input", input), ("output", output), ("cached", cached), ("reasoning", reasoning)];
        for (kind, count) in kinds {
            let _ = writeln!(out, "silcrow_tokens_total{{kind=\"{kind}\"}} {count}");
        }
        head(
            out,
            "cost_total",
            "Money that runs with a limit spent, in their currency.",
            "counter",
        );
        let micros = numbers.cost.micros();
        let _ =
            writeln!(out, "silcrow_cost_total {}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let times = [
            ("run_seconds", "The time of a run.", &numbers.run),
            ("first_text_seconds", "The time to the first text of a run.", &numbers.first_text),
            ("queue_seconds", "The time that a prompt waited for its place.", &numbers.queued),
        ];
        for (name, about, times) in times {
            head(out, name, about, "histogram");
            times.write(name, out);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Histogram {
    fn record(&mut self, time: Duration) {
        if let Some(at) = BOUNDS.iter().position(|bound| time.as_secs_f64() <= *bound) {
            self.counts[at] += 1;
        }
        self.count += 1;
        self.sum += time;
    }

    fn write(&self, name: &str, out: &mut String) {
        let mut below = 0;
        for (bound, count) in BOUNDS.iter().zip(&self.counts) {
            below += count;
            let _ = writeln!(out, "silcrow_{name}_bucket{{le=\"{bound}\"}} {below}");
        }
        let (count, sum) = (self.count, self.sum.as_secs_f64());
        let _ = writeln!(
            out,
            "silcrow_{name}_bucket{{le=\"+Inf\"}} {count}\nsilcrow_{name}_sum {sum}\n\
             silcrow_{name}_count {count}"
        );
    }
}

/// The upper bounds of all buckets except the last, in seconds.
const BOUNDS: [f64; 14] =
    [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3_600.0];

/// The number of codes after which further ones are not distinguished.
const MOST_CODES: usize = 64;
