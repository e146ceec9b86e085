//! The names of types, each of which is used once in the workspace.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{ByteKind, SourceFile};

/// The types of the workspace, except those of tests. A reader who meets a name finds one thing
/// under it.
#[derive(Default)]
pub(crate) struct TypeNames {
    /// Where each name is defined.
    places: BTreeMap<String, String>,
}

impl TypeNames {
    /// Takes the types that a library file defines, and reports those whose name is taken or is a
    /// riddle.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile, findings: &mut Vec<Finding>) {
        let code = source.only(&[ByteKind::Code], false);
        for (index, line) in code.lines().enumerate() {
            let Some(name) = defined(line).filter(|name| !SHARED.contains(name)) else { continue };
            let line = index + 1;
            let what = if RIDDLES.contains(&name) {
                format!("the type `{name}` is named by a word that says nothing; use a noun")
            } else if let Some(other) = self.places.get(name) {
                format!(
                    "the type `{name}` is defined in {other}, too; name one of them by what it is"
                )
            } else {
                self.places.insert(name.to_owned(), format!("{file}:{line}"));
                continue;
            };
            findings.push(Finding { file: file.to_owned(), line, what });
        }
    }
}

/// Names that may be defined more than once: the first three are the same idea in every crate, and
/// the oracle of `silcrow-testkit` has the last three because it judges the parser and shares no
/// code with it.
const SHARED: [&str; 6] = ["Error", "ErrorKind", "Options", "Fence", "Section", "Turn"];

/// Words that are no names, because a reader cannot guess what they stand for.
const RIDDLES: [&str; 12] =
    ["Do", "Does", "Gave", "How", "It", "Of", "Said", "Say", "Says", "What", "Who", "Why"];

/// The type that a line of code defines. An indented line defines one only if it is public: the
/// others are associated types, and types that one function has.
fn defined(line: &str) -> Option<&str> {
    let item = line.trim_start();
    let rest = item.strip_prefix("pub ").or_else(|| {
        let restricted = item.strip_prefix("pub(").and_then(|rest| rest.split_once(") "));
        restricted.map(|(_, rest)| rest).or_else(|| (item.len() == line.len()).then_some(item))
    })?;
    let rest = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}
