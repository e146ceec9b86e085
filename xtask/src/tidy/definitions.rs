//! The modules that define the names in a crate.
//!
//! This module follows `use` declarations and paths within the crate, without types: a name belongs
//! to the module that defines it, through any number of exports.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::source::SourceToken;

/// The names in all modules of a crate, which are numbered.
pub(super) struct Definitions {
    /// The root of the crate.
    pub(super) root: Option<usize>,
    pub(super) modules: Vec<ModuleNames>,
}

/// The names in one module.
#[derive(Default)]
pub(super) struct ModuleNames {
    pub(super) parent: Option<usize>,
    pub(super) children: HashMap<String, usize>,
    /// The paths in `use` declarations and in code, each once.
    pub(super) references: BTreeSet<Vec<String>>,
    /// The paths of imported items, by the names that the module gives them.
    imports: HashMap<String, Vec<Vec<String>>>,
    /// The paths of modules from which it imports everything.
    globs: Vec<Vec<String>>,
    /// The items that it defines.
    items: HashSet<String>,
}

/// The module to which a path leads.
#[derive(Clone, Copy)]
struct Target {
    module: usize,
    /// Whether the path names the module itself, and not an item in it.
    is_whole: bool,
}

impl Definitions {
    /// Returns the module that defines the target of a path in the module `from`, unless that is in
    /// another crate.
    pub(super) fn find(&self, from: usize, path: &[String]) -> Option<usize> {
        self.resolve(from, path, 0).map(|target| target.module)
    }

    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let base = match first.as_str() {
            "crate" => self.root?,
            "self" => from,
            "super" => {
                let mut base = self.modules[from].parent?;
                while let Some((_, further)) = rest.split_first().filter(|(up, _)| *up == "super") {
                    base = self.modules[base].parent?;
                    rest = further;
                }
                base
            }
            // A name that the module does not have is another crate's.
            first if self.has(from, first, depth) => return self.follow(from, path, depth),
            _ => return None,
        };
        self.follow(base, rest, depth)
    }

    fn has(&self, module: usize, name: &str, depth: usize) -> bool {
        self.modules[module].children.contains_key(name)
            || self.imported(module, name, depth).is_some()
    }

    /// Follows the rest of a path from a module.
    fn follow(&self, mut module: usize, path: &[String], depth: usize) -> Option<Target> {
        for name in path {
            if let Some(child) = self.modules[module].children.get(name) {
                module = *child;
                continue;
            }
            match self.imported(module, name, depth) {
                Some(Target { module: there, is_whole: true }) => module = there,
                Some(there) => return Some(there),
                None => return Some(Target { module, is_whole: false }),
            }
        }
        Some(Target { module, is_whole: true })
    }

    /// Returns the place that defines a name which a module imports.
    fn imported(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if depth >= MOST_EXPORTS {
            return None;
        }
        let names = &self.modules[module];
        let target = |path: &Vec<String>| self.resolve(module, path, depth + 1);
        let named = names.imports.get(name).into_iter().flatten();
        named.filter_map(target).next().or_else(|| {
            let globs = names.globs.iter().filter_map(target).map(|glob| glob.module);
            let mut globs = globs.filter(|glob| *glob != module);
            globs.find_map(|glob| match self.modules[glob].items.contains(name) {
                true => Some(Target { module: glob, is_whole: false }),
                false => self.imported(glob, name, depth + 1),
            })
        })
    }
}

/// The most re-exports through which a name is followed.
const MOST_EXPORTS: usize = 8;

impl ModuleNames {
    /// Reads the tokens of a file.
    pub(super) fn read(tokens: &[SourceToken]) -> Self {
        let mut names = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let text = |at: usize| tokens.get(at).map_or("", |token| &*token.text);
            let token = text(at);
            let before = at.checked_sub(1).map_or("", text);
            let follows = text(at + 1);
            if token == "use" {
                at = names.read_use(tokens, at + 1, &[]);
            } else if follows == "::" && is_name(token) && !matches!(before, "::" | "." | "$") {
                let mut path = vec![token.to_owned()];
                while text(at + 1) == "::" && is_name(text(at + 2)) {
                    path.push(text(at + 2).to_owned());
                    at += 2;
                }
                names.references.insert(path);
                at += 1;
            } else {
                if ITEMS.contains(&token) {
                    names.items.insert(follows.to_owned());
                }
                at += 1;
            }
        }
        names
    }

    /// Reads a tree of `use` that begins at `at`, and returns its end.
    fn read_use(&mut self, tokens: &[SourceToken], mut at: usize, above: &[String]) -> usize {
        let text = |at: usize| tokens.get(at).map_or("", |token| &*token.text);
        let mut path = above.to_vec();
        while at < tokens.len() {
            match text(at) {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while at < tokens.len() && text(at) != "}" {
                        at = self.read_use(tokens, at, &path);
                        at += usize::from(text(at) == ",");
                    }
                    return at + 1;
                }
                "as" => {
                    self.import(text(at + 1).to_owned(), path);
                    return at + 2;
                }
                "self" if !path.is_empty() => at += 1,
                name if is_name(name) => {
                    path.push(name.to_owned());
                    at += 1;
                }
                "*" => {
                    self.references.insert(path.clone());
                    self.globs.push(path);
                    return at + 1;
                }
                _ => break,
            }
        }
        let name = path.last().cloned().unwrap_or_default();
        self.import(name, path);
        at
    }

    fn import(&mut self, name: String, path: Vec<String>) {
        self.references.insert(path.clone());
        self.imports.entry(name).or_default().push(path);
    }
}

/// The words before the name of an item.
const ITEMS: [&str; 8] = ["const", "enum", "fn", "static", "struct", "trait", "type", "union"];

fn is_name(token: &str) -> bool {
    token.starts_with(|char: char| char.is_alphanumeric() || char == '_')
}
