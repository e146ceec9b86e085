//! Advice on the error of a run: where to put a key, or where to set a limit.
//!
//! This module has the options of the command `silcrow`.

use silcrow_exec::{AccountKind, BudgetResource};
use silcrow_provider as provider;

/// Returns the hint after the message of a run's error: where to put a key for the model with this
/// name, or the option that sets a limit. It is empty for other errors.
pub fn hint(name: &str, error: &silcrow_agent::Error) -> &'static str {
    let auth = silcrow_agent::ErrorKind::Provider(provider::ErrorKind::Auth);
    if error.kind() == auth && name.starts_with("compatible:") {
        return "; a key for it goes into SILCROW_COMPATIBLE_KEY, as HOST=KEY or HOST:PORT=KEY";
    }
    match error.kind() {
        silcrow_agent::ErrorKind::StepLimit => " with --max-steps",
        silcrow_agent::ErrorKind::Budget(resource) => match resource {
            BudgetResource::Requests => " with --max-requests",
            BudgetResource::Agents => " with --max-agents",
            BudgetResource::Events => " with --max-events",
            BudgetResource::Bytes => " with --max-wire",
            BudgetResource::Time => " with --max-time",
            BudgetResource::Tokens(AccountKind::Run) => " with --budget-tokens",
            BudgetResource::Tokens(AccountKind::Conversation) => {
                " with --budget-conversation-tokens"
            }
            BudgetResource::Tokens(AccountKind::User) => " with --budget-user-tokens",
            BudgetResource::Cost(AccountKind::Run) => " with --budget-cost",
            BudgetResource::Cost(AccountKind::Conversation) => " with --budget-conversation-cost",
            BudgetResource::Cost(AccountKind::User) => " with --budget-user-cost",
            _ => "",
        },
        silcrow_agent::ErrorKind::Provider(provider::ErrorKind::Timeout) => {
            "; SILCROW_TIMEOUT_FIRST, SILCROW_TIMEOUT_ALIVE (`first_total`), SILCROW_TIMEOUT_IDLE \
             and SILCROW_TIMEOUT_WHOLE are the limits"
        }
        _ => "",
    }
}
