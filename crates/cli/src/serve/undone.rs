//! Takes back the changes of the last run of a conversation, for a server.

use serde_json::{Value, json};
use silcrow_server::{Error, ErrorKind};
use silcrow_session::Error as SessionError;
use silcrow_session::undo::{ChangedRoot, last_run, tell_undo};
use silcrow_store::Store;
use silcrow_tools::ChangeJournal;
use tokio::task::spawn_blocking;

use crate::places::StorePlace;

/// Takes back the changes of the last run of a conversation, and reports the outcome for each file.
pub(super) async fn undone(
    store: &dyn Store,
    conversation: &str,
    journal: ChangeJournal,
    place: &StorePlace,
) -> Result<Value, Error> {
    // Damaged events are left out; `silcrow log verify` reports them.
    let request = last_run(store, conversation).await?;
    let place = place.clone();
    let work = move || {
        let unable = |why: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Failed, format!("cannot take changes back: {why}"))
        };
        let found = ChangedRoot::find(&journal, &request, &place);
        let root = match found.map_err(|error| failed(&error))? {
            ChangedRoot::One(root) => root,
            ChangedRoot::Several(_) => {
                let why = "the changes were made in several folders; use silcrow undo --root DIR";
                return Err(Error::new(ErrorKind::Stale, why));
            }
        };
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
    tell_undo(store, conversation, &report, false).await?;
    Ok(shown)
}

/// Returns the error of a request that could not be carried out here.
pub(super) fn failed(error: &SessionError) -> Error {
    Error::new(ErrorKind::Failed, error.message())
}
