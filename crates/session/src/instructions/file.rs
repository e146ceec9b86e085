//! One file of instructions, found and read safely.
//!
//! A file has to be at an allowed place and may not be too long; trust is checked elsewhere.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_settings::owned;

/// The text of a file of instructions.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    /// The path as the person reads it.
    pub(super) label: String,
    /// The path as the model reads it: from the root of the tools on.
    pub(super) origin: String,
    pub(super) text: String,
}

impl FoundFile {
    /// Reads a person's file that no other user can write, or returns `None` for one that is
    /// missing or empty.
    pub(super) fn own(path: &Path) -> Option<Result<Self, String>> {
        let read = path.canonicalize().and_then(|path| owned::read(&path));
        Self::new(path, String::new(), read)
    }

    /// Reads a file of a project, which anybody may have written. A link may lead only to another
    /// Markdown file in the folder `project`.
    pub(super) fn of_project(
        path: &Path,
        origin: String,
        project: &Path,
    ) -> Option<Result<Self, String>> {
        let read = path.canonicalize().and_then(|place| {
            let is_markdown = place.extension().is_some_and(|end| end == "md");
            match (place.starts_with(project), is_markdown) {
                (false, _) => Err(io::Error::other("it is a link out of the project")),
                (true, false) => Err(io::Error::other("it links to a file that is not Markdown")),
                (true, true) => owned::read_foreign(&place),
            }
        });
        Self::new(path, origin, read)
    }

    fn new(path: &Path, origin: String, read: io::Result<String>) -> Option<Result<Self, String>> {
        match read {
            Ok(text) if text.trim().is_empty() => None,
            Ok(text) => Some(Ok(Self { path: path.to_owned(), label: label(path), origin, text })),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Some(Err("it is not UTF-8 text".to_owned()))
            }
            Err(error) => Some(Err(error.to_string())),
        }
    }

    /// Returns the text as a person sees it in an editor: hidden characters are written as numbers.
    pub(super) fn shown(&self) -> String {
        sanitize(&self.text).into_owned()
    }
}

/// Returns the path as a person reads it: within this folder, or within the home folder.
pub(super) fn label(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let within = |folder: Option<PathBuf>| {
        folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned))
    };
    let label = match (within(here), within(std::env::home_dir())) {
        (Some(rest), _) => rest.display().to_string(),
        (None, Some(rest)) => format!("~/{}", rest.display()),
        (None, None) => path.display().to_string(),
    };
    sanitize_line(&label).into_owned()
}
