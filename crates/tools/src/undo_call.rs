//! One undone call, because its transaction is rolled back.
//!
//! This module has the journal and the wording for the model, for any tool.

use silcrow_tool::{CallContext, ToolError, ToolOutput};

use crate::changes::ChangeJournal;
use crate::messages;
use crate::root::Root;
use crate::undo::{FileOutcome, UndoRequest};

impl ChangeJournal {
    /// Undoes the changes that the call `call` of a context's conversation and turn made in files.
    /// It is not a failure if the call changed nothing, or was undone already.
    ///
    /// # Errors
    ///
    /// Returns a failure that names the files that stay as they are. If a file has changed since,
    /// all do.
    pub(crate) async fn undo_call(
        &self,
        root: &Root,
        call: &str,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let request = UndoRequest::of_call(context.conversation_id(), context.turn(), call);
        let (journal, under) = (self.clone(), root.clone());
        let work = move || {
            let failed = |error| ToolError::new(format!("the journal of changes: {error}"));
            journal.undo(&under, &request).map_err(failed)
        };
        let report = root.slots().run(work).await?;
        let left = report.refusals.iter().chain(&report.uncovered);
        let left: Vec<_> =
            left.map(|left| format!("{}: {}", messages::escaped(&left.path), left.why)).collect();
        if !left.is_empty() {
            return Err(ToolError::new(left.join("; ")));
        }
        let done = report.files.iter().filter(|file| file.outcome != FileOutcome::Unchanged);
        let done: Vec<_> = done
            .map(|file| format!("{} {}", file.outcome.as_str(), messages::escaped(&file.path)))
            .collect();
        let summary = match &done[..] {
            [] => "nothing to take back".to_owned(),
            [one] => one.clone(),
            many => messages::count(many.len(), "file taken back", "files taken back"),
        };
        Ok(ToolOutput::new(summary, done.join("\n")))
    }
}
