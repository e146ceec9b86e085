//! The modules of a crate, and the uses between the modules of each folder.
//!
//! This module follows files and folders. `definitions` finds the file that defines a name.

use std::collections::{BTreeMap, HashMap};

use super::definitions::{Definitions, ModuleNames};
use super::source::SourceFile;

/// The modules of one crate.
#[derive(Default)]
pub(crate) struct Modules {
    modules: Vec<Module>,
}

/// The uses between the modules of one folder, each with all that is within it.
///
/// The keys are a module and the modules that it uses; the value is one use as an example.
pub(crate) type FolderUses = BTreeMap<String, BTreeMap<String, ModuleUse>>;

/// A file that uses another one.
#[derive(Clone, Debug)]
pub(crate) struct ModuleUse {
    pub(crate) file: String,
    pub(crate) used: String,
}

/// A file of a crate.
struct Module {
    file: String,
    /// The names of the modules from the root of the crate to this one.
    path: Vec<String>,
    source: SourceFile,
}

impl Modules {
    /// Takes a library file of the crate.
    pub(crate) fn push(&mut self, file: &str, source: SourceFile) {
        let Some(path) = path(file) else { return };
        self.modules.push(Module { file: file.to_owned(), path, source });
    }

    /// Returns the uses between the modules of each folder, by the path of the folder.
    ///
    /// A use between two files counts in the deepest folder that has both, between the modules of
    /// that folder in which they are. So a reference to a module that contains this one is not a
    /// use, because others see both as one unit, and neither is a module's use of its children.
    pub(crate) fn folders(&self) -> BTreeMap<String, FolderUses> {
        let definitions = self.definitions();
        let mut folders: BTreeMap<String, FolderUses> = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            for reference in &definitions.modules[at].references {
                let Some(used) = definitions.find(at, reference) else { continue };
                let used = &self.modules[used];
                let shared = module.path.iter().zip(&used.path).take_while(|(a, b)| a == b).count();
                let (Some(user), Some(other)) = (module.path.get(shared), used.path.get(shared))
                else {
                    continue;
                };
                let root = module.file.split_once("src/").map_or("", |(package, _)| package);
                let folder = format!("{root}src/{}", module.path[..shared].join("/"));
                let uses = folders.entry(folder.trim_end_matches('/').to_owned()).or_default();
                let uses = uses.entry(user.clone()).or_default();
                let example = || ModuleUse { file: module.file.clone(), used: used.file.clone() };
                uses.entry(other.clone()).or_insert_with(example);
            }
        }
        folders
    }

    fn definitions(&self) -> Definitions {
        let mut modules: Vec<_> =
            self.modules.iter().map(|module| ModuleNames::read(&module.source.tokens)).collect();
        let by_path: HashMap<&[String], usize> =
            self.modules.iter().enumerate().map(|(at, module)| (&*module.path, at)).collect();
        for (at, module) in self.modules.iter().enumerate() {
            let above = module
                .path
                .split_last()
                .and_then(|(name, above)| Some((name, *by_path.get(above)?)));
            if let Some((name, above)) = above {
                modules[above].children.insert(name.clone(), at);
                modules[at].parent = Some(above);
            }
        }
        Definitions { root: by_path.get(&[][..]).copied(), modules }
    }
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
