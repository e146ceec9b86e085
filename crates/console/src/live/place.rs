//! The folder and the branch in which runs work, for the line of status.

use silcrow_sanitize::sanitize_line;

use super::LiveScreen;

/// Where the runs of a screen work.
pub(super) struct ShownPlace {
    pub(super) folder: String,
    /// What returns the branch that is checked out.
    pub(super) branch: Box<dyn Fn() -> Option<String> + Send>,
}

impl LiveScreen {
    /// Sets what the line of status says about the folder, and what returns the branch that is checked
    /// out in it. The branch is asked for as each run begins.
    pub fn set_place(
        &mut self,
        folder: &str,
        branch: impl Fn() -> Option<String> + Send + 'static,
    ) {
        let branch = Box::new(move || branch().map(|name| sanitize_line(&name).into_owned()));
        self.status.set_place(ShownPlace { folder: sanitize_line(folder).into_owned(), branch });
    }
}
