//! Stubs as tools, so that the runner treats them as it treats every tool.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Call, CallKind, CallTransition, Json};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, Toolbox};
use tokio::time::sleep;

use crate::inner_calls::InnerCalls;
use crate::stubs::{Stub, Stubs};

/// A tool of one name that follows the stubs.
struct StubTool {
    name: String,
    stubs: Arc<Stubs>,
    inner: InnerCalls,
    /// The number of attempts so far, by the number of the answer and the conversation and id of the
    /// call.
    attempts: Mutex<BTreeMap<(u32, String), u32>>,
}

/// Returns a toolbox with a stub for each of the calls.
pub(crate) fn toolbox<'a>(
    stubs: Stubs,
    calls: impl IntoIterator<Item = &'a Call>,
    inner: &InnerCalls,
) -> Toolbox {
    let stubs = Arc::new(stubs);
    let mut toolbox = Toolbox::new();
    let mut add = |kind, name: &str| {
        let (name, stubs, inner) = (name.to_owned(), Arc::clone(&stubs), inner.clone());
        // A second call of the same name finds the tool of the first.
        let _ = toolbox.add_as(kind, StubTool { name, stubs, inner, attempts: Mutex::default() });
    };
    for call in calls {
        add(call.action().map_or(CallKind::Tool, |action| action.kind), call.name());
        if let Some(undo) = call.action().and_then(|action| action.compensate.as_ref()) {
            add(undo.kind, &undo.name);
        }
    }
    toolbox
}

impl StubTool {
    /// Counts an attempt at a call, and returns its number, from 1.
    fn count(&self, id: &str, turn: u32) -> u32 {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = attempts.entry((turn, id.to_owned())).or_default();
        *attempt += 1;
        *attempt
    }
}

impl Tool for StubTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &'static str {
        "Stands in for a tool."
    }

    fn schema(&self) -> &'static str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let (path, id) = (context.agent_path(), context.call_id());
            let attempt =
                self.count(&format!("{}/{id}", context.conversation_id()), context.turn());
            let (own, args) = (id.to_owned().into(), args.as_str().to_owned().into());
            self.inner.note(path, id, CallTransition::Ready { id: own, attempt, args });
            let ended = self.end(id, attempt).await;
            self.inner.note(path, id, CallTransition::Paused { id: id.to_owned().into() });
            ended
        }
        .boxed()
    }

    /// Returns `true`: whether the tool could is not known.
    fn can_undo(&self, _: ToolArgs<'_>) -> bool {
        true
    }

    fn undo<'a>(
        &'a self,
        _: &'a str,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("taken back", "")) }.boxed()
    }
}

impl StubTool {
    /// Follows the stub of a call.
    async fn end(&self, id: &str, attempt: u32) -> Result<ToolOutput, ToolError> {
        match self.stubs.for_call(id, &self.name) {
            Stub::Hangs => pending().await,
            Stub::Fails { after, why } => {
                sleep(after).await;
                Err(ToolError::new(why))
            }
            Stub::Ends { after, fail_times, value } => {
                sleep(after).await;
                if attempt <= fail_times {
                    return Err(ToolError::new(format!("attempt {attempt} failed")));
                }
                let value = value.unwrap_or_else(|| Json::string(&format!("{id}:ok")));
                Ok(ToolOutput::new("ok", value))
            }
        }
    }
}
