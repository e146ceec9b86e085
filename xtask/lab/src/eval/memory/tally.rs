//! Counts over the questions that were asked with one memory.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::talk::Fact;
use crate::eval::verdict::of_type;

#[derive(Default)]
pub(super) struct MemoryTally {
    asked: u32,
    right: u32,
    called: u32,
    found: u32,
    summaries: usize,
    tokens: u64,
    time: Duration,
}

impl MemoryTally {
    pub(super) const HEAD: &str = "\
| what the model has of the older turns | right answers | called `recall` | found it | summaries made | tokens sent a question | seconds a question |
|---|---:|---:|---:|---:|---:|---:|";

    /// Counts a run.
    pub(super) fn add(&mut self, fact: &Fact, is_right: bool, events: &[Value], time: Duration) {
        let sent = of_type(events, "metric").filter_map(|metric| metric["step"]["input"].as_u64());
        self.asked += 1;
        self.right += u32::from(is_right);
        self.called += u32::from(of_type(events, "call").next().is_some());
        self.found += u32::from(fact.is_found(events));
        self.summaries += of_type(events, "summary").count();
        self.tokens += sent.sum::<u64>();
        self.time += time;
    }
}

impl fmt::Display for MemoryTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, right, called, found, summaries, tokens, time } = self;
        let each = u64::from(*asked).max(1);
        let seconds = time.as_secs_f64() / each as f64;
        write!(
            f,
            "| {right} of {asked} | {called} | {found} | {summaries} | {} | {seconds:.1} |",
            tokens / each
        )
    }
}
