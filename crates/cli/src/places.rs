//! The places where conversations are kept, and the messages about their errors.

pub(crate) use silcrow_session::{OTHER_STORE, OpenStore, StorePlace, new_conversation};

use crate::failure::Failure;

/// Converts an error of the store. A folder that is not a store is a wrong argument; all other
/// errors occur while running.
pub(crate) fn failure(error: &silcrow_store::Error) -> Failure {
    silcrow_session::Error::from(error).into()
}
