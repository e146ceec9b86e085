//! The questions of MCP servers in the middle of a call, as forms of the page.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_mcp::{Elicitation, ElicitationAnswer, Elicitor};
use silcrow_server::{FormAnswer, FormDesk};

use crate::mcp::form_schema;

/// Asks the user of the conversation whose call the server works on.
pub(super) struct FormElicitor(pub(super) FormDesk);

impl Elicitor for FormElicitor {
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        async move {
            let Some(conversation) = &question.conversation else {
                return ElicitationAnswer::Decline;
            };
            let message = format!("The server {} asks: {}", question.server, question.message);
            match self.0.ask(conversation, &message, &form_schema(&question)).await {
                FormAnswer::Accepted(values) => ElicitationAnswer::Accept(values),
                FormAnswer::Declined => ElicitationAnswer::Decline,
                FormAnswer::Cancelled => ElicitationAnswer::Cancel,
            }
        }
        .boxed()
    }
}
