//! One turn in the dialect `action` whose calls the program runs itself.
//!
//! The parser, the accumulator and the plan are the same as an agent's: a call may start as soon as
//! it is written, after its dependencies, and with outputs in place of their names. There is no
//! model, store or conversation.

use pyo3::prelude::*;
use serde_json::{Value, json};
use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::{CallResult, Json, LogPosition};
use silcrow_parser::{Dialect, Fragment, Parser};
use silcrow_plan::{Plan, PlanDecision};

/// A turn that is being read, and its calls.
#[pyclass(module = "silcrow._silcrow")]
pub(crate) struct ActionTurn {
    parser: Option<Parser>,
    accumulator: Accumulator,
    plan: Plan,
}

#[pymethods]
impl ActionTurn {
    /// Creates a turn whose text is not read yet.
    #[new]
    fn new() -> Self {
        Self {
            parser: Some(Parser::new(Dialect::Action)),
            accumulator: Accumulator::new().with_names(),
            plan: Plan::new(),
        }
    }

    /// Reads a chunk, and returns pieces and events as JSON.
    fn push(&mut self, text: &str) -> Vec<String> {
        let Self { parser, accumulator, plan } = self;
        let mut out = Vec::new();
        if let Some(parser) = parser {
            parser.push(text, &mut |fragment: Fragment<'_>| {
                accumulator.push(fragment, plan, &mut |step| take(&step, &mut out));
            });
        }
        accumulator.resume(plan, &mut |step| take(&step, &mut out));
        out
    }

    /// Takes the end of the text.
    fn finish(&mut self) -> Vec<String> {
        let Self { parser, accumulator, plan } = self;
        let mut out = Vec::new();
        if let Some(parser) = parser.take() {
            parser.finish(&mut |fragment: Fragment<'_>| {
                accumulator.push(fragment, plan, &mut |step| take(&step, &mut out));
            });
            plan.reach_execution_point();
            accumulator.finish(plan, &mut |step| take(&step, &mut out));
        }
        accumulator.resume(plan, &mut |step| take(&step, &mut out));
        out
    }

    /// Returns the next steps, as JSON: `start`, `retry`, `time`, `await` or `stop`, each with the
    /// id of a call or of a block.
    fn decide(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(decision) = self.plan.decide() {
            all.push(decision_json(decision).to_string());
        }
        all
    }

    /// Takes the outcome of a call, as JSON, and returns pieces and events.
    fn end(&mut self, id: &str, name: &str, outcome: &str) -> Vec<String> {
        let outcome: Value = serde_json::from_str(outcome).unwrap_or_default();
        let text = |member: &str| outcome[member].as_str().unwrap_or_default();
        match outcome["error"].as_str() {
            // Only the model's number of retries counts.
            Some(why) => self.plan.fail(id, CallResult::failure(id, Some(name), why, why), 0),
            None => {
                let value = Json::parse(&outcome["value"].to_string());
                let value = value.filter(|_| !outcome["value"].is_null());
                let result = CallResult::success(id, name, text("summary"), text("content"));
                self.plan.finish(id, result.with_value(value));
            }
        }
        self.report()
    }

    /// Takes that the pause before another attempt is over.
    fn retry(&mut self, id: &str) -> Vec<String> {
        self.plan.retry(id);
        self.report()
    }

    /// Takes that the time of a block is over.
    fn time_out(&mut self, id: &str) -> Vec<String> {
        self.plan.time_out(id);
        self.report()
    }

    /// Takes that nothing of a call runs any more that was to be stopped.
    fn stopped(&mut self, id: &str) -> Vec<String> {
        self.plan.stopped(id, true);
        self.report()
    }

    /// Whether no call runs or waits.
    #[getter]
    fn is_settled(&self) -> bool {
        self.plan.is_settled()
    }
}

impl ActionTurn {
    fn report(&mut self) -> Vec<String> {
        let Self { accumulator, plan, .. } = self;
        let mut out = Vec::new();
        accumulator.report(plan, &mut |step| take(&step, &mut out));
        accumulator.resume(plan, &mut |step| take(&step, &mut out));
        out
    }
}

/// Adds the output of a step.
fn take(step: &Step<'_>, out: &mut Vec<String>) {
    match step {
        Step::Show(text) => out.push(text.to_json(&LogPosition::default())),
        Step::Emit(event) => out.push(event.to_json()),
        _ => {}
    }
}

fn decision_json(decision: PlanDecision) -> Value {
    match decision {
        PlanDecision::Start(call) => json!({
            "do": "start",
            "id": call.id(),
            "name": call.name(),
            "args": call.args(),
            "kind": call.kind().as_str(),
            "mode": call.mode().as_str(),
            "timeout": call.timeout().map(|limit| limit.as_secs_f64()),
            "attempt": call.attempt(),
        }),
        PlanDecision::Retry { id, after } => {
            json!({"do": "retry", "id": id, "after": after.as_secs_f64()})
        }
        PlanDecision::Time { id, after } => {
            json!({"do": "time", "id": id, "after": after.as_secs_f64()})
        }
        PlanDecision::Await { id } => json!({"do": "await", "id": id}),
        PlanDecision::Stop { id } => json!({"do": "stop", "id": id}),
        _ => json!({"do": "nothing"}),
    }
}
