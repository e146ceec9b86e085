//! Reverts changes of files: finds the changes of the last run and their folder, and reports them
//! to the model.
//!
//! `silcrow_tools` records the changes and reverts them. This module prints nothing.

use std::io;
use std::path::{Path, PathBuf};

use silcrow_event::Event;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::known_secrets;
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error as StoreError, Store};
use silcrow_tools::{ChangeJournal, FileOutcome, Root, UndoReport, UndoRequest, UndoneFile};

use crate::add_event::add_event;
use crate::error::Error;
use crate::store::StorePlace;
use crate::tools::protected_root;

/// Returns the request to undo the changes of a conversation's last run.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_session::undo::last_run;
/// use silcrow_store::MemoryStore;
///
/// let request = last_run(&MemoryStore::new(), "c1").await?;
/// assert_eq!(request.conversation, "c1");
/// # Ok::<_, silcrow_store::Error>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error of the store. Damaged events are left out.
pub async fn last_run(store: &dyn Store, conversation: &str) -> Result<UndoRequest, StoreError> {
    let head = store.head(conversation).await?;
    let entries = match head {
        0 => Vec::new(),
        head => read_whole(store, conversation, 1..=head, &mut Report::default()).await?,
    };
    Ok(UndoRequest::of_last_run(conversation, &entries))
}

/// The folder of the changes that a request is about.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "changes were made in one folder or in several")]
pub enum ChangedRoot {
    /// The folder, with its protected paths. Without changes any folder will do, so it is the
    /// current one.
    One(Root),
    /// The folders, one of which the person has to name.
    Several(Vec<PathBuf>),
}

impl ChangedRoot {
    /// Finds the folder in which the changes of a request were made.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or the folder cannot be opened.
    pub fn find(
        journal: &ChangeJournal,
        request: &UndoRequest,
        place: &StorePlace,
    ) -> Result<Self, Error> {
        let roots = journal.roots(request).map_err(|error| unreadable(&error))?;
        let root = match &roots[..] {
            [] => Path::new("."),
            [root] => root,
            _ => return Ok(Self::Several(roots)),
        };
        protected_root(root, place).map(Self::One)
    }

    /// Returns the folder. `way` says how a person names one of several.
    ///
    /// # Errors
    ///
    /// Returns an error that names the folders if there are several.
    pub fn one(self, way: &str) -> Result<Root, Error> {
        match self {
            Self::One(root) => Ok(root),
            Self::Several(roots) => {
                let roots: Vec<_> = roots.iter().map(|root| root.display().to_string()).collect();
                let roots = roots.join(", ");
                Err(Error::given(format!(
                    "the changes were made in several folders; give one of them: {} ({way})",
                    sanitize_line(&roots)
                )))
            }
        }
    }
}

/// Reports to the model of a conversation the effects of an undo, or its redo, on files: a notice
/// in its next request. A run may add to the conversation meanwhile. It stores nothing if nothing
/// changed.
///
/// # Errors
///
/// Returns an error of the store.
pub async fn tell_undo(
    store: &dyn Store,
    conversation: &str,
    report: &UndoReport,
    is_redo: bool,
) -> Result<(), StoreError> {
    let Some(words) = notice(report, is_redo) else { return Ok(()) };
    let content = known_secrets().mask(&words).into_owned();
    add_event(store, conversation, Event::Notice { content }).await
}

/// Returns the notice, or `None` if no file has changed.
fn notice(report: &UndoReport, is_redo: bool) -> Option<String> {
    let done = |file: &UndoneFile| match file.outcome {
        FileOutcome::Restored => Some(format!("restored {}", file.path)),
        FileOutcome::Removed => Some(format!("removed {}", file.path)),
        _ => None,
    };
    let all: Vec<_> = report.files.iter().filter_map(done).collect();
    if all.is_empty() {
        return None;
    }
    let did = match is_redo {
        false => "The person took changes of files back",
        true => "The person took an undo back, so that your changes of files are there again",
    };
    let hidden = all.len().saturating_sub(MOST_NAMED);
    let mut named = all.into_iter().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    if hidden > 0 {
        named.push_str(&format!(", and {hidden} more"));
    }
    Some(format!("[{did}: {named}. Read these files again before you change them.]"))
}

fn unreadable(error: &io::Error) -> Error {
    Error::failed(format!("cannot take changes back: {error}"))
}

/// The number of files that are named.
const MOST_NAMED: usize = 20;
