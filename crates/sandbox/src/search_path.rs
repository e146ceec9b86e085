//! The folders in which a command searches for programs.

use std::env;

/// Returns the value of `PATH` without relative and empty entries: these are in the folder that the
/// command works in, so a project could bring its own `git` or `ls`.
pub(crate) fn absolute_only(path: &str) -> String {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    // Each is a part of a text, and so is the separator.
    let joined = env::join_paths(folders).unwrap_or_default().into_string().unwrap_or_default();
    if joined.is_empty() { USUAL.to_owned() } else { joined }
}

/// Returns whether a variable holds these folders. Windows writes it as `Path`.
pub(crate) fn is_search_path(name: &str) -> bool {
    name == "PATH" || cfg!(windows) && name.eq_ignore_ascii_case("PATH")
}

const USUAL: &str =
    if cfg!(windows) { r"C:\Windows\System32" } else { "/usr/local/bin:/usr/bin:/bin" };

#[cfg(unix)]
#[test]
fn folders_of_the_project_are_left_out() {
    assert_eq!(absolute_only("/usr/bin:.::bin:./x:../y:/bin:"), "/usr/bin:/bin");
    assert_eq!(absolute_only(".:"), USUAL);
    assert_eq!(absolute_only(""), USUAL);
}
