//! A model that saves if it is asked to, and the tool for it.

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_tool::{ApprovalNeed, CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

/// A model that calls `save` if it is asked to, and answers otherwise.
pub(crate) struct SavingModel;

impl Provider for SavingModel {
    fn name(&self) -> &str {
        "saving"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let last = request.messages.last().map(|message| message.content.text().into_owned());
        let text = match last.as_deref() {
            Some("Save.") => "§call: {\"name\":\"save\",\"args\":{}}\n§execute\n",
            _ => "§respond: It is what it was before.\n§end",
        };
        let text = [Delta::Text(text.to_owned()), Delta::Done(FinishReason::Stop)];
        stream::iter(text.map(Ok)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A tool that a person has to allow.
pub(crate) struct Save;

impl Tool for Save {
    fn name(&self) -> &str {
        "save"
    }

    fn description(&self) -> &str {
        "Saves."
    }

    fn schema(&self) -> &str {
        "{}"
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("saved", "")) }.boxed()
    }
}
