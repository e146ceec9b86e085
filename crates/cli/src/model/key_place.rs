//! Where the keys of a variable are: in it, in a file or in what a command prints.
//!
//! A file and a command may have other keys later. This module does not know for which server a key
//! is.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::environment::set;
use crate::failure::Failure;
use crate::input::Input;
use crate::known_secrets::{COMPATIBLE_KEY, KEYS, separate, split};
use crate::mcp::{command_files, expanded, words};
use crate::printed_secrets::add_secrets;
use crate::secret_command::SecretCommand;

/// Where keys are.
#[derive(Clone)]
pub(super) enum KeyPlace {
    /// In the variable itself, which stays as it is.
    Variable(String),
    File {
        path: PathBuf,
        /// The variable that names the file.
        variable: String,
        source: String,
    },
    Command {
        command: SecretCommand,
        source: String,
    },
}

/// The size and the time of a file, and the file itself. `None` for one that cannot be looked at.
pub(super) type FileStamp = Option<(u64, i64, i64, u64)>;

impl KeyPlace {
    /// Returns where the keys of a variable are, or `None` if there are none. The variable counts
    /// before the one with `_FILE`, that before the one with `_COMMAND`, and last the person's
    /// settings.
    pub(super) fn of(variable: &str) -> Result<Option<Self>, Failure> {
        let (file, command) = (format!("{variable}_FILE"), format!("{variable}_COMMAND"));
        if set(variable).is_some() {
            return Ok(Some(Self::Variable(variable.to_owned())));
        }
        if let Some(path) = set(&file) {
            let source = format!("{path} ({file})");
            return Ok(Some(Self::File { path: path.into(), variable: file, source }));
        }
        if let Some(text) = set(&command) {
            let wrong = |why: String| Failure::given(format!("{command}: {why}"));
            let split = words::split(&text).filter(|words| !words.is_empty());
            let split = split
                .ok_or_else(|| wrong("there is a quotation mark without another one".to_owned()))?;
            return Self::command(split, command.clone()).map(Some).map_err(wrong);
        }
        let settings = SETTING.read().unwrap_or_else(PoisonError::into_inner).clone();
        match settings.filter(|setting| setting.variable == variable) {
            Some(KeySetting { words, .. }) => {
                let wrong = |why| Failure::given(format!("`key_command`: {why}"));
                Self::command(words, "`key_command`".to_owned()).map(Some).map_err(wrong)
            }
            None => Ok(None),
        }
    }

    fn command(words: Vec<String>, source: String) -> Result<Self, String> {
        let value = |name: &str| {
            set(name).ok_or_else(|| format!("the variable {name} of the environment is not set"))
        };
        let words = words.iter().map(|word| expanded(word, &value)).collect::<Result<_, _>>()?;
        Ok(Self::Command { command: SecretCommand::new(words, &*source), source })
    }

    /// Returns the source of the keys, for messages.
    pub(super) fn source(&self) -> &str {
        match self {
            Self::Variable(source) | Self::File { source, .. } | Self::Command { source, .. } => {
                source
            }
        }
    }

    /// Returns the text of the keys. A command that has printed one runs only if that `is_rejected`.
    pub(super) fn text(&self, is_rejected: bool) -> Result<String, Failure> {
        match self {
            Self::Variable(variable) => Ok(set(variable).unwrap_or_default()),
            Self::File { path, variable, source } => read(path, source, variable),
            Self::Command { command, .. } => match is_rejected {
                true => command.read_again(),
                false => command.text(),
            }
            .map_err(|why| Failure::given(format!("there is no key: {why}"))),
        }
    }

    /// Returns what shows whether a file is another one; nothing for other places.
    pub(super) fn stamp(&self) -> FileStamp {
        let Self::File { path, .. } = self else { return None };
        let found = fs::metadata(path).ok()?;
        Some((found.len(), found.mtime(), found.mtime_nsec(), found.ino()))
    }
}

fn read(file: &Path, source: &str, variable: &str) -> Result<String, Failure> {
    let text = Input::open(file)
        .and_then(Input::text)
        .map_err(|failure| Failure::given(format!("{} ({variable})", failure.message())))?;
    if text.trim().is_empty() {
        return Err(Failure::given(format!("there is no key in {source}")));
    }
    add_secrets(separate(&text).map(|entry| (split(entry).1, source)));
    Ok(text)
}

/// Returns the files in a root that commands for keys name. A model must not write them unasked.
pub(crate) fn key_command_files(root: &Path) -> Vec<PathBuf> {
    let places = KEYS.into_iter().filter_map(|variable| KeyPlace::of(variable).ok()?);
    let files = places.filter_map(|place| match place {
        KeyPlace::Command { command, .. } => Some(command_files(command.words(), root)),
        KeyPlace::Variable(_) | KeyPlace::File { .. } => None,
    });
    files.flatten().collect()
}

/// The command of the person's settings, and the variable of whose keys it takes the place.
#[derive(Clone)]
struct KeySetting {
    variable: String,
    words: Vec<String>,
}

/// The command of the settings of this process.
static SETTING: RwLock<Option<KeySetting>> = RwLock::new(None);

/// Uses a command of the person's settings for the key of the chosen model, and for no other vendor,
/// which is not to see it. No words are no command.
pub(crate) fn set_key_command(model: &str, words: Vec<String>) {
    let prefix = match model.split_once(':').map_or(model, |(kind, _)| kind) {
        "anthropic" => "ANTHROPIC_API_KEY",
        "azure" => "AZURE_OPENAI_API_KEY",
        "compatible" => COMPATIBLE_KEY,
        kind if kind.starts_with("gemini") => "GEMINI_API_KEY",
        kind if kind.starts_with("openai") => "OPENAI_API_KEY",
        _ => "",
    };
    let variable = KEYS.into_iter().find(|variable| *variable == prefix);
    let setting = variable.filter(|_| !words.is_empty());
    let setting = setting.map(|variable| KeySetting { variable: variable.to_owned(), words });
    *SETTING.write().unwrap_or_else(PoisonError::into_inner) = setting;
}
