//! The start of a command by a helper, which is this program started again.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::command::ConfinedCommand;
use crate::environment;
use crate::error::{Error, ErrorKind};
use crate::level::SandboxLayers;
use crate::process::{ConfinedProcess, ProcessEnd, ProcessGuard};
use crate::sandbox::{Sandbox, utf8};
use crate::supervised::late_sockets::LateSockets;
use crate::supervised::secret_files::SecretFiles;
use crate::supervised::settings::HelperSettings;
use crate::supervised::socket_access::SocketAccess;
use crate::supervised::supervised_tree::{SupervisedEnd, SupervisedGuard};
use crate::supervised::{HELPER, own_helper};
use crate::system;

/// A command whose supervisor has been started.
#[derive(Debug)]
pub(super) struct StartedTree {
    stdout: ChildStdout,
    stderr: ChildStderr,
    pub(super) guard: SupervisedGuard,
    pub(super) end: SupervisedEnd,
}

impl StartedTree {
    fn into_process(self) -> ConfinedProcess {
        let Self { stdout, stderr, guard, end } = self;
        let (guard, end) = (ProcessGuard::new(guard), ProcessEnd::new(end));
        ConfinedProcess { stdout, stderr, guard, end }
    }

    fn with_secrets(self, secrets: SecretFiles, late: LateSockets) -> ConfinedProcess {
        let end = self.end.with_hidden(secrets).with_late_sockets(late);
        Self { end, ..self }.into_process()
    }
}

impl Sandbox {
    /// Starts a command with all walls but those that have doors for it.
    pub(super) fn spawn_confined(
        &self,
        command: &ConfinedCommand,
    ) -> Result<ConfinedProcess, Error> {
        self.ensure_tried()?;
        let mut variables = environment::allowed(&self.options.variables);
        variables.push(("TMPDIR".to_owned(), utf8(self.temporary_folder())?));
        // Compilers need a cache, and the command must not change the user's.
        variables
            .push(("XDG_CACHE_HOME".to_owned(), utf8(&self.temporary_folder().join("cache"))?));
        let has_open_network = command.doors.has_open_network && !self.layers.namespaces;
        if self.level().closes_network() && !has_open_network {
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
        if !command.is_read_only {
            settings.local_ports.clone_from(&command.doors.local_ports);
            settings.served_ports.clone_from(&command.doors.served_ports);
        }
        if has_open_network && !command.is_read_only {
            settings.sockets = SocketAccess::Network;
        }
        let mut late = LateSockets::default();
        if network.is_some() {
            settings.sockets = SocketAccess::for_command(command);
            late = system::cover_sockets(self, &mut settings);
        }
        let namespaces = network.as_deref().map(system::namespaces).unwrap_or_default();
        let process = self.start(&settings, &namespaces)?;
        Ok(process.with_secrets(secrets, late))
    }

    /// Starts a command with its limits and a short environment, and without walls.
    pub(super) fn spawn_outside(
        &self,
        command: &ConfinedCommand,
    ) -> Result<ConfinedProcess, Error> {
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
        self.start(&settings, &[]).map(StartedTree::into_process)
    }

    pub(super) fn settings(&self) -> HelperSettings {
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
            local_ports: Vec::new(),
            served_ports: Vec::new(),
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
            guardians: vec![system::own_id()],
        }
    }

    pub(super) fn start(
        &self,
        settings: &HelperSettings,
        namespaces: &[BorrowedFd<'_>],
    ) -> Result<StartedTree, Error> {
        own_helper::check(&self.options.helper)?;
        let failed = |error| {
            Error::new(ErrorKind::Io, "the helper of the sandbox cannot be started")
                .with_source(error)
        };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = Command::new(&self.options.helper);
        command.arg0(HELPER).arg(system::first_stage(settings)).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut supervisor = command.spawn().map_err(failed)?;
        // The command keeps the descriptor of the other end until it is dropped.
        drop(command);
        let (Some(stdout), Some(stderr)) = (supervisor.stdout.take(), supervisor.stderr.take())
        else {
            return Err(Error::new(ErrorKind::Io, "the helper of the sandbox has no pipes"));
        };
        let end = SupervisedEnd::new(ours.try_clone().map_err(failed)?, supervisor);
        let guard = SupervisedGuard::new(ours);
        guard.send(settings, namespaces)?;
        Ok(StartedTree { stdout, stderr, guard, end })
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
