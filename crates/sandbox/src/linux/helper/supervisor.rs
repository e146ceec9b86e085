//! The supervisor: it starts the keeper, and ends the command with everything that it started.
//!
//! It waits for one of two things: the keeper's report that the command has ended, or the end of
//! the program's side of the socket. In the second case all processes get TERM, and the keeper has
//! the grace to report. In both cases all remaining processes are killed, and only then the report
//! goes to the program. If the command ended first, the report lists the processes that it left
//! running.

use std::fmt::Display;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, getpid, set_child_subreaper, setsid};

use super::chain::{self, poll_again};
use super::left_running::{self, LeftRunning};
use super::namespaces::{self, Network};
use super::{KEEP, receive_namespaces, socket, tree};
use crate::supervised::own_id;
use crate::supervised::settings::{self, HelperReport, HelperSettings};

pub(super) fn run() -> io::Result<()> {
    let program = socket()?;
    let Some(namespaces) = receive_namespaces(&program)? else { return Ok(()) };
    let Some(settings) = settings::read::<HelperSettings>(&program)? else { return Ok(()) };
    let report = supervise(&program, settings, namespaces).unwrap_or_else(HelperReport::failed);
    settings::write(&program, &report)
}

fn supervise(
    program: &UnixStream,
    mut settings: HelperSettings,
    namespaces: Vec<OwnedFd>,
) -> Result<HelperReport, String> {
    setsid().map_err(failed("a session"))?;
    set_child_subreaper(Some(getpid())).map_err(failed("the adoption of orphans"))?;
    if !settings.layers.namespaces {
        tree::check()?;
    }
    if settings.layers.namespaces {
        let network = match namespaces.is_empty() {
            false => Network::Shared(namespaces),
            true if settings.command.is_none() => Network::Tried,
            true => Network::Own,
        };
        namespaces::enter(network).map_err(failed("namespaces"))?;
    }
    settings.guardians.push(own_id());
    let (keeper, reports) = start(&settings).map_err(failed("the keeper"))?;
    let end = wait(program, &reports, &settings, keeper).map_err(failed("waiting"))?;
    let (ended, left) = match end {
        CommandEnd::ByItself(report) => (report, left_running::look(keeper)),
        CommandEnd::Stopped(report) => (report, LeftRunning::default()),
    };
    let survivors = tree::end(keeper, settings.layers.namespaces);
    let killed = HelperReport { signal: Some(Signal::KILL.as_raw()), ..HelperReport::default() };
    let LeftRunning { number, name } = left;
    Ok(HelperReport { survivors, left: number, left_name: name, ..ended.unwrap_or(killed) })
}

/// The end of a command, with the keeper's report, unless the keeper was killed or has to be.
enum CommandEnd {
    ByItself(Option<HelperReport>),
    Stopped(Option<HelperReport>),
}

/// Starts the keeper, which is this program again, and sends it its settings.
fn start(settings: &HelperSettings) -> io::Result<(Pid, UnixStream)> {
    let (child, ours) = chain::start(KEEP)?;
    settings::write(&ours, settings)?;
    Ok((Pid::from_child(&child), ours))
}

/// Waits for the end of the command.
fn wait(
    program: &UnixStream,
    reports: &UnixStream,
    settings: &HelperSettings,
    keeper: Pid,
) -> io::Result<CommandEnd> {
    let mut ends = [PollFd::new(program, PollFlags::IN), PollFd::new(reports, PollFlags::IN)];
    poll_again(&mut ends, None)?;
    if ends[1].revents().is_empty() {
        tree::signal_all_beneath(keeper, Signal::TERM);
        let grace = std::time::Duration::from_millis(settings.grace_ms);
        let grace = Timespec::try_from(grace).map_err(io::Error::other)?;
        let mut end = [PollFd::new(reports, PollFlags::IN)];
        if poll_again(&mut end, Some(&grace))? == 0 {
            return Ok(CommandEnd::Stopped(None));
        }
        return settings::read(reports).map(CommandEnd::Stopped);
    }
    settings::read(reports).map(CommandEnd::ByItself)
}

fn failed<E: Display>(what: &'static str) -> impl FnOnce(E) -> String {
    move |error| format!("the sandbox cannot get {what} from the system: {error}")
}
