//! `silcrow log --follow`, which follows a conversation through runs as `tail -f` follows a file.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use silcrow_console::interrupt;
use silcrow_console::printer::write_json;
use silcrow_event::Entry;
use silcrow_history::{ConversationFollower, Error, ErrorKind, FollowedEvent, entry_line};
use silcrow_sanitize::sanitize_line;
use silcrow_system::SystemMetadata as _;
use silcrow_tool::CancellationToken;

use crate::conversation::{self, resolved_or_typed};
use crate::failure::{Failure, written};
use crate::host::host;
use crate::places::StorePlace;

/// Prints a conversation from its beginning and continues with new entries, from run to run, until
/// Ctrl-C.
pub(crate) async fn follow(
    place: &StorePlace,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let cancel = CancellationToken::new();
    let interruption = interrupt::watch(cancel.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    let store = place.open_stored(&host()).await?.store();
    let conversation = &*resolved_or_typed(&*store, conversation).await?;
    let files = KeptFiles::open(place);
    let follower =
        ConversationFollower::new(&*store, conversation).with_check(|| files.are_in_place());
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::interrupted(interruption.signal())),
        done = print_all(follower, conversation, for_programs) => done,
    }
}

/// Prints until the output is closed or the conversation cannot be followed.
async fn print_all(
    mut follower: ConversationFollower<'_>,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    loop {
        // If stderr is closed, a notice is lost.
        match follower.next().await.map_err(|error| failure(&error))? {
            FollowedEvent::Entry(entry) => {
                if let Err(error) = print(&entry, for_programs) {
                    return written(Err(error));
                }
            }
            FollowedEvent::Damaged(damage) => {
                let named = damage.place.to_string();
                let _ = writeln!(io::stderr(), "silcrow: damaged: {}", sanitize_line(&named));
            }
            FollowedEvent::Waiting => {
                let id = sanitize_line(conversation);
                let _ = writeln!(io::stderr(), "silcrow: waiting for a run to continue {id}");
            }
            _ => {}
        }
    }
}

/// Prints an entry as a whole line, so that Ctrl-C stops between two lines.
fn print(entry: &Entry, for_programs: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match for_programs {
        true => write_json(&mut out, &entry.to_json())?,
        false => writeln!(out, "{}", entry_line(entry))?,
    }
    out.flush()
}

fn failure(error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::Removed => Failure::running(error.to_string()),
        _ => conversation::failure(error),
    }
}

/// The files that show whether a store is still where it was opened. A database has none.
///
/// They stay open, so no new file gets the number of one of them.
struct KeptFiles(Vec<(PathBuf, File)>);

impl KeptFiles {
    fn open(place: &StorePlace) -> Self {
        let StorePlace::Folder(folder) = place else { return Self(Vec::new()) };
        let paths = [folder.to_owned(), folder.join("LOCK")];
        let open = |path: PathBuf| File::open(&path).ok().map(|file| (path, file));
        Self(paths.into_iter().filter_map(open).collect())
    }

    fn are_in_place(&self) -> bool {
        self.0.iter().all(|(path, file)| {
            let (Ok(found), Ok(kept)) = (fs::metadata(path), file.metadata()) else { return false };
            found.identity() == kept.identity()
        })
    }
}
