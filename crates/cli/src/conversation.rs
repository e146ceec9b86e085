//! Conversations as a person names them, with the messages for unknown ones.

use silcrow_history::{Conversations, Error, ErrorKind};
use silcrow_store::Store;

use crate::failure::Failure;
use crate::places;

pub(crate) use silcrow_history::{ConversationOwner, absolute};

/// Lists the conversations of an owner.
pub(crate) async fn listed(
    store: &dyn Store,
    owner: ConversationOwner<'_>,
) -> Result<Conversations, Failure> {
    Conversations::list(store, owner).await.map_err(|error| failure(&error))
}

/// Returns the id that is meant by an id or by the beginning of one.
pub(crate) async fn resolved(
    store: &dyn Store,
    typed: &str,
    owner: ConversationOwner<'_>,
) -> Result<String, Failure> {
    Conversations::resolve(store, typed, owner).await.map_err(|error| failure(&error))
}

/// Returns the id that is meant, or the typed text for a conversation that is yet to begin, or of
/// which only a part is left.
pub(crate) async fn resolved_or_typed(store: &dyn Store, typed: &str) -> Result<String, Failure> {
    Conversations::resolve_or_typed(store, typed).await.map_err(|error| failure(&error))
}

/// Returns the failure for an error, with the command that helps.
pub(crate) fn failure(error: &Error) -> Failure {
    match (error.store_error(), error.kind()) {
        (Some(error), _) => places::failure(error),
        (None, ErrorKind::Unknown) => Failure::given(format!("{error}; `silcrow log` lists them")),
        (None, _) => Failure::given(error.to_string()),
    }
}
