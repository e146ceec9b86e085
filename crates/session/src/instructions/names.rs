//! The names of files of instructions: `AGENTS.md` in any case, and the names that other tools use.

use std::fs;
use std::path::{Path, PathBuf};

/// The file of instructions of a folder, and others that do not count because of it.
#[derive(Debug, Default)]
pub(super) struct InstructionNames {
    pub(super) counts: Option<PathBuf>,
    /// The names of the others.
    pub(super) others: Vec<String>,
}

/// Finds the file of instructions of a folder: `AGENTS.md`, otherwise one whose name differs from that only
/// in the case of letters, otherwise the first that another tool would read.
pub(super) fn named_files(folder: &Path) -> InstructionNames {
    // A folder that cannot be read has no instructions.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut ranked: Vec<_> = names.filter_map(|name| Some((rank(&name)?, name))).collect();
    ranked.sort();
    let mut names = ranked.into_iter().map(|(_, name)| name);
    let counts = names.next().map(|name| folder.join(name));
    // Some systems find one file by both spellings, and a link to the file says the same.
    let is_same = |name: &String| {
        let same = |path: &PathBuf| path.canonicalize().ok();
        counts.as_ref().and_then(same) == same(&folder.join(name))
    };
    let others = names.filter(|name| !is_same(name)).collect();
    InstructionNames { counts, others }
}

/// Returns the place of a name among the names of instructions.
fn rank(name: &str) -> Option<usize> {
    match OTHERS.iter().position(|other| *other == name) {
        Some(place) => Some(2 + place),
        None if name == FILE => Some(0),
        None => name.eq_ignore_ascii_case(FILE).then_some(1),
    }
}

/// The name of the files.
pub(super) const FILE: &str = "AGENTS.md";

/// The names that other tools read.
const OTHERS: [&str; 2] = ["CLAUDE.md", "GEMINI.md"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_instruction_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        let found = || {
            let InstructionNames { counts, others } = named_files(folder.path());
            let name = counts.and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
            (name.unwrap_or_default(), others)
        };
        assert_eq!(found(), (String::new(), vec![]));
        for (name, expected, others) in [
            ("GEMINI.md", "GEMINI.md", &[][..]),
            ("CLAUDE.md", "CLAUDE.md", &["GEMINI.md"]),
            ("Agents.md", "Agents.md", &["CLAUDE.md", "GEMINI.md"]),
            ("AGENTS.md", "AGENTS.md", &["Agents.md", "CLAUDE.md", "GEMINI.md"]),
        ] {
            fs::write(folder.path().join(name), "x").unwrap();
            assert_eq!(
                found(),
                (expected.to_owned(), others.iter().map(|name| (*name).to_owned()).collect())
            );
        }
        assert!(named_files(Path::new("/nowhere/at/all")).counts.is_none());
    }

    #[cfg(unix)]
    #[test]
    fn symlink_to_instructions_is_not_loaded_twice() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "x").unwrap();
        std::os::unix::fs::symlink(FILE, folder.path().join("CLAUDE.md")).unwrap();
        assert!(named_files(folder.path()).others.is_empty());
    }
}
