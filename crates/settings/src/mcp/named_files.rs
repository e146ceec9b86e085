//! The files that the declaration of a server names, and that its program runs or reads when it starts.
//!
//! A model must not write them unasked, so those in the root are protected like hooks. Files that a
//! named file loads are not found here.

use std::path::{Component, Path, PathBuf};

/// Returns the files that the words and variables of a declaration name. `folder` is the folder of the
/// program if that is not an empty one, and then the declaration may name files without their folder.
/// `root` is an absolute path without links.
pub(crate) fn named_files<'a>(
    words: &'a [String],
    variables: impl Iterator<Item = &'a str>,
    folder: Option<&Path>,
    root: &Path,
) -> Vec<PathBuf> {
    let mut found = DeclaredFiles { root, files: Vec::new() };
    for part in words.iter().map(String::as_str).chain(variables).flat_map(parts) {
        let path = Path::new(part);
        match (path.is_absolute(), folder) {
            (true, _) => found.add(path),
            (false, Some(folder)) if !part.starts_with('-') => found.add_below(folder, part),
            (false, _) => {}
        }
    }
    if let Some(folder) = folder {
        found.add_loaded(words, folder);
    }
    found.files
}

/// Returns whether the name of a file shows that a start executes it, and does not only read it.
///
/// ```
/// use std::path::Path;
/// use silcrow_settings::is_code;
///
/// assert!(is_code(Path::new("check.sh")) && is_code(Path::new("bin/check")));
/// assert!(!is_code(Path::new("seen.json")));
/// ```
pub fn is_code(file: &Path) -> bool {
    let Some(end) = file.extension().and_then(|end| end.to_str()) else { return true };
    let end = end.to_ascii_lowercase();
    CODE.contains(&&*end)
        || (file.file_name().is_some_and(|name| LAUNCHED.iter().any(|known| name == *known)))
}

struct DeclaredFiles<'a> {
    root: &'a Path,
    files: Vec<PathBuf>,
}

impl DeclaredFiles<'_> {
    /// Adds a file, or files in a folder that start automatically.
    fn add(&mut self, path: &Path) {
        let (path, target) = (plain(path), without_links(path));
        if self.root.starts_with(&target) {
            // Many servers work on the root.
            return;
        }
        if target.is_dir() {
            let launched = LAUNCHED.iter().map(|name| target.join(name));
            self.files.extend(launched.filter(|file| file.is_file()));
            return;
        }
        // A missing file elsewhere does not count, such as a word that begins with `/`.
        if !target.starts_with(self.root) && !target.exists() {
            return;
        }
        for file in [path, target].into_iter().filter(|file| !is_data(file)) {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }

    /// Adds a file that is named from a folder. A mere word counts only if it is a file there or is
    /// named like code.
    fn add_below(&mut self, folder: &Path, part: &str) {
        let path = folder.join(part);
        if part.contains('/') || path.exists() || (is_code(&path) && path.extension().is_some()) {
            self.add(&path);
        }
    }

    /// Adds the files that launchers load from their working folder.
    fn add_loaded(&mut self, words: &[String], folder: &Path) {
        let program = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        if let Some(at) = words.iter().position(|word| word == "-m") {
            let module = words.get(at + 1).map_or("", |module| module);
            let module = folder.join(module.replace('.', "/"));
            for file in [
                module.with_extension("py"),
                module.join("__main__.py"),
                module.join("__init__.py"),
            ] {
                self.add(&file);
            }
        }
        let settings = LAUNCHERS.iter().find(|(names, _)| names.contains(&program));
        let Some((_, settings)) = settings else { return };
        for file in *settings {
            self.add(&folder.join(file));
        }
        if settings.contains(&".npmrc") {
            let packages = words.iter().skip(1).filter(|word| !word.starts_with(['-', '.', '/']));
            for package in packages {
                self.files.push(folder.join("node_modules/.bin").join(package));
                self.files.push(folder.join("node_modules").join(package));
            }
        }
    }
}

/// Returns the parts of a word that may be paths: the word, the part after its `=`, and the parts
/// of a list with colons.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let listed = value.unwrap_or(word).split(':').filter(|part| part.len() < word.len());
    [Some(word), value].into_iter().flatten().chain(listed).filter(|part| !part.is_empty())
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns a path without links. Its last name need not exist.
fn without_links(path: &Path) -> PathBuf {
    let named = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(named).unwrap_or_else(|| path.to_owned())
}

fn is_data(file: &Path) -> bool {
    file.extension().and_then(|end| end.to_str()).is_some_and(|end| DATA.contains(&end))
}

/// The ends of names of files that programs work on and never run.
const DATA: [&str; 10] =
    ["csv", "db", "duckdb", "jsonl", "log", "md", "parquet", "sqlite", "sqlite3", "tsv"];

/// The ends of names of files that are programs.
const CODE: [&str; 21] = [
    "bash", "bat", "cjs", "cts", "exe", "fish", "jar", "js", "jsx", "lua", "mjs", "mts", "php",
    "pl", "py", "pyz", "rb", "sh", "so", "ts", "tsx",
];

/// The files in a folder that run when the folder is started.
const LAUNCHED: [&str; 10] = [
    "__init__.py",
    "__main__.py",
    "Cargo.toml",
    "deno.json",
    "index.cjs",
    "index.js",
    "index.mjs",
    "index.ts",
    "package.json",
    "pyproject.toml",
];

/// Launchers, and the files of their working folder that name the program to run.
const LAUNCHERS: [(&[&str], &[&str]); 3] = [
    (&["npx", "pnpx", "bunx"], &[".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml"]),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml"],
    ),
    (&["uv", "uvx", "pipx", "poetry"], &["pyproject.toml", "uv.toml", "poetry.toml"]),
];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn named(words: &[&str], is_root: bool, root: &Path) -> Vec<String> {
        let words: Vec<_> =
            words.iter().map(|word| word.replace("{root}", root.to_str().unwrap())).collect();
        let files = named_files(&words, std::iter::empty(), is_root.then_some(root), root);
        let below = |file: PathBuf| match file.strip_prefix(root) {
            Ok(below) => below.to_str().unwrap().to_owned(),
            Err(_) => file.to_str().unwrap().to_owned(),
        };
        files.into_iter().map(below).collect()
    }

    #[test]
    fn command_words_reveal_files_in_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        for file in
            ["srv/index.js", "srv/other.js", "server.py", "notes.db", "docs/a.md", "package.json"]
        {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink("server.py", root.join("link.py")).unwrap();
        for (words, expected) in [
            (&["python3", "{root}/server.py"][..], &["server.py"][..]),
            (&["python3", "{root}/docs/../server.py", "."], &["server.py"]),
            (&["python3", "{root}/link.py"], &["link.py", "server.py"]),
            (&["node", "{root}/new.js"], &["new.js"]),
            (&["node", "--import={root}/x.mjs"], &["x.mjs"]),
            (&["env", "PYTHONPATH=/nowhere:{root}/lib/a.py"], &["lib/a.py"]),
            (&["node", "{root}/srv"], &["srv/index.js"]),
            (&["server-filesystem", "{root}", "{root}/docs"], &[]),
            (&["server-sqlite", "{root}/notes.db"], &[]),
            (&["npx", "-y", "server.py", "."], &[]),
            (&["x", "/nowhere/at-all"], &[]),
        ] {
            assert_eq!(named(words, false, root), expected, "{words:?}");
        }
        // Another name of the root leads to the same files.
        let link = folder.path().with_extension("link");
        std::os::unix::fs::symlink(root, &link).unwrap();
        let other = |file: &str| link.join(file).to_str().unwrap().to_owned();
        for file in ["server.py", "new.js"] {
            assert!(named(&["x", &other(file)], false, root).contains(&file.to_owned()), "{file}");
        }
        assert_eq!(named(&["node", &other("srv")], false, root), ["srv/index.js"]);
        fs::remove_file(link).unwrap();
        for (words, expected) in [
            (&["python3", "server.py", "build"][..], &["server.py"][..]),
            (
                &["python3", "-m", "tool.serve"],
                &["tool/serve.py", "tool/serve/__main__.py", "tool/serve/__init__.py"],
            ),
            (&["node", "new.mjs"], &["new.mjs"]),
            (&["./server"], &["server"]),
            (&["uv", "run", "x"], &["pyproject.toml", "uv.toml", "poetry.toml"]),
        ] {
            assert_eq!(named(words, true, root), expected, "{words:?}");
        }
        let packages = named(&["npx", "-y", "@a/server", "."], true, root);
        for file in ["node_modules/@a/server", "node_modules/.bin/@a/server", ".npmrc"] {
            assert!(packages.iter().any(|found| found == file), "{packages:?}");
        }
    }
}
