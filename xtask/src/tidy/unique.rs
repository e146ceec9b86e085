//! The names of types, each of which is used once in the workspace.

use std::collections::BTreeMap;

use super::Finding;
use super::source::{SourceFile, SourceToken};

/// The types of the workspace, except types of tests. A reader who meets a name finds one thing
/// under it.
#[derive(Default)]
pub(crate) struct TypeNames {
    /// The place that defines each name.
    places: BTreeMap<String, String>,
}

impl TypeNames {
    /// Takes the types that a library file defines, and reports those whose name is taken.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile, findings: &mut Vec<Finding>) {
        for SourceToken { text: name, line, .. } in defined(&source.tokens) {
            let (name, line) = (&**name, *line);
            if SHARED.contains(&name) {
                continue;
            }
            let Some(other) = self.places.get(name) else {
                self.places.insert(name.to_owned(), format!("{file}:{line}"));
                continue;
            };
            let what = format!(
                "the type `{name}` is defined in {other}, too; name one of them by what it is"
            );
            findings.push(Finding { file: file.to_owned(), line, what });
        }
    }
}

/// Names that may be defined more than once: the first three are the same idea in every crate, and
/// the oracle of `silcrow-testkit` has the last three because it judges the parser and shares no
/// code with it.
const SHARED: [&str; 6] = ["Error", "ErrorKind", "Options", "Fence", "Section", "Turn"];

/// Returns the names of the types that a file defines. Within brackets a type counts only if it is public:
/// the others are associated types, and types that one function has.
fn defined(tokens: &[SourceToken]) -> impl Iterator<Item = &SourceToken> {
    tokens.windows(2).enumerate().filter_map(|(at, pair)| {
        let [keyword, name] = pair else { return None };
        let is_type = ["struct", "enum", "trait", "type", "union"].contains(&&*keyword.text)
            && name.text.starts_with(|char: char| char.is_alphabetic() || char == '_');
        // The parentheses after `pub` limit its visibility.
        let outside = tokens[..at]
            .iter()
            .rev()
            .find(|token| token.depth == keyword.depth && !matches!(&*token.text, "(" | ")"));
        let is_public = outside.is_some_and(|token| token.text == "pub");
        (is_type && (keyword.depth == 0 || is_public)).then_some(name)
    })
}
