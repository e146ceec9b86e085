//! The files that a call has changed, as JSON for clients.

use silcrow_event::FileDelta;

use crate::json_object::JsonObject;

/// Returns the files as a JSON array, with the members that the event `changes` has.
pub(crate) fn changed_files(files: &[FileDelta]) -> String {
    let object = |file: &FileDelta| {
        let FileDelta { path, kind, added, removed, hunks, .. } = file;
        let counted = JsonObject::new()
            .text("path", path)
            .text("kind", kind.as_str())
            .raw("added", added)
            .raw("removed", removed);
        // If lines are not shown, the member is missing, as in the event.
        counted.maybe_text("hunks", Some(&**hunks).filter(|hunks| !hunks.is_empty())).finish()
    };
    format!("[{}]", files.iter().map(object).collect::<Vec<_>>().join(","))
}
