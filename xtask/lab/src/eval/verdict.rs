//! The judgement of the text of a run, and the counts of many runs.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::question::Question;

/// Counts over the runs of one setting.
#[derive(Default)]
pub(super) struct RunTally {
    runs: u32,
    turns: usize,
    well_formed: usize,
    calls: u32,
    answers: u32,
    failed: u32,
    mistakes: u32,
    messages: usize,
    time: Duration,
}

/// The results of one run.
pub(super) struct FinishedRun<'a> {
    pub(super) code: i32,
    pub(super) events: &'a [Value],
    pub(super) time: Duration,
    /// Whether the folder has the change that the question asked for.
    pub(super) has_changed: bool,
}

impl RunTally {
    pub(super) const HEAD: &str = "\
| prompt | dialect | calls | grammar | right first call | right answer | well-formed turns | messages to the model | ended with an error | ended by mistake | seconds a run |
|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|";

    /// Judges a run. An answer with marks of the wire in it is wrong in any case.
    pub(super) fn add(&mut self, question: &Question, run: &FinishedRun<'_>) {
        let FinishedRun { code, events, time, has_changed } = *run;
        let notices = of_type(events, "notice").count();
        let failed_calls =
            of_type(events, "result").filter(|result| result["payload"]["tool"].is_null());
        let turns = of_type(events, "metric").count();
        let answer = of_type(events, "respond").filter(|event| event["malformed"] != true).last();
        let answer = answer.and_then(|event| event["content"].as_str()).unwrap_or_default().trim();
        let is_right = has_changed && question.is_answered_by(answer);
        self.runs += 1;
        self.turns += turns;
        self.well_formed += turns.saturating_sub(notices + failed_calls.count());
        self.calls += u32::from(question.is_called_for(events));
        self.answers += u32::from(code == 0 && is_answer(answer) && is_right);
        self.failed += u32::from(code != 0);
        self.mistakes += u32::from(code == 0 && !is_answer(answer));
        self.messages += notices;
        self.time += time;
    }

    /// Adds the counts of another setting.
    pub(super) fn merge(&mut self, other: &Self) {
        self.runs += other.runs;
        self.turns += other.turns;
        self.well_formed += other.well_formed;
        self.calls += other.calls;
        self.answers += other.answers;
        self.failed += other.failed;
        self.mistakes += other.mistakes;
        self.messages += other.messages;
        self.time += other.time;
    }
}

impl fmt::Display for RunTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, turns, well_formed, calls, answers, failed, mistakes, messages, time } =
            self;
        let seconds = time.as_secs_f64() / f64::from((*runs).max(1));
        write!(
            f,
            "| {calls} of {runs} | {answers} of {runs} | {well_formed} of {turns} | {messages} \
             | {failed} | {mistakes} | {seconds:.1} |"
        )
    }
}

/// Returns whether a person would take a text for an answer, right or wrong: it is not empty, and
/// it holds nothing of the wire, of this one or of a model's own.
fn is_answer(text: &str) -> bool {
    !text.is_empty() && !LITTER.iter().any(|litter| text.contains(litter))
}

/// Texts that no answer may have.
const LITTER: [&str; 14] = [
    "§",
    "<execute",
    "<think",
    "</",
    "<action",
    "<response",
    "<results",
    "\"args\"",
    "\"parameters\"",
    "\"arguments\"",
    "<tool_call",
    "[TOOL_CALLS]",
    "<|",
    "<function=",
];

/// Returns the events of a type.
pub(super) fn of_type<'a>(
    events: &'a [Value],
    kind: &'static str,
) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["type"] == kind)
}
