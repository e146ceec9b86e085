//! The supervisor: it starts the command under its profile, and ends its group of processes.
//!
//! It waits for one of two things: the end of the command, or the end of the program's side of the
//! socket. In the second case the group gets TERM, and the command has the grace to end. In both
//! cases all remaining processes of the group are killed, and only then the report goes to the
//! program. A process that has left the group is not ended.

use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process_group, setrlimit,
    setsid, waitid,
};

use super::profile::profile;
use super::trial;
use crate::limits::ResourceLimits;
use crate::repository::small_text;
use crate::supervised::git_names;
use crate::supervised::settings::{self, HelperReport, HelperSettings};

/// Does the work of a supervisor, whose standard input is the socket of the program.
#[cfg_attr(not(target_os = "macos"), expect(dead_code, reason = "tests have no standard input"))]
pub(super) fn run() -> io::Result<()> {
    let program: UnixStream = io::stdin().as_fd().try_clone_to_owned()?.into();
    setsid()?;
    let Some(settings) = settings::read::<HelperSettings>(&program)? else { return Ok(()) };
    limit(settings.limits)?;
    let report = supervise(&program, settings).unwrap_or_else(HelperReport::failed);
    settings::write(&program, &report)
}

/// Runs the command of the settings, or tries out their walls, until the last process has ended.
pub(super) fn supervise(
    program: &UnixStream,
    mut settings: HelperSettings,
) -> Result<HelperReport, String> {
    let is_trial = settings.command.is_none();
    // The listener is open until the trial is over.
    let _listener = match is_trial {
        true => Some(
            trial::prepare(&mut settings)
                .map_err(|error| format!("the trial of the sandbox cannot be prepared: {error}"))?,
        ),
        false => None,
    };
    let words = words(&settings)?;
    let child = start(&words, &settings)?;
    let report = wait(program, child, Duration::from_millis(settings.grace_ms));
    let report = report.map_err(|error| format!("the command cannot be awaited: {error}"))?;
    if is_trial {
        trial::judge(report.code)?;
    }
    Ok(report)
}

/// Returns the words that start the command, under its profile if it has walls.
pub(super) fn words(settings: &HelperSettings) -> Result<Vec<String>, String> {
    let command = settings.command.clone().unwrap_or_default();
    if command.is_empty() {
        return Err("the command has no program".to_owned());
    }
    if !settings.layers.seatbelt {
        return Ok(command);
    }
    let profile = profile(settings, &named_by_git(settings))?;
    let mut words = [SANDBOX, "-p", &profile, "--"].map(str::to_owned).to_vec();
    words.extend(command);
    Ok(words)
}

/// Returns the paths in the git folder that the repository's settings name, such as hooks.
fn named_by_git(settings: &HelperSettings) -> Vec<std::path::PathBuf> {
    let Some(repository) = settings.granted_repository() else { return Vec::new() };
    let common = &repository.common;
    let texts = ["config", "config.worktree"].map(|name| small_text(&common.join(name)));
    let named = texts
        .into_iter()
        .flatten()
        .flat_map(|text| git_names::named_in(&text, common, common, &repository.top));
    named.map(|path| common.join(path)).collect()
}

fn start(words: &[String], settings: &HelperSettings) -> Result<Child, String> {
    let [program, arguments @ ..] = words else {
        return Err("the command has no program".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&settings.folder).process_group(0);
    command.env_clear().envs(settings.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null());
    command.spawn().map_err(|error| {
        format!("{program} cannot be started in {}: {error}", settings.folder.display())
    })
}

/// The events that the supervisor waits for.
enum SupervisedEvent {
    /// The command itself has ended.
    Ended,
    /// The program has stopped the command, or has ended.
    Stopped,
}

/// Waits for the end of the command, and ends its group.
fn wait(program: &UnixStream, mut child: Child, grace: Duration) -> io::Result<HelperReport> {
    let leader = Pid::from_child(&child);
    let (sender, events) = channel();
    let watched = program.try_clone()?;
    let ended = sender.clone();
    spawn(move || watch_program(watched, &sender))?;
    spawn(move || {
        // The command stays a zombie, so that its number is not reused.
        let ends = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(leader), ends));
        let _ = ended.send(SupervisedEvent::Ended);
    })?;
    if let Ok(SupervisedEvent::Stopped) = events.recv() {
        let _ = kill_process_group(leader, Signal::TERM);
        wait_for_end(&events, grace);
    }
    // This fails if no process is left.
    let _ = kill_process_group(leader, Signal::KILL);
    let status = child.wait()?;
    Ok(HelperReport { code: status.code(), signal: status.signal(), ..HelperReport::default() })
}

/// Says when the program's side of the socket ends.
fn watch_program(mut program: UnixStream, events: &Sender<SupervisedEvent>) {
    let mut rest = [0; 64];
    while !matches!(program.read(&mut rest), Ok(0) | Err(_)) {}
    let _ = events.send(SupervisedEvent::Stopped);
}

/// Waits at most this time for the command to end.
fn wait_for_end(events: &Receiver<SupervisedEvent>, grace: Duration) {
    // The end of the program is the last message.
    let _ = events.recv_timeout(grace);
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Limits this process and all its descendants. The number of processes has no separate limit: the
/// system counts all processes of the user.
fn limit(limits: ResourceLimits) -> io::Result<()> {
    let all = [
        (Resource::Core, 0),
        (Resource::Data, limits.memory),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.descriptors),
    ];
    for (resource, most) in all {
        let most = Some(most.min(getrlimit(resource).maximum.unwrap_or(u64::MAX)));
        setrlimit(resource, Rlimit { current: most, maximum: most })?;
    }
    Ok(())
}

/// The program of the system that applies a profile to itself and then becomes the command.
const SANDBOX: &str = "/usr/bin/sandbox-exec";
