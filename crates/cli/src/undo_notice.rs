//! What the model reads of an undo: a notice of the conversation, in its next request.
//!
//! This module knows words. It does not undo anything.

use std::time::SystemTime;

use silcrow_event::{Entry, Event};
use silcrow_settings::known_secrets;
use silcrow_store::{Error, ErrorKind, Store};
use silcrow_tools::{FileOutcome, UndoReport};

/// Stores for the model what an undo, or its redo, did to files, also while a run adds to the
/// conversation. What changed nothing is not told.
pub(crate) async fn tell(
    store: &dyn Store,
    conversation: &str,
    report: &UndoReport,
    is_redo: bool,
) -> Result<(), Error> {
    let Some(words) = notice(report, is_redo) else { return Ok(()) };
    let content = known_secrets().mask(&words).into_owned();
    let timestamp = Some(SystemTime::now().into());
    let told = Entry { timestamp, ..Event::Notice { content }.into() };
    loop {
        let head = store.head(conversation).await?;
        match store.append(conversation, head, vec![told.clone()]).await {
            Ok(_) => return Ok(()),
            // A run has added something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the notice, or `None` if no file is another one than before.
fn notice(report: &UndoReport, is_redo: bool) -> Option<String> {
    let done = |file: &silcrow_tools::UndoneFile| match file.outcome {
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

/// The number of files that are named.
const MOST_NAMED: usize = 20;
