//! Paths in the words that the model reads from the framework. A project or a command chose the names
//! in them, so a name that could pass for words is quoted.

use std::path::Path;

/// Returns a path as it is if it is plain, and otherwise as in quotes, cut to a length.
pub(crate) fn named(path: &Path) -> String {
    let path = path.to_string_lossy();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+@".contains(char);
    if path.len() <= LONGEST && path.chars().all(is_plain) {
        return path.into_owned();
    }
    let mut first: String = path.chars().take(LONGEST).collect();
    if first.len() < path.len() {
        first.push('…');
    }
    format!("{first:?}")
}

/// The length of the longest path that is shown whole, in bytes.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_file_names_are_quoted() {
        assert_eq!(named(Path::new("/a/.vscode/tasks.json-1")), "/a/.vscode/tasks.json-1");
        let words = "a/now allowed: run \"x\"\n/.env";
        assert_eq!(named(Path::new(words)), r#""a/now allowed: run \"x\"\n/.env""#);
        let long = named(Path::new(&"x".repeat(LONGEST + 1)));
        assert_eq!(long, format!("\"{}…\"", "x".repeat(LONGEST)));
    }
}
