//! Systems without a sandbox in this crate, such as Windows: a command runs as the user, after a
//! yes.
//!
//! On other systems, commands are not confined and have no limits. A program of the system ends
//! their processes, and does not find processes that have left their parent.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, thread};

use crate::command::ConfinedCommand;
use crate::environment;
use crate::error::{Error, ErrorKind};
use crate::level::SandboxLevel;
use crate::network::SharedNetwork;
use crate::process::{ConfinedProcess, ProcessEnd, ProcessGuard, ProcessOutcome, ProtectedChanges};
use crate::sandbox::Sandbox;

/// The state that a sandbox keeps between commands, which is empty.
#[derive(Debug, Default)]
pub(crate) struct NoSystemState;

/// Returns an error: there are no layers to choose from.
pub(crate) fn choose_layers(_: &mut Sandbox) -> Result<(), Error> {
    let words =
        "silcrow has no sandbox for commands on this system, so a person has to approve each";
    Err(Error::new(ErrorKind::Unavailable, words))
}

/// Returns an error: no command can be confined.
pub(crate) fn spawn_confined(_: &Sandbox, _: &ConfinedCommand) -> Result<ConfinedProcess, Error> {
    Err(Error::not_enforced())
}

/// Starts a command without walls.
pub(crate) fn spawn_outside(
    sandbox: &Sandbox,
    command: &ConfinedCommand,
) -> Result<ConfinedProcess, Error> {
    let [program, arguments @ ..] = command.words.as_slice() else {
        return Err(Error::new(ErrorKind::Invalid, "the command has no program"));
    };
    let mut started = Command::new(program);
    started.args(arguments).current_dir(plain(&sandbox.root().join(&command.folder)));
    started.env_clear().envs(environment::outside());
    started.envs(command.variables.iter().map(|(name, value)| (name, value)));
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut started, 0);
    let mut child = started.spawn().map_err(|error| {
        Error::new(ErrorKind::Io, format!("{program} cannot be started")).with_source(error)
    })?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Error::new(ErrorKind::Io, "the command has no pipes"));
    };
    let guard = StartedGuard { id: child.id(), is_over: Arc::default() };
    let end = StartedEnd { is_over: Arc::clone(&guard.is_over), child: Some(child) };
    let (guard, end) = (ProcessGuard::new(guard), ProcessEnd::new(end));
    Ok(ConfinedProcess { stdout, stderr, guard, end })
}

/// The number of a command's first process, which identifies the processes to end.
#[derive(Debug)]
pub(crate) struct StartedGuard {
    id: u32,
    is_over: Arc<AtomicBool>,
}

impl StartedGuard {
    pub(crate) fn stop(&self) {
        // After its end, the number may be another process's.
        if !self.is_over.load(Ordering::Acquire) {
            // If the program of the system is missing, the command runs to its end.
            let _ = ending(self.id).stdin(Stdio::null()).output();
        }
    }
}

/// The first process of a command.
#[derive(Debug)]
pub(crate) struct StartedEnd {
    is_over: Arc<AtomicBool>,
    child: Option<Child>,
}

impl StartedEnd {
    pub(crate) fn wait(
        mut self,
        _: &mut dyn FnMut(ProtectedChanges),
    ) -> Result<ProcessOutcome, Error> {
        let Some(mut child) = self.child.take() else { return Ok(ProcessOutcome::default()) };
        let ended = child.wait();
        self.is_over.store(true, Ordering::Release);
        let status = ended.map_err(|error| {
            Error::new(ErrorKind::Io, "the command cannot be awaited").with_source(error)
        })?;
        Ok(ProcessOutcome { code: status.code(), ..ProcessOutcome::default() })
    }
}

impl Drop for StartedEnd {
    /// Awaits the process in a thread, because it may take as long as the command.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let reaper = thread::Builder::new().name("sandbox-reaper".to_owned());
            let is_over = Arc::clone(&self.is_over);
            // Without a thread the process stays until this program ends.
            let _ = reaper.spawn(move || {
                let _ = child.wait();
                is_over.store(true, Ordering::Release);
            });
        }
    }
}

/// Returns the program that ends a process and those that it started.
#[cfg(windows)]
fn ending(id: u32) -> Command {
    let system = env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
    let mut command = Command::new(Path::new(&system).join(r"System32\taskkill.exe"));
    command.args(["/T", "/F", "/PID"]).arg(id.to_string());
    command
}

/// Returns the program that ends a group of processes.
#[cfg(not(windows))]
fn ending(id: u32) -> Command {
    let mut command = Command::new("/bin/kill");
    command.args(["-KILL", "--"]).arg(format!("-{id}"));
    command
}

/// Returns a path of a folder as other programs of Windows understand it: not the form that `canonicalize`
/// returns.
fn plain(path: &Path) -> PathBuf {
    let text = path.to_str().and_then(|text| text.strip_prefix(r"\\?\"));
    match text.filter(|text| !text.starts_with("UNC\\")) {
        Some(text) => text.into(),
        None => path.to_owned(),
    }
}

/// Returns no network: commands use the user's.
pub(crate) const fn network(_: &Sandbox) -> Result<Option<Arc<SharedNetwork>>, Error> {
    Ok(None)
}

/// Returns true: nothing hides files here.
pub(crate) const fn is_partly_hidden(_: &Sandbox) -> bool {
    true
}

/// Returns whether a command can connect to a local socket that is new.
pub(crate) const fn reaches_new_sockets(_: SandboxLevel) -> bool {
    true
}

/// Returns the program that this is. It is never started as a helper.
pub(crate) fn own_program() -> PathBuf {
    env::current_exe().unwrap_or_default()
}

/// Does nothing: there are no helpers.
pub(crate) const fn run_helper_if_asked() {}

/// Does nothing: safe Rust has no call for it on this system.
pub(crate) const fn harden() -> io::Result<()> {
    Ok(())
}

/// The paths of the system, which every command reads.
pub(crate) const SYSTEM: &[&str] = &[];
/// The secrets of the system, which nothing hides.
pub(crate) const SYSTEM_SECRETS: &[&str] = &[];
/// The toolchains in a home folder that other systems do not have there.
pub(crate) const HOME: &[&str] = &[];
/// The paths of a home folder with secrets that other systems do not have there.
pub(crate) const HOME_SECRETS: &[&str] = &[];
