//! Runs of other machines, which share a database with this one.

use std::io::{self, Write as _};
use std::mem::take;
use std::time::Duration;

use silcrow_sanitize::sanitize_line;

use crate::failure::Failure;
use crate::places::OpenStore;

/// Waits until no other machine runs a conversation.
pub(crate) async fn wait(opened: &OpenStore, conversation: &str) -> Result<(), Failure> {
    let mut says = true;
    while let Some(owner) = opened.owner(conversation).await? {
        if take(&mut says) {
            let line = format!("waiting for {owner}");
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&line));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// The time between two questions to the database.
const PAUSE: Duration = Duration::from_millis(500);
