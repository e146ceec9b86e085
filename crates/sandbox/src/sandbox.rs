//! A sandbox, which confines every command that is started in it.
//!
//! [`Sandbox::new`] chooses the layers that work here, which the module of the system determines.
//! Each command is then started with exactly these layers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::ConfinedCommand;
use crate::error::{Error, ErrorKind};
use crate::level::{SandboxLayers, SandboxLevel};
use crate::network::{NetworkOpening, SharedNetwork};
use crate::options::SandboxOptions;
use crate::paths::{links, with_targets};
use crate::process::ConfinedProcess;
use crate::system::{self, SystemState};
use crate::temp_folder::TempFolder;

/// A sandbox for commands that work beneath one folder.
///
/// ```
/// use silcrow_sandbox::{Sandbox, SandboxOptions};
///
/// let folder = tempfile::tempdir()?;
/// // `Sandbox::new` adds the walls that work on this machine, which this one does without.
/// let sandbox = Sandbox::unconfined(SandboxOptions::new(folder.path()))?;
/// assert_eq!(sandbox.root(), folder.path().canonicalize()?);
/// assert_eq!(sandbox.level().to_string(), "none");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sandbox {
    pub(crate) options: SandboxOptions,
    pub(crate) layers: SandboxLayers,
    temp: TempFolder,
    /// The folder of files that commands read and cannot write.
    given: TempFolder,
    /// The state that the module of this system keeps between commands.
    pub(crate) state: SystemState,
}

impl Sandbox {
    /// Creates a sandbox with all layers that work here. It blocks for some hundredths of a second,
    /// unless a file [records](SandboxOptions::with_trial_memory) that all layers work.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unavailable`] if files cannot be confined here, with the reason. Then
    /// ask a person about every command, and run those that are approved
    /// [`unconfined`](Self::unconfined).
    pub fn new(options: SandboxOptions) -> Result<Self, Error> {
        let mut sandbox = Self::unconfined(options)?;
        system::choose_layers(&mut sandbox)?;
        Ok(sandbox)
    }

    /// Creates a sandbox without walls. Commands can do everything that the user can do, but they
    /// still get the limits and the short environment, and their whole trees of processes end with
    /// them.
    ///
    /// ```rust,standalone_crate
    /// use silcrow_sandbox::{ConfinedCommand, ResourceLimits, Sandbox, SandboxOptions};
    ///
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     silcrow_sandbox::run_helper_if_asked();
    ///
    ///     // A person approved this command without walls. It still has limits and ends as a whole.
    ///     let limits = ResourceLimits { file_size: 1 << 10, ..ResourceLimits::default() };
    ///     let options = SandboxOptions::new(".").with_limits(limits);
    ///     let sandbox = Sandbox::unconfined(options)?;
    ///     assert_eq!(sandbox.level().to_string(), "none");
    ///     let process = sandbox.spawn(&ConfinedCommand::shell("sleep 1000 & exit 3"))?;
    ///     assert_eq!(process.end.wait()?.code, Some(3));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the root or another writable path is not a folder, or if the temporary
    /// folder cannot be made.
    pub fn unconfined(mut options: SandboxOptions) -> Result<Self, Error> {
        let root = folder(&options.root)?;
        if root.parent().is_none() {
            let words = "the root is the whole file system; name a folder in it";
            return Err(Error::new(ErrorKind::Invalid, words));
        }
        options.links =
            links(options.readable.iter().chain(&options.writable).chain([&options.root]));
        for paths in [&mut options.protected, &mut options.hidden, &mut options.readable] {
            *paths = with_targets(paths);
        }
        options.root = root;
        for path in &mut options.writable {
            *path = folder(path)?;
        }
        let (temp, given) = (TempFolder::new()?, TempFolder::new()?);
        fs::create_dir(given.path().join(HIDDEN_PLACE)).map_err(|error| {
            let words = format!("cannot make a folder in {}", given.path().display());
            Error::new(ErrorKind::Io, words).with_source(error)
        })?;
        if options.writable.iter().chain([&options.root]).any(|path| given.path().starts_with(path))
        {
            options.protected.push(given.path().to_owned());
        }
        Ok(Self {
            options,
            layers: SandboxLayers::NONE,
            temp,
            given,
            state: SystemState::default(),
        })
    }

    /// Returns the degree of the sandbox's confinement.
    pub const fn level(&self) -> SandboxLevel {
        self.layers.level()
    }

    /// Returns the layers that hold each command.
    pub const fn layers(&self) -> SandboxLayers {
        self.layers
    }

    /// Returns the folder that commands work beneath, without links.
    pub fn root(&self) -> &Path {
        &self.options.root
    }

    /// Returns the folders that commands may write in: the root, those that the caller added, and
    /// the temporary folder.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        let added = self.options.writable.iter().map(PathBuf::as_path);
        [self.root()].into_iter().chain(added).chain([self.temp.path()])
    }

    /// Starts a command.
    ///
    /// # Errors
    ///
    /// Returns an error if the helper cannot be started, and [`ErrorKind::Unavailable`] if layers
    /// that were [remembered](SandboxOptions::with_trial_memory) do not hold. If the command cannot
    /// be confined or does not exist, [`ProcessEnd::wait`](crate::ProcessEnd::wait) returns the
    /// error.
    pub fn spawn(&self, command: &ConfinedCommand) -> Result<ConfinedProcess, Error> {
        if !command.doors.is_outside && self.level() != SandboxLevel::None {
            return system::spawn_confined(self, command);
        }
        if command.is_read_only {
            return Err(Error::not_enforced());
        }
        system::spawn_outside(self, command)
    }

    /// Returns the network that the commands of this sandbox share. It is made at its first use,
    /// here or by a command; `None` without [namespaces](crate::SandboxLayers::namespaces). The
    /// first use blocks for some milliseconds.
    ///
    /// [Read-only](crate::ConfinedCommand::read_only) commands are not in it.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not let the namespace be made.
    pub fn network(&self) -> Result<Option<Arc<SharedNetwork>>, Error> {
        system::network(self)
    }

    /// Returns how the network opens for a command of this sandbox.
    pub const fn network_opening(&self) -> NetworkOpening {
        match self.layers {
            SandboxLayers { seatbelt: true, .. } => NetworkOpening::Ports,
            SandboxLayers { namespaces: true, .. } => NetworkOpening::Shared,
            _ => NetworkOpening::Whole,
        }
    }

    /// Returns the folder of the temporary files of commands, which all of them share.
    pub fn temporary_folder(&self) -> &Path {
        self.temp.path()
    }

    /// Returns the folder of files that commands read and cannot write.
    pub(crate) fn given(&self) -> &Path {
        self.given.path()
    }
}

/// Returns a folder without links.
fn folder(path: &Path) -> Result<PathBuf, Error> {
    let wrong = |words: &str| Error::new(ErrorKind::Invalid, format!("{} {words}", path.display()));
    let real = path.canonicalize().map_err(|error| wrong("cannot be opened").with_source(error))?;
    utf8(&real)?;
    if real.is_dir() { Ok(real) } else { Err(wrong("is not a folder")) }
}

pub(crate) fn utf8(path: &Path) -> Result<String, Error> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Error::new(ErrorKind::Invalid, format!("the name of {} is not UTF-8", path.display()))
    })
}

/// The name of the file that stands in for hidden files, in the folder of files that commands get.
pub(crate) const HIDDEN_PLACE: &str = "hidden";
