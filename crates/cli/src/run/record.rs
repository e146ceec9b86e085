//! The record of a run for scripts: the answer, the outcome, and the denied calls.
//!
//! This module reads the events of a run. It does not print them.

use std::time::Instant;

use serde_json::{Map, Value, json};
use silcrow_agent::{Error, RunOutcome};
use silcrow_event::{CallResult, Entry, Event, ResultOrigin, RunEventRef, Usage};
use silcrow_exec::ModelPrice;
use silcrow_sanitize::sanitize_line;

use crate::failure::Failure;

/// The record of a run so far.
pub(super) struct RunRecord {
    since: Instant,
    conversation: Option<String>,
    /// The turn of the last answer, and its parts.
    answer: (Option<u32>, Vec<String>),
    outcome: &'static str,
    denied: Vec<DeniedCall>,
    /// The ids of the questions for whose answers the run waits.
    questions: Vec<String>,
    usage: Option<Usage>,
    /// The price of the model, if it is known.
    price: Option<ModelPrice>,
    /// Whether the answer is JSON, which programs get as a value.
    is_value: bool,
}

/// A call that did not run, because a person, a rule or a mode denied it.
struct DeniedCall {
    id: String,
    turn: Option<u32>,
    tool: String,
    /// The path of the calling agent below the person's.
    agent: Option<String>,
    /// The words that the model reads.
    reason: String,
}

impl RunRecord {
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            conversation: None,
            answer: (None, Vec::new()),
            outcome: "failed",
            denied: Vec::new(),
            questions: Vec::new(),
            usage: None,
            price: None,
            is_value: false,
        }
    }

    /// Notes the conversation of the run, the price of its model, and whether its answer is JSON.
    pub(super) fn begin(&mut self, conversation: &str, price: Option<ModelPrice>, is_value: bool) {
        self.conversation = Some(conversation.to_owned());
        self.price = price;
        self.is_value = is_value;
    }

    pub(super) fn show(&mut self, output: RunEventRef<'_>) {
        let RunEventRef::Entry(entry) = output else { return };
        if let Event::Result(result) = &entry.event
            && is_denied(result)
        {
            self.denied.push(DeniedCall::new(entry, result));
        }
        if entry.agent_path.is_some() {
            return;
        }
        match &entry.event {
            Event::Respond(respond) if respond.last && respond.malformed.is_none() => {
                if self.answer.0 != entry.turn {
                    self.answer = (entry.turn, Vec::new());
                }
                self.answer.1.push(respond.content.clone());
            }
            // The model's text was not an answer.
            Event::Notice { .. } if self.answer.0 == entry.turn => self.answer.1.clear(),
            // A replay answers each prompt.
            Event::User { steer: false, .. } => self.answer.1.clear(),
            Event::Metric(metric) => {
                self.usage = Some(metric.all.as_deref().copied().unwrap_or(metric.total));
            }
            _ => {}
        }
    }

    /// Notes how the run ended.
    pub(super) fn end(&mut self, ended: &Result<RunOutcome, Error>) {
        self.outcome = match ended {
            Ok(RunOutcome::Answered) => "answered",
            Ok(RunOutcome::Interrupted) => "interrupted",
            Ok(RunOutcome::Waiting(questions)) => {
                self.questions = questions.iter().map(|asked| asked.id().to_owned()).collect();
                "waiting"
            }
            Err(_) => "failed",
        };
    }

    /// Returns a failure if a call was denied, although the model has answered.
    pub(super) fn strict(&self) -> Result<(), Failure> {
        if self.denied.is_empty() {
            return Ok(());
        }
        let calls: Vec<_> = self.denied.iter().map(DeniedCall::to_line).collect();
        Err(Failure::denied(format!(
            "the model answered, but not all of its calls ran: {}",
            calls.join("; ")
        )))
    }

    /// Returns the text of the last answer.
    pub(super) fn text(&self) -> String {
        self.answer.1.join("\n")
    }

    /// Returns the answer, if the run has one.
    pub(super) fn answer(&self) -> Option<String> {
        let (_, parts) = &self.answer;
        let is_answered = self.outcome == "answered";
        (is_answered && !parts.is_empty()).then(|| parts.join("\n"))
    }

    /// Returns the object that ends the output for programs.
    pub(super) fn to_json(&self, done: &Result<(), Failure>) -> String {
        let answer = self.answer();
        let mut object = Map::new();
        let mut add = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
        add("type", json!("done"));
        add("answer", json!(answer));
        let value = answer.as_deref().filter(|_| self.is_value);
        if let Some(value) = value.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
            add("value", value);
        }
        add("outcome", json!(self.outcome));
        add("denied", self.denied.iter().map(DeniedCall::to_json).collect());
        if !self.questions.is_empty() {
            add("questions", json!(self.questions));
        }
        if let Some(usage) = &self.usage {
            let Usage { input, output, cached, reasoning, .. } = usage;
            add(
                "usage",
                json!({"input": input, "output": output, "cached": cached, "reasoning": reasoning}),
            );
            if let Some(price) = self.price {
                let micros = u32::try_from(price.spending(usage).cost.micros()).unwrap_or(u32::MAX);
                add("cost", json!(f64::from(micros) / 1e6));
            }
        }
        add("conversation", json!(self.conversation));
        let millis = u32::try_from(self.since.elapsed().as_millis()).unwrap_or(u32::MAX);
        add("seconds", json!(f64::from(millis) / 1000.0));
        add("exit", json!(done.as_ref().err().map_or(0, Failure::exit)));
        Value::Object(object).to_string()
    }
}

impl DeniedCall {
    fn new(entry: &Entry, result: &CallResult) -> Self {
        Self {
            id: result.id.clone().unwrap_or_default(),
            turn: entry.turn,
            tool: result.tool().unwrap_or_default().to_owned(),
            agent: entry.agent_path.clone(),
            reason: result.content.text().into_owned(),
        }
    }

    fn to_line(&self) -> String {
        sanitize_line(&format!("{}: {}", self.tool, self.reason)).into_owned()
    }

    fn to_json(&self) -> Value {
        let mut object = json!({"id": self.id, "tool": self.tool, "reason": self.reason});
        if let Some(members) = object.as_object_mut() {
            members.extend(self.turn.map(|turn| ("turn".to_owned(), json!(turn))));
            members.extend(self.agent.as_ref().map(|agent| ("agent".to_owned(), json!(agent))));
        }
        object
    }
}

/// Returns whether a result says that its call was denied.
fn is_denied(result: &CallResult) -> bool {
    let summary = result.payload.as_ref().map(|payload| &*payload.summary);
    result.origin() == ResultOrigin::Framework && summary == Some("denied")
}
