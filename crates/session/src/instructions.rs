//! An agent's instructions beyond the protocol: the person's and the project's.
//!
//! The person's own are `--system`, or otherwise the file `AGENTS.md` beside the settings. The project's
//! are the files `AGENTS.md` of the root and of the folders above it up to its repository, which count
//! once the person trusts them. In a folder without one, the file of another tool is read. Files in
//! folders below the root are read when the agent works there. All are text for the model and can permit
//! nothing.

mod file;
mod names;
mod nested;
mod parts;
mod project;

use std::path::{Path, PathBuf};

use silcrow_context::InstructionText;
use silcrow_settings::{TrustStatus, known_secrets};
use silcrow_term::quantity::size;
use silcrow_tool::Secrets;

use crate::error::Error;
use crate::options::InstructionOptions;
use crate::store::config_folder;
use crate::text_file::read_text;

use file::FoundFile;
use names::{FILE, named_files};
pub(crate) use nested::NestedInstructions;
pub use project::{UntrustedInstructions, revoke, trust};

/// The instructions of an agent, and the notices about them.
pub(crate) struct Instructions {
    /// The text that the person gave with the command.
    pub(crate) given: Option<String>,
    /// The files, the person's own first.
    pub(crate) texts: Vec<InstructionText>,
    /// The line about the files that were read, if there are any.
    read: Option<String>,
    /// The lines about the files that were not.
    pub(crate) left_out: Vec<String>,
}

impl Instructions {
    /// Reads the files that count for these options. `folders` are the project's, the nearest first.
    pub(crate) fn read(args: &InstructionOptions, folders: &[PathBuf]) -> Result<Self, Error> {
        let given = args.given.as_deref().map(given).transpose()?;
        let mut files = GatheredFiles::new(known_secrets());
        let wants_own = given.is_none() && args.reads_files;
        if let Some(folder) = config_folder().filter(|_| wants_own) {
            files.add_own(&folder.join(FILE));
        }
        if args.reads_files && args.reads_project {
            files.add_project(folders);
        }
        let GatheredFiles { texts, read, left_out, .. } = files;
        let read = (!read.is_empty()).then(|| format!("instructions: {}", read.join(", ")));
        Ok(Self { given, texts, read, left_out })
    }

    /// Returns the lines about files that were read, and files that were not.
    pub(crate) fn notices(&self) -> impl Iterator<Item = String> {
        self.read.iter().chain(&self.left_out).cloned()
    }
}

/// Returns the text of an option: the option itself, or the contents of the file after `@`.
///
/// # Errors
///
/// Returns an error if the file cannot be read.
pub fn given(value: &str) -> Result<String, Error> {
    match value.strip_prefix('@') {
        Some(file) => read_text(Path::new(file)),
        None => Ok(value.to_owned()),
    }
}

/// The texts of the files, in the order in which the model reads them.
struct GatheredFiles {
    secrets: Secrets,
    bytes: usize,
    texts: Vec<InstructionText>,
    /// The name and the size of each text.
    read: Vec<String>,
    left_out: Vec<String>,
}

impl GatheredFiles {
    const fn new(secrets: Secrets) -> Self {
        Self { secrets, bytes: 0, texts: Vec::new(), read: Vec::new(), left_out: Vec::new() }
    }

    /// Adds the person's own file.
    fn add_own(&mut self, path: &Path) {
        match FoundFile::own(path) {
            Some(Ok(file)) => {
                let text = self.secrets.mask(&file.text);
                let text = InstructionText::of_person(&*file.label, text);
                self.add(&file, text);
            }
            Some(Err(why)) => self.leave_out(&file::label(path), &why),
            None => {}
        }
    }

    /// Adds the files of the project that are trusted. The nearest one is read first, so that it is
    /// the last one to be cut, and the model reads it last.
    fn add_project(&mut self, folders: &[PathBuf]) {
        let own = self.texts.len();
        for (path, found) in project::files(folders) {
            let file = match found {
                Ok(file) => file,
                Err(why) => {
                    self.leave_out(&file::label(&path), &why);
                    continue;
                }
            };
            match project::standing(&file) {
                TrustStatus::Trusted => {
                    let shown = file.shown();
                    let text = self.secrets.mask(&shown);
                    let text = InstructionText::of_project(&*file.origin, text);
                    self.add(&file, text);
                    self.name_others(&path);
                }
                untrusted => {
                    let root = folders
                        .first()
                        .map_or_else(String::new, |root| format!(" --root {}", root.display()));
                    self.left_out.push(format!(
                        "instructions: {} {}, so it is left out; read it, then run silcrow config \
                         trust{root}",
                        file.label,
                        untrusted.reason()
                    ));
                }
            }
        }
        self.texts[own..].reverse();
        self.read[own..].reverse();
    }

    fn add(&mut self, file: &FoundFile, text: InstructionText) {
        let text = text.with_cap((MOST_BYTES - self.bytes).min(MOST_OF_FILE));
        let shown = text.shown();
        self.bytes += shown;
        let size = match text.omitted() {
            0 => size(file.text.len()),
            omitted => format!("{} of {}", size(shown), size(shown + omitted)),
        };
        self.read.push(format!("{} ({size})", file.label));
        self.texts.push(text);
    }

    /// Names the files of other tools beside one that counts.
    fn name_others(&mut self, path: &Path) {
        let others = path.parent().map(|folder| named_files(folder).others).unwrap_or_default();
        if let (Some(last), false) = (self.read.last_mut(), others.is_empty()) {
            *last += &format!(", in place of {}", others.join(" and "));
        }
    }

    fn leave_out(&mut self, label: &str, why: &str) {
        self.left_out.push(format!("instructions: {label} left out: {why}"));
    }
}

/// The number of bytes of all files at most.
const MOST_BYTES: usize = 64 << 10;

/// The number of bytes of one file at most.
const MOST_OF_FILE: usize = 32 << 10;
