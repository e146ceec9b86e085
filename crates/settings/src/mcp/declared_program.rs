//! The program of a declared server: its words and variables for one root, the folder that it starts
//! in, and the files of the root that it names.

use std::path::{Path, PathBuf};

use super::declared_text::DeclaredText;
use super::named_files::{is_code, named_files};
use super::shell_text::is_shell_text;
use super::start_place::{made_start_folders, only_in_root, path_outside, start_folders};
use silcrow_environment::{Environment, expanded};

/// The program that a declaration names.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredProgram<'a> {
    pub(crate) words: &'a [String],
    pub(crate) env: &'a [(String, DeclaredText)],
    /// The folder that it runs in: `.` is the root, and another relative one is in it. Without one it
    /// runs in an empty folder.
    pub(crate) folder: Option<&'a Path>,
    /// Whether `~` and `$` stand for themselves, as in the words of an editor.
    pub(crate) is_literal: bool,
}

/// A program of a declaration as it starts for one root.
#[derive(Debug)]
#[non_exhaustive]
pub struct ProgramStart {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The program's environment variables in addition to the few that every program gets: a `PATH`
    /// that leads to no program of the root, and the declared ones.
    pub variables: Vec<(String, String)>,
    /// The folder that it runs in, unless that is an empty one.
    pub folder: Option<PathBuf>,
    /// The folder that has an empty folder for each start of a program that runs in one.
    pub empty_folders: Option<PathBuf>,
    /// The files that the declaration names and that the start executes, which a later start compares.
    pub compared: Vec<PathBuf>,
}

/// The words and the variables of a program in one root.
struct PlacedProgram {
    words: Vec<String>,
    variables: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

impl DeclaredProgram<'_> {
    /// Returns the program as it starts for a run whose tools see `root`. `value` reads variables of the
    /// environment.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be started there: a variable that is not set, or a program that would
    /// be searched in an empty folder.
    pub fn start(
        self,
        root: &Path,
        value: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<ProgramStart, String> {
        let root = whole(root);
        let placed = self.placed(&root, value)?;
        self.check(&placed)?;
        let files = placed.named(&root);
        let path = path_outside(&root).to_str().map(|path| ("PATH".to_owned(), path.to_owned()));
        let empty_folders = if placed.folder.is_none() { start_folders() } else { None };
        Ok(ProgramStart {
            words: placed.words,
            variables: path.into_iter().chain(placed.variables).collect(),
            folder: placed.folder,
            empty_folders,
            compared: files.into_iter().filter(|file| is_code(file)).collect(),
        })
    }

    /// Makes the folder of empty folders, and returns an error for a program that cannot be started for
    /// this root.
    ///
    /// # Errors
    ///
    /// Returns the text to write instead, or the error that there is no folder.
    pub fn prepare(self, root: &Path) -> Result<(), String> {
        if self.folder.is_none() {
            made_start_folders()?;
        }
        let program = self.words.first().map_or("", |word| word);
        match only_in_root(program, &whole(root)) {
            // The person says where programs are.
            Some(_) if self.env.iter().any(|(name, _)| name == "PATH") => Ok(()),
            Some(file) => Err(format!(
                "`{program}` is found only in the root, where a model may write it; name it with its \
                 path, {}, and it is protected",
                file.display()
            )),
            None => Ok(()),
        }
    }

    /// Returns the files in the root of a run that its declaration names.
    pub fn files_in(self, root: &Path) -> Vec<PathBuf> {
        let root = whole(root);
        let value = |name: &str| Ok(Environment::process().get(name).unwrap_or_default());
        let Ok(placed) = self.placed(&root, &value) else { return Vec::new() };
        let files = placed.named(&root).into_iter();
        files.filter(|file| file.starts_with(&root)).collect()
    }

    /// Returns a message about a word that means the folder that the program runs in, if that is an
    /// empty one.
    pub fn advice(self) -> Option<String> {
        let is_here = |word: &&String| {
            matches!(&***word, "." | "..") || word.starts_with("./") || word.starts_with("../")
        };
        let word = self.words.iter().filter(|_| self.folder.is_none()).find(is_here)?;
        Some(format!(
            "`{word}` is in the empty folder in which the server starts; write {ROOT} for the root"
        ))
    }

    /// Returns the folder in which the program runs if that is not an empty folder, in words.
    pub fn folder_words(self) -> Option<String> {
        self.folder.map(folder_words)
    }

    /// Returns an error for a program that would be searched in an empty folder.
    fn check(self, placed: &PlacedProgram) -> Result<(), String> {
        let program = placed.words.first().map_or("", |word| word);
        if placed.folder.is_some() || !program.contains('/') || program.starts_with('/') {
            return Ok(());
        }
        Err(format!(
            "a server starts in an empty folder, which lacks `{program}`; write {ROOT}/{} for a \
             program of the root",
            program.trim_start_matches("./")
        ))
    }

    /// Returns the words and the variables, with the root in place of its name, and with the home
    /// folder and variables of the environment in place of theirs.
    fn placed(
        self,
        root: &Path,
        value: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<PlacedProgram, String> {
        let placed = |text: &str| match (text.contains(ROOT), root.to_str()) {
            (false, _) => Ok(text.to_owned()),
            (true, Some(root)) => Ok(text.replace(ROOT, root)),
            (true, None) => {
                Err(format!("the path of the root is not UTF-8, so {ROOT} cannot stand for it"))
            }
        };
        // Variables come first, so that none are expanded in the path of the root.
        let filled = |text: &str| match self.is_literal {
            true => placed(text),
            false => placed(&expanded(text, value)?),
        };
        let words = self.words.iter().enumerate().map(|(index, word)| {
            match is_shell_text(self.words, index) {
                true => placed(word),
                false => filled(word),
            }
        });
        let variables = self.env.iter().map(|(name, declared)| {
            let text = match declared {
                DeclaredText::Text(text) => filled(text)?,
                other => other.value(value)?,
            };
            Ok((name.clone(), text))
        });
        let folder = self.folder.map(|folder| match folder.to_str() {
            Some(text) => filled(text).map(PathBuf::from),
            None => Ok(folder.to_owned()),
        });
        Ok(PlacedProgram {
            words: words.collect::<Result<_, String>>()?,
            variables: variables.collect::<Result<_, String>>()?,
            folder: folder.transpose()?.map(|folder| whole(&root.join(folder))),
        })
    }
}

impl PlacedProgram {
    /// Returns the files that the declaration names.
    fn named(&self, root: &Path) -> Vec<PathBuf> {
        let values = self.variables.iter().map(|(_, value)| &**value);
        named_files(&self.words, values, self.folder.as_deref(), root)
    }
}

/// Returns the files in a root that the words of a command name, for a program outside of the root.
///
/// ```
/// use silcrow_settings::command_files;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path().canonicalize().unwrap();
/// let script = root.join("keys.sh");
/// let words = ["/bin/sh".to_owned(), script.to_str().unwrap().to_owned()];
/// assert_eq!(command_files(&words, &root), [script]);
/// ```
pub fn command_files(words: &[String], root: &Path) -> Vec<PathBuf> {
    DeclaredProgram { words, env: &[], folder: None, is_literal: false }.files_in(root)
}

/// Returns the folder in which a program runs, in words.
pub(crate) fn folder_words(folder: &Path) -> String {
    match folder {
        folder if folder == Path::new(".") => "in the root".to_owned(),
        folder if folder.is_relative() => format!("in {} of the root", folder.display()),
        folder => format!("in {}", folder.display()),
    }
}

/// Returns a path without links, or an absolute one if it does not exist.
fn whole(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| absolute())
}

/// The name of the root in the words of a declaration.
const ROOT: &str = "{root}";
