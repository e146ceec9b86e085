//! The keeper: it confines itself, starts the command, and reaps the processes that the command
//! leaves behind.
//!
//! The order matters: mounts need privileges that are given up next, and Landlock and seccomp would
//! deny the earlier steps.

use std::fmt::Display;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, set_child_subreaper, set_parent_process_death_signal, setsid,
    wait,
};
use rustix::thread::set_no_new_privs;

use super::chain::poll_again;
use super::{capabilities, files, mounts, resources, self_test, socket, syscalls};
use crate::supervised::settings::{self, HelperReport, HelperSettings};

pub(super) fn run() -> io::Result<()> {
    // With namespaces the whole tree dies with this process, and so with the supervisor.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let supervisor = socket()?;
    // A supervisor that died before this process asked for the signal sends nothing.
    let Some(settings) = settings::read::<HelperSettings>(&supervisor)? else { return Ok(()) };
    let report = keep(&settings).unwrap_or_else(HelperReport::failed);
    settings::write(&supervisor, &report)?;
    // With namespaces all remaining processes die with this process, so it stays until the
    // supervisor has counted them, and kills both.
    let mut end = [PollFd::new(&supervisor, PollFlags::IN)];
    poll_again(&mut end, None).map(drop)
}

fn keep(settings: &HelperSettings) -> Result<HelperReport, String> {
    setsid().map_err(failed("make a session"))?;
    set_child_subreaper(Some(getpid())).map_err(failed("adopt orphans"))?;
    confine(settings)?;
    let Some(words) = &settings.command else {
        self_test::run(settings)?;
        return Ok(HelperReport { code: Some(0), ..HelperReport::default() });
    };
    let [program, arguments @ ..] = words.as_slice() else {
        return Err("the command has no program".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&settings.folder).process_group(0);
    command.env_clear().envs(settings.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let child = command.spawn().map_err(|error| {
        format!("{program} cannot be started in {}: {error}", settings.folder.display())
    })?;
    reap_until(Pid::from_child(&child)).map_err(failed("wait for the command"))
}

/// Applies every layer of the settings to this process and all that it starts.
fn confine(settings: &HelperSettings) -> Result<(), String> {
    let layers = settings.layers;
    let guarded = if layers.namespaces {
        mounts::apply(settings).map_err(failed("mount"))?
    } else {
        Vec::new()
    };
    resources::limit(settings).map_err(failed("set limits"))?;
    if layers.landlock || layers.seccomp {
        capabilities::give_up().map_err(failed("give up privileges"))?;
        set_no_new_privs(true).map_err(failed("bar new privileges"))?;
    }
    let is_cutting_covered =
        layers.landlock && files::apply(settings, &guarded).map_err(failed("apply Landlock"))?;
    if layers.seccomp {
        syscalls::apply(settings, is_cutting_covered)
            .map_err(failed("apply the seccomp filter"))?;
    }
    Ok(())
}

/// Reaps children until the command itself has ended, and returns its end.
fn reap_until(command: Pid) -> io::Result<HelperReport> {
    loop {
        let ended = rustix::io::retry_on_intr(|| wait(WaitOptions::empty()))?;
        if let Some((_, status)) = ended.filter(|(process, _)| *process == command) {
            let (code, signal) = (status.exit_status(), status.terminating_signal());
            return Ok(HelperReport { code, signal, ..HelperReport::default() });
        }
    }
}

fn failed<E: Display>(what: &'static str) -> impl FnOnce(E) -> String {
    move |error| format!("the sandbox cannot {what}: {error}")
}
