//! The folders in which a command looks for programs.

use std::path::Path;

/// Returns the value of `PATH` without relative and empty entries: these are in the folder that the
/// command works in, so a project could bring its own `git` or `ls`.
pub(crate) fn absolute_only(path: &str) -> String {
    let folders: Vec<_> =
        path.split(':').filter(|folder| Path::new(folder).is_absolute()).collect();
    if folders.is_empty() { USUAL.to_owned() } else { folders.join(":") }
}

const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

#[test]
fn folders_of_the_project_are_left_out() {
    assert_eq!(absolute_only("/usr/bin:.::bin:./x:../y:/bin:"), "/usr/bin:/bin");
    assert_eq!(absolute_only(".:"), USUAL);
    assert_eq!(absolute_only(""), USUAL);
}
