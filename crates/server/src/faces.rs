//! Protocols of other front ends, one in each module.
//!
//! A face reads the request of its protocol, acts like the native endpoints, and encodes the run.

pub(crate) mod ag_ui;
mod ag_ui_answers;
pub(crate) mod ai_sdk;
mod answer_form;
mod chat_answer;
pub(crate) mod chat_completions;
mod chat_turn;
pub(crate) mod openai;
mod response_id;
pub(crate) mod responses;
mod sent_messages;
pub(crate) mod unnamed_chat;
mod unstored;
mod user_account;
mod wishes;

use silcrow_agent::ParkedQuestion;
use silcrow_front::{ClientCallId, ClientResult};
use silcrow_tool::ApprovalDecision;

use crate::error::ErrorKind;

/// Writes the body of an error.
type ErrorForm = fn(ErrorKind, &str) -> String;

/// Returns the form of errors at an address, if it differs from the server's.
pub(crate) fn error_form(path: &str) -> Option<ErrorForm> {
    path.starts_with("/v1/").then_some(openai::error_body)
}

/// Returns the denial of a call, with the reason in the person's own words.
pub(crate) fn denial(reason: Option<&str>) -> ApprovalDecision {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    ApprovalDecision::Deny(match reason {
        Some(reason) => format!("the person did not allow it, and said: {reason}"),
        None => "the person did not allow it".to_owned(),
    })
}

/// Returns the results of calls whose ids name a conversation, with the ids that it has for them.
fn results_in<'a>(
    conversation: &str,
    results: impl IntoIterator<Item = &'a ClientResult>,
) -> Vec<ClientResult> {
    let own = |result: &ClientResult| {
        let id = ClientCallId::parse(&result.call)?;
        (id.conversation == conversation)
            .then(|| ClientResult { call: id.call.to_owned(), ..result.clone() })
    };
    results.into_iter().filter_map(own).collect()
}

fn is_open(open: &[ParkedQuestion], question: &str) -> bool {
    open.iter().any(|asked| asked.id() == question)
}
