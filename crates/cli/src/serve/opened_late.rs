//! The opening of a server's store, whose database may start later than the server.

use std::io::{self, Write as _};
use std::time::Duration;

use silcrow_sanitize::sanitize_line;
use silcrow_session::{AgentSession, SessionSetup};
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::host::host;

/// Opens the store. If the database cannot be reached, because it starts or another one takes its
/// place, this waits for it; a person reads that at once.
pub(super) async fn open(setup: SessionSetup) -> Result<AgentSession, Failure> {
    let begun = Instant::now();
    let mut says = true;
    loop {
        match setup.place().open(&host()).await.map_err(Failure::from) {
            Err(failure) if failure.code() == UNAVAILABLE && begun.elapsed() < PATIENCE => {
                if std::mem::take(&mut says) {
                    let (why, seconds) = (failure.message(), PATIENCE.as_secs());
                    let line = format!("{why}; trying again for {seconds} s");
                    // If stderr is closed, the notice is lost.
                    let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&line));
                }
                sleep(PAUSE).await;
            }
            opened => return opened.map(|opened| setup.with_store(opened)),
        }
    }
}

const UNAVAILABLE: &str = silcrow_store::ErrorKind::Unavailable.as_str();

/// The time that a database may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_secs(1);
