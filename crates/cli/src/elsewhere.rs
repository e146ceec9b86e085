//! Runs of other machines, which share a database with this one.

use std::io::{self, Write as _};
use std::mem::take;
use std::time::Duration;

use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;

use crate::failure::Failure;
use crate::places::failure;

/// Waits until no other machine runs a conversation.
pub(crate) async fn wait(store: &dyn Store, conversation: &str) -> Result<(), Failure> {
    let mut says = true;
    while let Some(owner) = find(store, conversation).await? {
        if take(&mut says) {
            let line = format!("waiting for {owner}");
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&line));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Returns the process of another machine that runs a conversation.
pub(crate) async fn find(store: &dyn Store, conversation: &str) -> Result<Option<String>, Failure> {
    let holder = store.shared_runs().holder(conversation).await;
    Ok(holder.map_err(|error| failure(&error))?.map(|holder| holder.name))
}

/// The time between two questions to the database.
const PAUSE: Duration = Duration::from_millis(500);
