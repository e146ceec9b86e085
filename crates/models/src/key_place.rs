//! The places of a variable's keys: its value, a file, or the output of a command.
//!
//! A file and a command may provide other keys later. The caller decides to which server a key is
//! sent.

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_system::SystemMetadata as _;

use crate::error::{Error, ErrorKind};
use crate::options::{KeyCommand, ModelOptions};
use crate::secret_command::SecretCommand;
use crate::text_file::read_text;
use silcrow_environment::{add_secrets, expanded, key_and_host, separate_keys, split_words};

/// The place of keys.
#[derive(Clone)]
pub(crate) enum KeyPlace {
    /// In the variable itself, which stays as it is.
    Variable {
        variable: String,
        text: String,
    },
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

/// Numbers that differ once a file has changed. `None` if the file's metadata cannot be read.
pub(crate) type FileStamp = Option<[u64; 5]>;

impl KeyPlace {
    /// Returns where the keys of a variable are, or `None` if there are none. The variable takes
    /// precedence over its `_FILE`, which takes precedence over its `_COMMAND`; the person's
    /// settings come last.
    pub(crate) fn find(variable: &str, options: &ModelOptions) -> Result<Option<Self>, Error> {
        let environment = &options.environment;
        let (file, command) = (format!("{variable}_FILE"), format!("{variable}_COMMAND"));
        if let Some(text) = environment.get(variable) {
            return Ok(Some(Self::Variable { variable: variable.to_owned(), text }));
        }
        if let Some(path) = environment.get(&file) {
            let source = format!("{path} ({file})");
            return Ok(Some(Self::File { path: path.into(), variable: file, source }));
        }
        if let Some(text) = environment.get(&command) {
            let wrong = |why: String| Error::setting(format!("{command}: {why}"));
            let split = split_words(&text).filter(|words| !words.is_empty());
            let split = split
                .ok_or_else(|| wrong("there is a quotation mark without another one".to_owned()))?;
            return Self::command(&split, command.clone(), options).map(Some).map_err(wrong);
        }
        match options.key_command.as_ref().filter(|own| own.variable == variable) {
            Some(KeyCommand { words, .. }) => {
                let wrong = |why| Error::setting(format!("`key_command`: {why}"));
                Self::command(words, "`key_command`".to_owned(), options).map(Some).map_err(wrong)
            }
            None => Ok(None),
        }
    }

    fn command(words: &[String], source: String, options: &ModelOptions) -> Result<Self, String> {
        let value = |name: &str| {
            options
                .environment
                .get(name)
                .ok_or_else(|| format!("the variable {name} of the environment is not set"))
        };
        let words = words.iter().map(|word| expanded(word, &value)).collect::<Result<_, _>>()?;
        let command = SecretCommand::new(words, &*source).with_secrets(options.secrets.clone());
        Ok(Self::Command { command, source })
    }

    /// Returns the source of the keys, for messages.
    pub(crate) fn source(&self) -> &str {
        match self {
            Self::Variable { variable, .. } => variable,
            Self::File { source, .. } | Self::Command { source, .. } => source,
        }
    }

    /// Returns the text of the keys. A command that has printed one runs only if that `is_rejected`.
    pub(crate) fn text(&self, is_rejected: bool) -> Result<String, Error> {
        match self {
            Self::Variable { text, .. } => Ok(text.clone()),
            Self::File { path, variable, source } => read(path, source, variable),
            Self::Command { command, .. } => match is_rejected {
                true => command.read_again(),
                false => command.text(),
            }
            .map_err(|why| Error::new(ErrorKind::Key, format!("no key: {why}"))),
        }
    }

    /// Returns a value that changes when a file changes; nothing for other places.
    pub(crate) fn stamp(&self) -> FileStamp {
        let Self::File { path, .. } = self else { return None };
        fs::metadata(path).ok().map(|found| found.stamp())
    }
}

fn read(file: &Path, source: &str, variable: &str) -> Result<String, Error> {
    let text = read_text(file)
        .map_err(|error| Error::new(ErrorKind::Key, format!("{error} ({variable})")))?;
    if text.trim().is_empty() {
        return Err(Error::new(ErrorKind::Key, format!("{source} holds no key")));
    }
    add_secrets(separate_keys(&text).map(|entry| (key_and_host(entry).0, source)));
    Ok(text)
}
