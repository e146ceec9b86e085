//! The check of how docs begin: a module with `//!`, a public item with a whole sentence.
//!
//! It looks at the first word of a sentence and at the kind of the item that follows. It does not
//! know grammar, so it finds what a list of words can find.

use super::Finding;
use super::source::{ByteKind, SourceFile};

/// Reports a module without `//!`, and docs of public items that do not begin with a sentence.
pub(crate) fn check(file: &str, source: &SourceFile, findings: &mut Vec<Finding>) {
    let comments = source.only(&[ByteKind::Comment], false);
    let code = source.only(&[ByteKind::Code], false);
    if !comments.trim_start().starts_with("//!") {
        findings.push(Finding { file: file.to_owned(), line: 1, what: NO_MODULE_DOCS.to_owned() });
    }
    let mut items = PublicItems::default();
    let mut docs = PendingDocs::default();
    for (index, (comment, code)) in comments.lines().zip(code.lines()).enumerate() {
        let code = code.trim();
        if let Some(line) = comment.trim().strip_prefix("///").filter(|_| code.is_empty()) {
            docs.push(line.trim(), index + 1);
        } else if !code.is_empty() && !items.is_attribute(code) {
            let item = items.push(code);
            if let (Some(item), Some((first, line))) = (item, docs.take()) {
                let what = complaint(item, &first);
                findings.extend(what.map(|what| Finding { file: file.to_owned(), line, what }));
            }
        }
    }
}

const NO_MODULE_DOCS: &str =
    "the module has no `//!`: say what it knows, what it does not, and its states";

/// The kind of an item, which decides how its docs begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Function,
    /// A type, a field, a variant, a constant, a module.
    Noun,
}

/// Returns what is wrong with the first sentence of an item's docs, and what to do.
fn complaint(item: ItemKind, first: &str) -> Option<String> {
    let word = first.split([' ', ',', '.', ':']).next().unwrap_or_default();
    if !word.starts_with(|char: char| char.is_alphabetic()) {
        return None;
    }
    let lower = word.to_lowercase();
    match item {
        ItemKind::Function if !lower.ends_with('s') || NO_VERBS.contains(&&*lower) => {
            Some(format!(
                "the docs of a function begin with `{word}`; begin with a verb in the third person, \
             such as `Returns`"
            ))
        }
        ItemKind::Noun if !first.contains(',') && FRAGMENTS.contains(&&*lower) => Some(format!(
            "docs that begin with `{word}` are no whole sentence; say what the item is or holds"
        )),
        _ => None,
    }
}

/// Words that end like a verb and are not one.
const NO_VERBS: [&str; 7] = ["across", "always", "as", "its", "this", "thus", "yes"];

/// Words that begin a sentence only where a comma follows.
const FRAGMENTS: [&str; 29] = [
    "after", "as", "at", "before", "behind", "beside", "by", "for", "from", "how", "if", "in",
    "of", "on", "only", "per", "since", "than", "to", "until", "up", "what", "when", "where",
    "which", "who", "why", "with", "without",
];

/// Docs that wait for their item.
#[derive(Default)]
struct PendingDocs {
    /// The first paragraph.
    text: String,
    /// The line of its first word.
    line: usize,
    /// Whether the first paragraph is over.
    is_over: bool,
}

impl PendingDocs {
    fn push(&mut self, text: &str, line: usize) {
        if text.is_empty() {
            self.is_over = !self.text.is_empty();
        } else if !self.is_over {
            if self.text.is_empty() {
                self.line = line;
            } else {
                self.text.push(' ');
            }
            self.text.push_str(text);
        }
    }

    /// Returns the first sentence and its line.
    fn take(&mut self) -> Option<(String, usize)> {
        let docs = std::mem::take(self);
        let end = docs.text.find(". ").unwrap_or(docs.text.len());
        (!docs.text.is_empty()).then(|| (docs.text[..end].to_owned(), docs.line))
    }
}

/// Finds public items: those with `pub`, and all items in a public enum or trait.
///
/// It is outside of these, after the name of one (`expects_body`), or in the body of one.
#[derive(Default)]
struct PublicItems {
    depth: usize,
    expects_body: bool,
    /// The depth of the body that it is in.
    body: Option<usize>,
    /// The number of open brackets of an attribute that spans lines.
    attribute: usize,
}

impl PublicItems {
    /// Returns whether a line of code is part of an attribute.
    fn is_attribute(&mut self, code: &str) -> bool {
        if self.attribute == 0 && !code.starts_with("#[") {
            return false;
        }
        for byte in code.bytes() {
            match byte {
                b'[' => self.attribute += 1,
                b']' => self.attribute = self.attribute.saturating_sub(1),
                _ => {}
            }
        }
        // An item may follow an attribute on its line.
        self.attribute > 0 || code.ends_with(']')
    }

    /// Takes a line of code and returns the kind of the public item that begins there, if one does.
    fn push(&mut self, code: &str) -> Option<ItemKind> {
        let rest = code.strip_prefix("pub ");
        let is_public = rest.is_some() || self.body.is_some_and(|depth| self.depth >= depth);
        let item = rest.unwrap_or(code);
        if rest.is_some_and(|item| item.starts_with("enum ") || item.starts_with("trait ")) {
            self.expects_body = true;
        }
        for byte in code.bytes() {
            match byte {
                b'{' => {
                    self.depth += 1;
                    if std::mem::take(&mut self.expects_body) {
                        self.body = Some(self.depth);
                    }
                }
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.body = self.body.filter(|&depth| self.depth >= depth);
                }
                _ => {}
            }
        }
        is_public.then(|| if is_function(item) { ItemKind::Function } else { ItemKind::Noun })
    }
}

fn is_function(item: &str) -> bool {
    let mut words = item.split(' ').skip_while(|word| matches!(*word, "const" | "async"));
    words.next() == Some("fn")
}
