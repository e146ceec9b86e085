//! A command that a sandbox is to run.

use std::path::PathBuf;
use std::time::Duration;

use crate::command_doors::CommandDoors;

/// A command for [`Sandbox::spawn`](crate::Sandbox::spawn): a program, its arguments and its
/// folder.
///
/// ```rust,standalone_crate
/// use std::io::Read as _;
///
/// use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxOptions};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     silcrow_sandbox::run_helper_if_asked();
///
///     let sandbox = Sandbox::unconfined(SandboxOptions::new("."))?;
///     let command = ConfinedCommand::new(["printenv", "NAME"]).with_variable("NAME", "Ada");
///     let mut process = sandbox.spawn(&command)?;
///     let mut output = String::new();
///     process.stdout.read_to_string(&mut output)?;
///     assert_eq!(output, "Ada\n");
///     Ok(())
/// }
/// ```
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
    /// These, and their contents.
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
    /// whatever it tries, and so that git runs no program that a repository names, if a git setting
    /// can prevent it. [`Sandbox::spawn`](crate::Sandbox::spawn) returns an error if [this cannot
    /// be enforced](crate::Sandbox::can_enforce_read_only).
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

    /// Searches for changes of files with protected names even while the command runs, with at
    /// least this time between two looks. Without it such changes stay until the command has ended.
    #[must_use]
    pub fn with_look_every(self, pause: Duration) -> Self {
        Self { look_every: Some(pause), ..self }
    }

    /// Lets the command change the data of the repository that the root lies in: objects, branches, the
    /// index, notes, linked working trees. Hooks, settings, attributes and pointers to other git folders
    /// stay as they are; the crate's page says how. Without a repository it opens nothing.
    #[must_use]
    pub fn with_git(mut self) -> Self {
        self.doors.git = true;
        self
    }

    /// Lets the command read a file, or everything beneath a folder, by its absolute path without
    /// links. Hidden paths stay hidden. [`Sandbox::spawn`](crate::Sandbox::spawn) returns an error
    /// if the path does not exist, leads through a link, or may not be read by any command.
    #[must_use]
    pub fn with_readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.doors.readable.push(path.into());
        self
    }

    /// Lets the command change a file, or everything beneath a folder, like
    /// [`with_readable`](Self::with_readable). Protected paths and names stay protected there.
    #[must_use]
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.doors.writable.push(path.into());
        self
    }

    /// Opens the whole network for a command that is not confined by namespaces. For one that is,
    /// this opens nothing.
    #[must_use]
    pub fn with_open_network(mut self) -> Self {
        self.doors.has_open_network = true;
        self
    }

    /// Lets the command connect to a port of 127.0.0.1 of this machine, if the network opens by
    /// [ports](crate::NetworkOpening::Ports). Elsewhere it opens nothing.
    #[must_use]
    pub fn with_local_port(mut self, port: u16) -> Self {
        self.doors.local_ports.push(port);
        self
    }

    /// Lets the command listen at a port of 127.0.0.1 of this machine, like
    /// [`with_local_port`](Self::with_local_port).
    #[must_use]
    pub fn with_served_port(mut self, port: u16) -> Self {
        self.doors.served_ports.push(port);
        self
    }

    /// Runs the command without confinement: it can do everything that the user can do, and gets
    /// the whole environment except for variables whose names say that they are secret or that are
    /// settings of silcrow. The limits hold, and its tree of processes ends with it.
    #[must_use]
    pub fn without_walls(mut self) -> Self {
        self.doors.is_outside = true;
        self
    }
}
