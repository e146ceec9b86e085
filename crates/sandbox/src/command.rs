//! A command that a sandbox is to run.

use std::path::PathBuf;
use std::time::Duration;

use crate::command_doors::CommandDoors;

/// A command for [`Sandbox::spawn`](crate::Sandbox::spawn): a program, its arguments and where it
/// runs.
#[derive(Clone, Debug)]
pub struct ConfinedCommand {
    pub(crate) words: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) grace: Duration,
    pub(crate) look_every: Option<Duration>,
    pub(crate) secrets: SecretAccess,
    pub(crate) is_read_only: bool,
    pub(crate) doors: CommandDoors,
}

/// The files with secret names that a command sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecretAccess {
    /// These, and what is in them.
    Named(Vec<PathBuf>),
    All,
}

impl ConfinedCommand {
    /// Creates a command from a program and its arguments. It runs in the root.
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            folder: PathBuf::new(),
            variables: Vec::new(),
            grace: Duration::from_secs(2),
            look_every: None,
            secrets: SecretAccess::Named(Vec::new()),
            is_read_only: false,
            doors: CommandDoors::default(),
        }
    }

    /// Creates a command from a script for `/bin/sh`.
    pub fn shell(script: impl Into<String>) -> Self {
        Self::new(["/bin/sh".to_owned(), "-c".to_owned(), script.into()])
    }

    /// Sets the folder that the command runs in, which may be relative to the root.
    #[must_use]
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// Sets a variable of the command's environment.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Runs the command so that it changes nothing outside the temporary folder and has no network,
    /// whatever it tries, and so that git runs nothing that a repository names where git lets that be
    /// set. [`Sandbox::spawn`](crate::Sandbox::spawn) returns an error where
    /// [that cannot be enforced](crate::Sandbox::can_enforce_read_only).
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Lets the command see these files although their
    /// [names are secret](crate::SandboxOptions::with_secret_names). The paths are absolute.
    #[must_use]
    pub fn with_secrets(self, paths: Vec<PathBuf>) -> Self {
        Self { secrets: SecretAccess::Named(paths), ..self }
    }

    /// Lets the command see all files with secret names.
    #[must_use]
    pub fn with_all_secrets(self) -> Self {
        Self { secrets: SecretAccess::All, ..self }
    }

    /// Sets the time between TERM and KILL when the command is stopped, which is 2 seconds.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Looks for changes of files with protected names also while the command runs, with at least this
    /// time between two looks. Without it such changes stay until the command has ended.
    #[must_use]
    pub fn with_look_every(self, pause: Duration) -> Self {
        Self { look_every: Some(pause), ..self }
    }
}
