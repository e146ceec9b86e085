//! The head of a stored conversation, or the failure for an unknown one.

use silcrow_store::Store;

use crate::conversation::failure;
use crate::failure::Failure;

/// Returns the id and the head of the conversation that is meant, or a failure for one that does not
/// exist.
pub(crate) async fn stored_head(store: &dyn Store, typed: &str) -> Result<(String, u64), Failure> {
    silcrow_history::stored_head(store, typed).await.map_err(|error| failure(&error))
}

/// Returns the failure that a conversation does not exist.
pub(crate) fn unknown(conversation: &str) -> Failure {
    Failure::given(format!("unknown conversation `{conversation}`; `silcrow log` lists them"))
}
