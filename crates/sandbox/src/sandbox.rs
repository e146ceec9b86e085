//! A sandbox: what holds every command that is started in it.
//!
//! [`Sandbox::new`] chooses the layers that work here, which `trial` finds out. Each command is then
//! started with exactly these layers.

use std::fs;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::command::ConfinedCommand;
use crate::environment;
use crate::error::{Error, ErrorKind};
use crate::helper::{self, HELPER, HIDDEN_PLACE, SUPERVISE, WATCH};
use crate::late_sockets::LateSockets;
use crate::level::{SandboxLayers, SandboxLevel};
use crate::network::SharedNetwork;
use crate::options::SandboxOptions;
use crate::outside_sockets::OutsideSockets;
use crate::paths::{links, with_targets};
use crate::process::{ConfinedProcess, ProcessEnd, ProcessGuard};
use crate::settings::HelperSettings;
use crate::socket_access::SocketAccess;
use crate::temp_folder::TempFolder;

/// A sandbox for commands that work beneath one folder.
#[derive(Debug)]
pub struct Sandbox {
    pub(crate) options: SandboxOptions,
    pub(crate) layers: SandboxLayers,
    /// Whether the layers are tried before the first command.
    pub(crate) is_untried: Mutex<bool>,
    temp: TempFolder,
    /// The folder of files that commands read and cannot write.
    given: TempFolder,
    /// Whether the latest look for secrets was cut; `None` before the first one.
    pub(crate) secret_look: Mutex<Option<bool>>,
    /// The network of commands, once one needed it.
    pub(crate) shared_network: Mutex<Option<Arc<SharedNetwork>>>,
    outside_sockets: Mutex<OutsideSockets>,
    /// Whether the repository has too many files around the root to find all secrets.
    pub(crate) has_wide_surroundings: AtomicBool,
}

impl Sandbox {
    /// Creates a sandbox with all layers that work here. It blocks for some hundredths of a second,
    /// unless it is [remembered](SandboxOptions::with_trial_memory) that all layers do.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unavailable`] if files cannot be confined here, with the reason. Then
    /// ask a person about every command, and run those that are approved
    /// [`unconfined`](Self::unconfined).
    pub fn new(options: SandboxOptions) -> Result<Self, Error> {
        let mut sandbox = Self::unconfined(options)?;
        sandbox.choose_layers()?;
        Ok(sandbox)
    }

    /// Creates a sandbox without walls. Commands can do what the user can do, but they still get the
    /// limits and the short environment, and their whole trees of processes end with them.
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
            let words = format!("no folder can be made in {}", given.path().display());
            Error::new(ErrorKind::Io, words).with_source(error)
        })?;
        if options.writable.iter().chain([&options.root]).any(|path| given.path().starts_with(path))
        {
            options.protected.push(given.path().to_owned());
        }
        Ok(Self {
            options,
            layers: SandboxLayers::NONE,
            is_untried: Mutex::default(),
            temp,
            given,
            secret_look: Mutex::default(),
            shared_network: Mutex::default(),
            outside_sockets: Mutex::default(),
            has_wide_surroundings: AtomicBool::new(false),
        })
    }

    /// Returns what the sandbox confines.
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
    /// Returns an error if the helper cannot be started, and [`ErrorKind::Unavailable`] if layers that
    /// were [remembered](SandboxOptions::with_trial_memory) do not hold. That the command cannot be confined or does
    /// not exist is an error of [`ProcessEnd::wait`].
    pub fn spawn(&self, command: &ConfinedCommand) -> Result<ConfinedProcess, Error> {
        if command.doors.is_outside || self.level() == SandboxLevel::None {
            return self.spawn_outside(command);
        }
        self.ensure_tried()?;
        let mut variables = environment::allowed(&self.options.variables);
        variables.push(("TMPDIR".to_owned(), utf8(self.temp.path())?));
        // Compilers need a cache, and that of the user is not the command's to change.
        variables.push(("XDG_CACHE_HOME".to_owned(), utf8(&self.temp.path().join("cache"))?));
        let has_open_network = command.doors.has_open_network && !self.layers.namespaces;
        if self.layers.seccomp && !has_open_network {
            variables.extend(environment::offline());
        }
        variables.extend(self.git_settings()?);
        variables.extend(command.variables.iter().cloned());
        let mut settings = HelperSettings {
            command: Some(command.words.clone()),
            folder: self.options.root.join(&command.folder),
            environment: variables,
            grace_ms: milliseconds(command.grace),
            look_every_ms: command.look_every.map(milliseconds),
            ..self.settings()
        };
        self.open_paths(command, &mut settings)?;
        let mut secrets = self.secrets(&command.secrets, &settings.looked_through);
        secrets.add(self.open_repository(command, &mut settings));
        settings.hidden.extend(secrets.paths.iter().cloned());
        if command.is_read_only {
            self.make_read_only(&mut settings, &secrets)?;
        }
        let network = if command.is_read_only { None } else { self.network()? };
        if has_open_network && !command.is_read_only {
            settings.sockets = SocketAccess::Network;
        }
        let mut late = LateSockets::default();
        if network.is_some() {
            settings.sockets = SocketAccess::of(command);
            let mut look = self.outside_sockets.lock().unwrap_or_else(PoisonError::into_inner);
            late = LateSockets::cover(&mut look, &mut settings);
        }
        let namespaces = network.as_ref().map(|network| network.namespaces()).unwrap_or_default();
        let process = self.start(&settings, &namespaces)?;
        Ok(ConfinedProcess {
            end: process.end.with_hidden(secrets).with_late_sockets(late),
            ..process
        })
    }

    /// Returns the network that the commands of this sandbox share, which is made at its first use, here
    /// or by a command; `None` without [namespaces](crate::SandboxLayers::namespaces). It blocks for some
    /// milliseconds at the first use.
    ///
    /// [Read-only](crate::ConfinedCommand::read_only) commands are not in it.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not let the namespace be made.
    pub fn network(&self) -> Result<Option<Arc<SharedNetwork>>, Error> {
        if !self.layers().namespaces {
            return Ok(None);
        }
        let mut made = self.shared_network.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_none() {
            let network = SharedNetwork::start(&self.options.helper).map_err(|error| {
                let words = "the network that commands share cannot be made";
                Error::new(ErrorKind::Io, words).with_source(error)
            })?;
            *made = Some(Arc::new(network));
        }
        Ok(made.clone())
    }

    /// Starts a command without walls.
    fn spawn_outside(&self, command: &ConfinedCommand) -> Result<ConfinedProcess, Error> {
        if command.is_read_only {
            return Err(Error::not_enforced());
        }
        let mut variables = environment::outside();
        variables.extend(command.variables.iter().cloned());
        let settings = HelperSettings {
            command: Some(command.words.clone()),
            folder: self.options.root.join(&command.folder),
            environment: variables,
            grace_ms: milliseconds(command.grace),
            layers: SandboxLayers::NONE,
            ..self.settings()
        };
        self.start(&settings, &[])
    }

    /// Returns the folder of the temporary files of commands, which all of them share.
    pub fn temporary_folder(&self) -> &Path {
        self.temp.path()
    }

    /// Returns the folder of files that commands read and cannot write.
    pub(crate) fn given(&self) -> &Path {
        self.given.path()
    }

    pub(crate) fn settings(&self) -> HelperSettings {
        let options = &self.options;
        HelperSettings {
            command: None,
            folder: options.root.clone(),
            environment: Vec::new(),
            writable: self.writable().map(Path::to_owned).collect(),
            readable: options.readable.iter().cloned().chain([self.given().to_owned()]).collect(),
            links: options.links.clone(),
            outside_sockets: Vec::new(),
            given: self.given().to_owned(),
            hidden: options.hidden.clone(),
            is_read_only: false,
            sockets: SocketAccess::Pairs,
            protected: options.protected.clone(),
            protected_names: options.protected_names.clone(),
            watched: [&options.root].into_iter().chain(&options.writable).cloned().collect(),
            guarded: Vec::new(),
            kept_in_place: Vec::new(),
            put_back: Vec::new(),
            looked_through: Vec::new(),
            repository: None,
            look_every_ms: None,
            layers: self.layers,
            limits: options.limits,
            grace_ms: 0,
            guardians: vec![helper::own_id()],
        }
    }

    pub(crate) fn start(
        &self,
        settings: &HelperSettings,
        namespaces: &[BorrowedFd<'_>],
    ) -> Result<ConfinedProcess, Error> {
        let failed = |error| {
            Error::new(ErrorKind::Io, "the helper of the sandbox cannot be started")
                .with_source(error)
        };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = Command::new(&self.options.helper);
        let stage = if helper::is_watching_asked_for(settings) { WATCH } else { SUPERVISE };
        command.arg0(HELPER).arg(stage).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut supervisor = command.spawn().map_err(failed)?;
        // The command keeps the descriptor of the other end until it is dropped.
        drop(command);
        let (Some(stdout), Some(stderr)) = (supervisor.stdout.take(), supervisor.stderr.take())
        else {
            return Err(Error::new(ErrorKind::Io, "the helper of the sandbox has no pipes"));
        };
        let end = ProcessEnd::new(ours.try_clone().map_err(failed)?, supervisor);
        let guard = ProcessGuard::new(ours);
        guard.send(settings, namespaces)?;
        Ok(ConfinedProcess { stdout, stderr, guard, end })
    }
}

/// Returns a folder without links.
fn folder(path: &Path) -> Result<PathBuf, Error> {
    let wrong = |words: &str| Error::new(ErrorKind::Invalid, format!("{} {words}", path.display()));
    let real = path.canonicalize().map_err(|error| wrong("cannot be opened").with_source(error))?;
    utf8(&real)?;
    if real.is_dir() { Ok(real) } else { Err(wrong("is not a folder")) }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn utf8(path: &Path) -> Result<String, Error> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Error::new(ErrorKind::Invalid, format!("the name of {} is not UTF-8", path.display()))
    })
}
