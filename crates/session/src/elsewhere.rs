//! Runs of other machines, which share a database with this one.

use std::mem::take;
use std::time::Duration;

use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;

use crate::error::Error;
use crate::host::SessionHost;

/// Waits until no other machine runs a conversation.
///
/// # Errors
///
/// Returns an error of the store.
pub async fn wait_for_others(
    store: &dyn Store,
    conversation: &str,
    host: &dyn SessionHost,
) -> Result<(), Error> {
    let mut says = true;
    while let Some(owner) = other_holder(store, conversation).await? {
        if take(&mut says) {
            host.notice(&sanitize_line(&format!("waiting for {owner}")));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Returns the process of another machine that runs a conversation.
///
/// # Errors
///
/// Returns an error of the store.
pub async fn other_holder(store: &dyn Store, conversation: &str) -> Result<Option<String>, Error> {
    Ok(store.shared_runs().holder(conversation).await?.map(|holder| holder.name))
}

/// The time between two questions to the database.
const PAUSE: Duration = Duration::from_millis(500);
