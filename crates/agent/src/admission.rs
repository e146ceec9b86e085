//! The checks of a scope and a prompt before a run begins.
//!
//! They look at the values alone. Whether the user may continue the conversation is the log's to
//! check.

use silcrow_store::validate;
use silcrow_tool::Scope;

use crate::error::{Error, ErrorKind};
use crate::names::{MAX_CALL_CONVERSATION, MAX_CONVERSATION};

/// Returns an error for an empty prompt.
pub(crate) fn check_prompt(prompt: &str) -> Result<(), Error> {
    match prompt.trim().is_empty() {
        true => Err(Error::new(ErrorKind::Refused, "the prompt is empty; say what you want")),
        false => Ok(()),
    }
}

/// Returns an error for a conversation id or a user name that stores do not accept.
pub(crate) fn check(scope: &Scope) -> Result<(), Error> {
    let refuse = |why| Err(Error::new(ErrorKind::Refused, why));
    let id = scope.conversation_id();
    let max = if scope.agent_path.is_empty() { MAX_CONVERSATION } else { MAX_CALL_CONVERSATION };
    if id.is_empty() || id.len() > max {
        return refuse(format!("a conversation's id has 1 to {max} bytes"));
    }
    if id.chars().any(char::is_control) {
        return refuse(
            "a conversation's id cannot contain control characters; leave them out".to_owned(),
        );
    }
    if let Some(user) = &scope.user {
        validate::user(Some(user))?;
        if user.chars().any(char::is_control) {
            return refuse(
                "a user's name cannot contain control characters; leave them out".to_owned(),
            );
        }
    }
    Ok(())
}
