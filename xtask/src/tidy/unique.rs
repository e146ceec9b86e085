//! The check that each name of a public type is used once in the workspace.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{ByteKind, SourceFile};

/// The public types of the workspace.
#[derive(Default)]
pub(crate) struct PublicTypes {
    /// The place where each name is defined.
    places: BTreeMap<String, String>,
}

impl PublicTypes {
    /// Takes the types that a library file defines, and reports those whose name is already used.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile, findings: &mut Vec<Finding>) {
        let code = source.only(&[ByteKind::Code], false);
        for (index, line) in code.lines().enumerate() {
            let Some(name) = defined(line).filter(|name| !SHARED.contains(name)) else { continue };
            let line = index + 1;
            if let Some(other) = self.places.get(name) {
                let what = format!(
                    "the public type `{name}` is defined in {other}, too; name one of them by what it is"
                );
                findings.push(Finding { file: file.to_owned(), line, what });
            } else {
                self.places.insert(name.to_owned(), format!("{file}:{line}"));
            }
        }
    }
}

/// The names that every crate may define, because they mean the same everywhere.
const SHARED: [&str; 3] = ["Error", "ErrorKind", "Options"];

/// Returns the public type that a line of code defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}
