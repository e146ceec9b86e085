//! The questions, and the judgement of what a run wrote.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// A question, the first call that it takes, and the words of its answer.
pub(super) struct Question {
    pub(super) text: String,
    tool: String,
    target: String,
    answer: Vec<String>,
}

impl Question {
    /// Returns at most `count` questions, evenly out of all.
    pub(super) fn all(count: usize) -> Result<Vec<Self>, String> {
        let all: Vec<_> = include_str!("questions.jsonl").lines().collect();
        let count = count.min(all.len());
        let lines = (0..count).map(|index| all[index * all.len() / count]);
        lines.map(|line| Self::read(line).ok_or_else(|| format!("no question: {line}"))).collect()
    }

    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value[key].as_str()?.to_owned());
        let words = value["answer"].as_array()?.iter();
        let answer = words.map(|word| Some(word.as_str()?.to_owned())).collect::<Option<_>>()?;
        Some(Self { text: text("question")?, tool: text("tool")?, target: text("target")?, answer })
    }

    /// Returns whether the first call asks the right tool about the right thing.
    fn is_called_for(&self, events: &[Value]) -> bool {
        let Some(call) = of_type(events, "call").next() else { return false };
        let content = call["content"].as_str().unwrap_or_default();
        let Ok(call) = serde_json::from_str::<Value>(content) else { return false };
        let args = call["args"].as_object().into_iter().flat_map(|args| args.values());
        let target = |value: &Value| {
            let value = value.as_str().unwrap_or_default();
            value.trim_start_matches("./").trim_end_matches('/') == self.target
        };
        call["name"] == self.tool && args.into_iter().any(target)
    }

    fn is_answered_by(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase();
        self.answer.iter().all(|word| answer.contains(&word.to_lowercase()))
    }
}

/// Counts over the runs of one setting.
#[derive(Default)]
pub(super) struct Tally {
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

impl Tally {
    pub(super) const HEAD: &str = "\
| prompt | dialect | grammar | right first call | right answer | well-formed turns | messages to the model | ended with an error | ended by mistake | seconds a run |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|";

    /// Judges a run.
    pub(super) fn add(&mut self, question: &Question, code: i32, events: &[Value], time: Duration) {
        let notices = of_type(events, "notice").count();
        let failed_calls =
            of_type(events, "result").filter(|result| result["payload"]["tool"].is_null());
        let turns = of_type(events, "metric").count();
        let answer = of_type(events, "respond").filter(|event| event["malformed"] != true).last();
        let answer = answer.and_then(|event| event["content"].as_str()).unwrap_or_default().trim();
        self.runs += 1;
        self.turns += turns;
        self.well_formed += turns.saturating_sub(notices + failed_calls.count());
        self.calls += u32::from(question.is_called_for(events));
        self.answers += u32::from(code == 0 && question.is_answered_by(answer));
        self.failed += u32::from(code != 0);
        self.mistakes += u32::from(code == 0 && !is_answer(answer));
        self.messages += notices;
        self.time += time;
    }
}

impl fmt::Display for Tally {
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
/// it holds nothing of the wire.
fn is_answer(text: &str) -> bool {
    let litter = [
        "§",
        "<execute",
        "<think",
        "</",
        "<action",
        "<response",
        "<results",
        "\"args\"",
        "\"parameters\"",
    ];
    !text.is_empty() && !litter.iter().any(|litter| text.contains(litter))
}

/// Returns the events of a type.
pub(super) fn of_type<'a>(
    events: &'a [Value],
    kind: &'static str,
) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["type"] == kind)
}
