//! What a server takes back of the last run of a conversation.

use std::path::Path;

use serde_json::{Value, json};
use silcrow_server::{Error, ErrorKind};
use silcrow_session::Error as SessionError;
use silcrow_session::tools::protected_root;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};
use silcrow_tools::{ChangeJournal, UndoRequest};
use tokio::task::spawn_blocking;

use crate::places::StorePlace;
use crate::undo_notice;

/// Takes back what the last run of a conversation changed, and says of each file what was done.
pub(super) async fn undone(
    store: &dyn Store,
    conversation: &str,
    journal: ChangeJournal,
    place: &StorePlace,
) -> Result<Value, Error> {
    let head = store.head(conversation).await?;
    // Damaged events are left out; `silcrow log verify` reports them.
    let entries = read_whole(store, conversation, 1..=head, &mut Report::default()).await?;
    let request = UndoRequest::of_last_run(conversation, &entries);
    let place = place.clone();
    let work = move || {
        let unable = |why: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Failed, format!("cannot take changes back: {why}"))
        };
        let roots = journal.roots(&request).map_err(|error| unable(&error))?;
        let root = match &roots[..] {
            [] => Path::new("."),
            [root] => root,
            _ => {
                let why = "the changes were made in several folders; use silcrow undo --root DIR";
                return Err(Error::new(ErrorKind::Stale, why));
            }
        };
        let root = protected_root(root, &place).map_err(|error| failed(&error))?;
        let report = journal.undo(&root, &request).map_err(|error| unable(&error))?;
        let files = report
            .files
            .iter()
            .map(|file| json!({ "file": file.path, "outcome": file.outcome.as_str() }));
        let refusals = report.refusals.iter().map(|refusal| {
            json!({
                "file": refusal.path, "outcome": "refused", "why": refusal.why,
                "diff": refusal.diff,
            })
        });
        let uncovered = report
            .uncovered
            .iter()
            .map(|one| json!({ "file": one.path, "outcome": "uncovered", "why": one.why }));
        let shown = files.chain(refusals).chain(uncovered).collect::<Vec<_>>();
        Ok((report, json!({ "files": shown })))
    };
    let done = spawn_blocking(work).await;
    let ended = |error| Error::new(ErrorKind::Failed, format!("the undoing ended: {error}"));
    let (report, shown) = done.map_err(ended)??;
    undo_notice::tell(store, conversation, &report, false).await?;
    Ok(shown)
}

/// Returns the error of a request that could not be carried out here.
pub(super) fn failed(error: &SessionError) -> Error {
    Error::new(ErrorKind::Failed, error.message())
}
