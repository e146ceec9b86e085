//! The files of hooks. A project's count once the person trusts the contents of the file itself and
//! of the files below the root that its commands name.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use silcrow_hooks::Hook;
use silcrow_settings::{TrustRecord, TrustStatus, command_files, hash, is_code};

use crate::error::Error;
use crate::store::config_folder;

/// The hooks of all files that count.
#[derive(Clone, Debug, Default)]
pub(crate) struct HookFiles {
    pub(crate) hooks: Vec<Hook>,
    /// The files that hooks depend on, which tools must not change.
    pub(crate) files: Vec<PathBuf>,
    /// The lines about omitted hooks.
    pub(crate) notices: Vec<String>,
}

impl HookFiles {
    /// Reads the person's file and the project's files. `folders` are the project's, the nearest first.
    pub(crate) fn read(folders: &[PathBuf]) -> Self {
        let mut all = Self::default();
        let root = folders.first().map(PathBuf::as_path);
        if let Some(path) = config_folder().map(|folder| folder.join(FILE)) {
            all.add(&path, root, true);
        }
        for folder in folders {
            all.add(&folder.join(PROJECT_FILE), root, false);
        }
        all
    }

    fn add(&mut self, path: &Path, root: Option<&Path>, is_own: bool) {
        let Some(file) = ReadHookFile::read(path, root, is_own) else { return };
        let shown = path.display();
        let file = match file {
            Ok(file) => file,
            Err(why) => return self.notices.push(format!("hooks: {shown} is left out: {why}")),
        };
        self.files.extend(file.files);
        if !is_own && !is_trusted(path, &file.hash) {
            self.notices.push(format!(
                "hooks: {shown} is left out; read it and what it runs, then run silcrow config trust"
            ));
            return;
        }
        self.hooks.extend(file.hooks);
        self.notices.extend(file.notices.into_iter().map(|line| format!("hooks: {shown}: {line}")));
    }
}

/// Returns the numbers of active hooks of the person and of a project, and lines about hooks that
/// are left out. It runs none.
pub fn hook_counts(folders: &[PathBuf]) -> (usize, usize, Vec<String>) {
    let HookFiles { hooks, notices, .. } = HookFiles::read(folders);
    let own = hooks.iter().filter(|hook| hook.is_own).count();
    (own, hooks.len() - own, notices)
}

/// Trusts the hooks that a project has now, and returns a line for each file.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if the record of trust cannot be used.
pub fn trust_hooks(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let root = folders.first().map(PathBuf::as_path);
    let mut lines = Vec::new();
    for path in folders.iter().map(|folder| folder.join(PROJECT_FILE)) {
        let Some(file) = ReadHookFile::read(&path, root, false) else { continue };
        let file = file.map_err(|why| Error::given(format!("{}: {why}", path.display())))?;
        TrustRecord::find()?.trust(&path, &file.hash)?;
        lines.push(format!("{} is trusted until it, or what it runs, changes", path.display()));
    }
    Ok(lines)
}

/// Ends the trust in the hooks of a project, and returns a line for each file that was trusted.
///
/// # Errors
///
/// Returns an error if the record of trust cannot be used.
pub fn revoke_hooks(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for path in folders.iter().map(|folder| folder.join(PROJECT_FILE)) {
        if TrustRecord::find()?.revoke(&path)? {
            lines.push(format!("{} is no longer trusted", path.display()));
        }
    }
    Ok(lines)
}

/// A file of hooks that was read.
struct ReadHookFile {
    hooks: Vec<Hook>,
    notices: Vec<String>,
    /// The file, and those that its commands name.
    files: Vec<PathBuf>,
    /// The hash of them all.
    hash: String,
}

impl ReadHookFile {
    /// Reads a file, or returns `None` if there is none.
    fn read(path: &Path, root: Option<&Path>, is_own: bool) -> Option<Result<Self, String>> {
        let text = match beginning(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => return Some(Err(error.to_string())),
            Ok(text) => text,
        };
        let read = || {
            let text = String::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
            let (hooks, notices) = Hook::read(&text, is_own)?;
            let (mut files, mut whole) = (vec![path.to_owned()], text.into_bytes());
            for file in root.into_iter().flat_map(|root| named_files(&hooks, root)) {
                whole.extend_from_slice(file.as_os_str().as_encoded_bytes());
                let content =
                    beginning(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                whole.extend_from_slice(hash(&content).as_bytes());
                files.push(file);
            }
            Ok(Self { hooks, notices, files, hash: hash(&whole) })
        };
        Some(read())
    }
}

/// Returns the files below a root that the words of commands name, in a fixed order.
fn named_files(hooks: &[Hook], root: &Path) -> Vec<PathBuf> {
    let ends = |char: char| char.is_whitespace() || ";|&()<>\"'`=$".contains(char);
    let words = |hook: &Hook| -> Vec<String> {
        let folder = root.to_string_lossy();
        let command = ["$SILCROW_PROJECT_DIR", "$CLAUDE_PROJECT_DIR"]
            .iter()
            .flat_map(|name| [format!("\"{name}\""), name.to_string()])
            .fold(hook.command.clone(), |command, name| command.replace(&name, &folder));
        let words = command.split(ends).filter(|word| !word.is_empty());
        // A hook runs in the root, so a relative path begins there. The files that it reads or
        // writes may change.
        let path = |word: &str| match root.join(word) {
            file if file.is_file() && is_code(&file) => file.to_string_lossy().into_owned(),
            _ => word.to_owned(),
        };
        words.map(path).collect()
    };
    let mut files: Vec<_> =
        hooks.iter().flat_map(|hook| command_files(&words(hook), root)).collect();
    files.retain(|file| file.is_file());
    files.sort();
    files.dedup();
    files
}

/// Returns the bytes of a small regular file.
fn beginning(path: &Path) -> std::io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(std::io::Error::other(format!("it has more than {} KiB", MOST_BYTES >> 10))),
        false => Ok(bytes),
    }
}

/// Returns whether the person trusts contents. Without a record nothing is trusted.
fn is_trusted(path: &Path, hash: &str) -> bool {
    let standing = TrustRecord::find().and_then(|record| record.standing(path, hash));
    matches!(standing, Ok(TrustStatus::Trusted))
}

/// The file beside the settings of the person.
const FILE: &str = "hooks.json";

/// The file in a folder of a project.
const PROJECT_FILE: &str = ".silcrow/hooks.json";

/// The number of bytes of a file.
const MOST_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path) -> ReadHookFile {
        ReadHookFile::read(&root.join(PROJECT_FILE), Some(root), false).unwrap().unwrap()
    }

    #[test]
    fn trust_covers_the_file_and_its_commands() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".silcrow")).unwrap();
        assert!(ReadHookFile::read(&root.join(PROJECT_FILE), Some(&root), false).is_none());
        for name in ["check.sh", "other.sh", "third.sh"] {
            fs::write(root.join(name), "true").unwrap();
        }
        let command = r#"sh ./check.sh; \"$CLAUDE_PROJECT_DIR\"/other.sh x"#;
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        );
        fs::write(root.join(PROJECT_FILE), text).unwrap();
        let first = read(&root);
        let names: Vec<_> =
            first.files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        assert_eq!(names, ["hooks.json", "check.sh", "other.sh"]);
        fs::write(root.join("third.sh"), "false").unwrap();
        assert_eq!(read(&root).hash, first.hash);
        fs::write(root.join("check.sh"), "false").unwrap();
        assert_ne!(read(&root).hash, first.hash);
    }
}
