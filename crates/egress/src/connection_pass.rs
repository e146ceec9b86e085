//! The pass of a connection.
//!
//! A connection has one pass, so that it ends with that.

use std::sync::Arc;

use tokio::sync::SetOnce;

use crate::pass_state::PassState;

/// The pass of a connection, once its client has shown the credentials.
pub(crate) type ConnectionPass = Arc<SetOnce<Arc<PassState>>>;

/// Returns whether a pass belongs to the connection: the first one that was shown on it does.
pub(crate) fn is_own(own: &ConnectionPass, pass: &Arc<PassState>) -> bool {
    // It fails if there is one already.
    let _ = own.set(Arc::clone(pass));
    own.get().is_some_and(|own| Arc::ptr_eq(own, pass))
}
