//! The head of a stored conversation, or the failure that there is none.

use silcrow_store::Store;

use crate::failure::Failure;
use crate::places;

/// Returns the head of a conversation, or a failure if it does not exist.
pub(crate) async fn stored_head(store: &dyn Store, conversation: &str) -> Result<u64, Failure> {
    match store.head(conversation).await {
        Ok(0) => Err(unknown(conversation)),
        head => head.map_err(|error| places::failure(&error)),
    }
}

/// Returns the failure that a conversation does not exist.
pub(crate) fn unknown(conversation: &str) -> Failure {
    Failure::given(format!("there is no conversation `{conversation}`; `silcrow log` lists them"))
}
