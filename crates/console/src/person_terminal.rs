//! A program of the person that has the terminal, while this process reads along.
//!
//! The program runs on a pseudo-terminal that leads its session, so Ctrl-C and Ctrl-Z reach its
//! processes, and its window has the size of the terminal. Its output is shown unchanged, because
//! it is the person's own program.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd, retry_on_intr};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetwinsize, tcsetwinsize};
use silcrow_tool::{CancellationToken, ProcessGroup};

use crate::person_program;

/// Returns whether a program can have the terminal of this process while this process reads along.
pub fn can_share_terminal() -> bool {
    io::stdin().is_terminal() && person_program(LEADER).arg("true").status().is_ok()
}

/// Lets a shell command of the person have the terminal until it ends, and passes on its output.
/// Processes that it leaves in the background write to nobody afterwards. Cancelling kills it.
///
/// # Errors
///
/// Fails if this process has no terminal, or if the program cannot be started.
pub fn share_terminal(
    command: &Command,
    cancel: &CancellationToken,
    written: &mut dyn FnMut(&[u8]),
) -> io::Result<ExitStatus> {
    let terminal = File::open("/dev/tty")?;
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // Not every system takes this as a flag of `openpt`.
    fcntl_setfd(&master, FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, tcgetwinsize(&terminal)?)?;
    let mut child = started(command, &master)?;
    let group = ProcessGroup::led_by(child.id());
    let raw = RawTerminal::begin()?;
    let shared = share(&terminal, File::from(master), &mut child, cancel, written);
    drop(raw);
    drop(group);
    let status = child.wait();
    shared.and(status)
}

/// Starts the command as the leader of a session whose terminal is the other end.
fn started(command: &Command, master: &OwnedFd) -> io::Result<Child> {
    let name = ptsname(master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let side = || open(&*name, flags, Mode::empty()).map(Stdio::from);
    let mut leader = person_program(LEADER);
    // It becomes the program, because it leads no group yet.
    leader.arg("-c").arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        leader.current_dir(folder);
    }
    if let Some(path) = std::env::var_os("PATH") {
        leader.env("PATH", path);
    }
    leader.stdin(side()?).stdout(side()?).stderr(side()?).spawn()
}

/// Passes on keys and output until the program has ended.
fn share(
    mut terminal: &File,
    mut master: File,
    child: &mut Child,
    cancel: &CancellationToken,
    written: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut size = tcgetwinsize(terminal)?;
    let (mut keys, mut at_line_start) = (Vec::new(), true);
    let mut bytes = [0; 4096];
    while !cancel.is_cancelled() {
        let has_ended = child.try_wait()?.is_some();
        let output = if keys.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let input = if keys.is_empty() { PollFlags::IN } else { PollFlags::empty() };
        let mut ready = [PollFd::new(&master, output), PollFd::new(terminal, input)];
        let wait = if has_ended { Timespec::default() } else { TICK };
        retry_on_intr(|| poll(&mut ready, Some(&wait)))?;
        let [program, person] = [ready[0].revents(), ready[1].revents()];
        if program.intersects(PollFlags::IN | PollFlags::HUP) {
            let count = match master.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // The other end is closed.
                Err(_) => break,
            };
            show(&bytes[..count])?;
            at_line_start = bytes[count - 1] == b'\n';
            written(&bytes[..count]);
        } else if has_ended {
            break;
        }
        if program.contains(PollFlags::OUT) && !keys.is_empty() {
            let count = master.write(&keys)?;
            keys.drain(..count);
        }
        if person.contains(PollFlags::IN) {
            let count = terminal.read(&mut bytes[..MOST_KEYS])?;
            keys.extend_from_slice(&bytes[..count]);
        } else if person.contains(PollFlags::HUP) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let now = tcgetwinsize(terminal)?;
        if !is_same(size, now) {
            tcsetwinsize(&master, now)?;
            size = now;
        }
    }
    // Colours and a hidden cursor end with the program.
    show(if at_line_start { b"\x1b[0m\x1b[?25h" } else { b"\x1b[0m\x1b[?25h\r\n" })
}

fn is_same(one: Winsize, other: Winsize) -> bool {
    (one.ws_col, one.ws_row) == (other.ws_col, other.ws_row)
}

fn show(bytes: &[u8]) -> io::Result<()> {
    let mut out: Box<dyn Write> = match io::stdout().is_terminal() {
        true => Box::new(io::stdout()),
        false => Box::new(io::stderr()),
    };
    out.write_all(bytes)?;
    out.flush()
}

/// The raw mode of the terminal of this process.
struct RawTerminal;

impl RawTerminal {
    fn begin() -> io::Result<Self> {
        enable_raw_mode()?;
        Ok(Self)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // A terminal that is gone has no mode.
        let _ = disable_raw_mode();
    }
}

/// The program that makes another one the leader of a session with a terminal.
const LEADER: &str = "setsid";

/// The number of bytes of keys that are read at once.
const MOST_KEYS: usize = 1024;

/// The longest time until a new size of the window is passed on.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
