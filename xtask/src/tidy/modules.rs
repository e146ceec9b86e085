//! The modules of a crate, and the uses between them.
//!
//! This module knows files, `use` declarations and paths within the crate. It does not know types:
//! a re-exported name belongs to the module that defines it.

use std::collections::BTreeMap;

use super::source::SourceFile;

/// The modules of one crate.
#[derive(Default)]
pub(crate) struct Modules {
    modules: Vec<Module>,
}

/// A file of a crate.
struct Module {
    file: String,
    /// The names of the modules from the root of the crate to this one.
    path: Vec<String>,
    tokens: Vec<String>,
}

/// A path in a `use` or in code, as it is written.
#[derive(Debug)]
struct Reference {
    segments: Vec<String>,
    /// The name that a `use` introduces.
    name: Option<String>,
    /// Whether the declaration begins with `pub`.
    is_export: bool,
}

impl Modules {
    /// Takes a library file of the crate.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile) {
        let Some(path) = path(file) else { return };
        self.modules.push(Module { file: file.to_owned(), path, tokens: tokens(&source.code()) });
    }

    /// Returns for each file the files that it uses.
    ///
    /// A re-export is not a use. Neither is a reference to a module that contains this one, because
    /// others see both as one unit.
    pub(crate) fn uses(&self) -> BTreeMap<&str, Vec<&str>> {
        let references: Vec<_> =
            self.modules.iter().map(|module| self.references(module)).collect();
        let mut uses = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            let used = references[at].iter().filter(|reference| !reference.is_export);
            let used = used.filter_map(|one| self.resolve(at, &one.segments, &references, 0));
            let mut used: Vec<_> = used.filter(|&used| !self.holds(used, at)).collect();
            used.sort_unstable();
            used.dedup();
            let files = used.into_iter().map(|used| &*self.modules[used].file).collect();
            uses.insert(&*module.file, files);
        }
        uses
    }

    fn find(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|module| module.path == path)
    }

    /// Returns whether the module `inner` is `outer` or within it.
    fn holds(&self, outer: usize, inner: usize) -> bool {
        self.modules[inner].path.starts_with(&self.modules[outer].path)
    }

    fn is_child(&self, module: &Module, name: &str) -> bool {
        self.modules.iter().any(|other| {
            other
                .path
                .split_last()
                .is_some_and(|(last, above)| last == name && above == module.path)
        })
    }

    /// Returns the references in a file to items of the crate.
    fn references(&self, module: &Module) -> Vec<Reference> {
        let mut references = Vec::new();
        let mut at = 0;
        while at < module.tokens.len() {
            let token = &*module.tokens[at];
            let before = at.checked_sub(1).map_or("", |before| &*module.tokens[before]);
            let follows = module.tokens.get(at + 1).map_or("", |next| next);
            if token == "use" {
                let mut leaves = Vec::new();
                let end = read_tree(&module.tokens, at + 1, &[], &mut leaves);
                let is_export = matches!(before, "pub" | ")");
                references.extend(leaves.into_iter().map(|(segments, name)| Reference {
                    segments,
                    name: Some(name),
                    is_export,
                }));
                at = end;
            } else if follows == "::"
                && !matches!(before, "::" | "." | "$")
                && (matches!(token, "crate" | "super" | "self") || self.is_child(module, token))
            {
                let mut segments = vec![token.to_owned()];
                while module.tokens.get(at + 1).is_some_and(|next| next == "::")
                    && module.tokens.get(at + 2).is_some_and(|next| is_name(next))
                {
                    segments.push(module.tokens[at + 2].clone());
                    at += 2;
                }
                references.push(Reference { segments, name: None, is_export: false });
                at += 1;
            } else {
                at += 1;
            }
        }
        references
    }

    /// Returns the module that defines the target of a path in the module `from`.
    fn resolve(
        &self,
        from: usize,
        segments: &[String],
        references: &[Vec<Reference>],
        depth: usize,
    ) -> Option<usize> {
        let mut path = self.modules[from].path.clone();
        let mut rest = segments;
        match rest.first()?.as_str() {
            "crate" => {
                path.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    path.pop()?;
                    rest = &rest[1..];
                }
            }
            first if self.is_child(&self.modules[from], first) => {}
            _ => return None,
        }
        let mut module = self.find(&path)?;
        for segment in rest {
            path.push(segment.clone());
            if let Some(child) = self.find(&path) {
                module = child;
                continue;
            }
            let import = references[module]
                .iter()
                .find(|reference| reference.name.as_ref() == Some(segment));
            let there = import
                .filter(|_| depth < MOST_EXPORTS)
                .and_then(|import| self.resolve(module, &import.segments, references, depth + 1));
            return Some(there.unwrap_or(module));
        }
        Some(module)
    }
}

/// The most re-exports through which a name is followed.
const MOST_EXPORTS: usize = 8;

/// Reads a tree of `use` that begins at `at`, and returns its end.
fn read_tree(
    tokens: &[String],
    mut at: usize,
    above: &[String],
    leaves: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let mut path = above.to_vec();
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at = read_tree(tokens, at, &path, leaves);
                    at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                }
                return at + 1;
            }
            "as" => {
                let name = tokens.get(at + 1).cloned().unwrap_or_default();
                leaves.push((path, name));
                return at + 2;
            }
            "self" if !path.is_empty() => at += 1,
            name if is_name(name) => {
                path.push(name.to_owned());
                at += 1;
            }
            "*" => at += 1,
            _ => break,
        }
    }
    let name = path.last().cloned().unwrap_or_default();
    leaves.push((path, name));
    at
}

/// Returns the path of the module in a library file, or `None` if the crate has another root.
fn path(file: &str) -> Option<Vec<String>> {
    let (_, inside) = file.split_once("src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let mut path: Vec<String> = inside.split('/').map(str::to_owned).collect();
    match path.last().map(String::as_str) {
        Some("lib" | "main") if path.len() == 1 => path.clear(),
        Some("mod") => _ = path.pop(),
        _ => {}
    }
    (path.first().map(String::as_str) != Some("bin")).then_some(path)
}

/// Returns the names and signs of some code, with `::` as one sign.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let len = if rest.starts_with("::") { 2 } else { name.max(first.len_utf8()) };
        tokens.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(is_part)
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
