//! The models that the arguments, the environment and the settings name, with what a message says
//! about options.

use silcrow_exec::{AccountKind, BudgetResource};
use silcrow_models::{Environment, Error, FoundKey};
use silcrow_provider::{self as provider, SamplingField};

use crate::environment::set;
use crate::failure::Failure;

pub(crate) use silcrow_models::{is_rehearsal, label};
pub(crate) use silcrow_session::model::{
    ModelSettings, choose, limits, name, options, set_key_command,
};

/// Returns whether the environment names a model.
pub(crate) fn is_named() -> bool {
    set("SILCROW_MODEL").is_some()
}

/// Returns the key of the environment for which no model was chosen.
pub(crate) fn found_key() -> Option<FoundKey> {
    FoundKey::find(&Environment::process())
}

/// Returns the failure for an error, with the options of the command that help.
pub(crate) fn failure(error: Error) -> Failure {
    silcrow_session::Error::from(error).into()
}

/// Returns whether the model with this name has a value of the sampling.
pub(crate) fn has_field(name: &str, field: SamplingField) -> Result<bool, Failure> {
    let has = silcrow_models::has_sampling_field(&Environment::process(), name, field);
    has.map_err(failure)
}

/// Returns a hint for the failure of a model: where to put a key, or where to set a limit.
pub(crate) fn hint(name: &str, error: &silcrow_agent::Error) -> &'static str {
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
