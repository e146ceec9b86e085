//! A tool that is a function of Python.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use silcrow_event::{Content, Json};
use silcrow_tool::{ApprovalNeed, CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::desk::Desk;

/// A function as a tool: its name, its schema, and how its calls are treated.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FunctionFacts {
    pub(crate) name: String,
    description: String,
    /// A JSON schema, as an object.
    schema: Value,
    approval: bool,
    read_only: bool,
    idempotent: bool,
    sends_out: bool,
    /// In seconds.
    timeout: f64,
    retries: u32,
}

/// A function whose calls are put on the desk of a run.
pub(crate) struct FunctionTool {
    facts: Arc<FunctionFacts>,
    schema: String,
    desk: Arc<Desk>,
}

/// The return value of a function.
#[derive(Debug, Deserialize)]
struct FunctionAnswer {
    /// The text that the model reads.
    content: Option<String>,
    summary: Option<String>,
    /// The value as JSON, for `$name`.
    value: Option<Value>,
    /// The reason why there is no output, for the model.
    error: Option<String>,
}

impl FunctionTool {
    pub(crate) fn new(facts: &Arc<FunctionFacts>, desk: &Arc<Desk>) -> Self {
        let schema = facts.schema.to_string();
        Self { facts: Arc::clone(facts), schema, desk: Arc::clone(desk) }
    }
}

impl Tool for FunctionTool {
    fn name(&self) -> &str {
        &self.facts.name
    }

    fn description(&self) -> &str {
        &self.facts.description
    }

    fn schema(&self) -> &str {
        &self.schema
    }

    fn policy(&self) -> ToolPolicy {
        let FunctionFacts { approval, read_only, idempotent, sends_out, timeout, retries, .. } =
            *self.facts;
        ToolPolicy {
            read_only,
            sends_out,
            idempotent,
            approval: if approval { ApprovalNeed::Always } else { ApprovalNeed::Never },
            timeout: Duration::try_from_secs_f64(timeout).unwrap_or(Duration::MAX),
            retries,
            ..ToolPolicy::default()
        }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let about = json!({
                "name": self.facts.name,
                "args": args.as_str(),
                "conversation": context.scope().conversation_id(),
                "turn": context.scope().turn,
                "id": context.call_id(),
                "repeated": context.scope().is_repeated,
            });
            let answer = self.desk.ask("call", about.to_string()).await;
            let answer = answer.ok_or_else(|| ToolError::new("the program ends its run"))?;
            output(&answer)
        }
        .boxed()
    }
}

/// Reads the return value of a function.
fn output(answer: &str) -> Result<ToolOutput, ToolError> {
    let answer: FunctionAnswer = serde_json::from_str(answer)
        .map_err(|why| ToolError::new(format!("its answer cannot be read: {why}")))?;
    if let Some(error) = answer.error {
        return Err(ToolError::new(error));
    }
    let content = answer.content.unwrap_or_default();
    let summary = answer.summary.unwrap_or_else(|| "done".to_owned());
    let value = answer.value.and_then(|value| Json::parse(&value.to_string()));
    Ok(ToolOutput::new(summary, Content::from(&*content)).with_value(value))
}
