//! A command that is started in a pseudo terminal, and the time until it has begun.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The command of a person.
pub(super) struct TimedStart<'a> {
    pub(super) program: &'a Path,
    pub(super) home: &'a Path,
}

impl TimedStart<'_> {
    /// Starts the command and returns the time until it has written a text, or until it has ended.
    pub(super) fn time(&self, args: &[&str], text: Option<&str>) -> Result<Duration, String> {
        let failed = |why: std::io::Error| format!("a pseudo terminal fails: {why}");
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags).map_err(|why| failed(why.into()))?;
        let prepared = grantpt(&terminal).and_then(|()| unlockpt(&terminal));
        prepared.map_err(|why| failed(why.into()))?;
        let size = Winsize { ws_col: 100, ws_row: 40, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).map_err(|why| failed(why.into()))?;
        let name = ptsname(&terminal, Vec::new()).map_err(|why| failed(why.into()))?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let side = open(&*name, flags, Mode::empty()).map_err(|why| failed(why.into()))?;
        let copy = || side.try_clone().map(Stdio::from).map_err(failed);
        // The time of `setsid`, which gives the command its terminal, is part of the measured time.
        let mut command = Command::new("setsid");
        set_person(&mut command, self.home);
        command.arg("--ctty").arg(self.program).args(args);
        command.stdin(copy()?).stdout(copy()?).stderr(copy()?);
        let begin = Instant::now();
        let mut child = command.spawn().map_err(|why| format!("`setsid` does not start: {why}"))?;
        // Its end is seen once nobody has the other side open.
        drop((command, side));
        let mut terminal = File::from(terminal);
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        let time = loop {
            // The kernel reports an error at the end.
            let len = terminal.read(&mut buffer).unwrap_or(0);
            seen.extend_from_slice(&buffer[..len]);
            let shown = String::from_utf8_lossy(&seen);
            match text {
                Some(text) if shown.contains(text) => break begin.elapsed(),
                Some(text) if len == 0 => {
                    return Err(format!("{args:?} ends without {text:?}:\n{shown}"));
                }
                None if len == 0 => break begin.elapsed(),
                _ => {}
            }
        };
        // A command that still runs ends with its terminal.
        drop(terminal);
        let ended = child.wait().map_err(|why| format!("{args:?} does not end: {why}"))?;
        match text.is_some() || ended.success() {
            true => Ok(time),
            false => Err(format!("{args:?} fails:\n{}", String::from_utf8_lossy(&seen))),
        }
    }
}

/// Gives the command the environment of a person who has nothing but this folder.
pub(super) fn set_person(command: &mut Command, home: &Path) {
    command.env_clear().current_dir(home.join("work"));
    command.env("HOME", home).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
}
