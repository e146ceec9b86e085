//! The work of models after an answered run of one prompt, before the process ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use silcrow_sanitize::sanitize_line;
use silcrow_session::AfterRun;
use silcrow_tool::CancellationToken;
use tokio::time::sleep;

/// Does everything before the process ends. Ctrl-C skips it, and a person at a terminal reads the
/// reason of the wait.
pub(crate) async fn finish(
    after: &AfterRun,
    conversation: &str,
    for_programs: bool,
    cancel: &CancellationToken,
) {
    let is_watched = !for_programs && io::stderr().is_terminal();
    let mut err = io::stderr();
    let mut is_told = false;
    let work = after.work(conversation, TITLE_PATIENCE);
    tokio::pin!(work);
    // If stderr is closed, the lines are lost.
    let lines = loop {
        tokio::select! {
            lines = &mut work => break lines,
            () = cancel.cancelled() => break Vec::new(),
            () = sleep(PATIENCE), if is_watched && !is_told => {
                is_told = true;
                let _ = write!(err, "… {} (Ctrl-C skips it)", after.name());
            }
        }
    };
    if is_told {
        let _ = write!(err, "\r\x1b[K");
    }
    for line in lines.iter().filter(|_| !for_programs) {
        let _ = writeln!(err, "silcrow: {}", sanitize_line(line));
    }
}

/// The time after which a person reads the reason of the wait.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest time that a process waits for a title before it ends.
const TITLE_PATIENCE: Duration = Duration::from_secs(5);
