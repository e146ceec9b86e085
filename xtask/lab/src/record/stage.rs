//! A person at a terminal: starts the real command, waits for its output, and types.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::cast::Cast;
use super::rows::ScreenRows;

/// A terminal, and the recording of its screen.
pub(super) struct Stage<'a> {
    program: &'a Path,
    home: PathBuf,
    screen: Arc<Mutex<vt100::Parser>>,
    cast: Cast,
    running: Option<Running>,
}

/// The command that runs in the terminal.
struct Running {
    child: Child,
    keyboard: File,
}

impl<'a> Stage<'a> {
    /// Prepares a terminal of a person who has nothing but the folder `work` in this home.
    pub(super) fn new(program: &'a Path, home: PathBuf, title: &str) -> Result<Self, String> {
        let _ = fs::remove_dir_all(&home);
        let made = fs::create_dir_all(home.join("work"))
            .and_then(|()| fs::create_dir_all(home.join(".config/silcrow")));
        made.map_err(|why| format!("cannot write {}: {why}", home.display()))?;
        let size = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
        let screen = vt100::Parser::new(size(ROWS), size(COLUMNS), 0);
        let screen = Arc::new(Mutex::new(screen));
        Ok(Self { program, home, screen, cast: Cast::new(title, COLUMNS, ROWS), running: None })
    }

    /// Writes a file of the home.
    pub(super) fn file(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.home.join(name);
        let folder = path.parent().unwrap_or(&self.home);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        written.map_err(|why| format!("cannot write {}: {why}", path.display()))
    }

    /// Has a model give these answers from now on.
    pub(super) fn model(&self, answers: &[&str]) -> Result<(), String> {
        self.file("answers.txt", &answers.join("%%\n"))?;
        self.file(".config/silcrow/config.toml", "model = \"script:../answers.txt\"\n")
    }

    /// Types a command line of the shell, and starts it with these arguments more, which are not shown.
    pub(super) fn start(&mut self, line: &str, more: &[&str]) -> Result<(), String> {
        self.print("\x1b[32m$\x1b[0m ");
        self.frame(0.3);
        self.print(line);
        self.frame(0.5);
        self.print("\r\n");
        let failed = |why: rustix::io::Errno| format!("a pseudo terminal fails: {why}");
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags).map_err(failed)?;
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).map_err(failed)?;
        let size = Winsize { ws_col: COLUMNS, ws_row: ROWS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).map_err(failed)?;
        let name = ptsname(&terminal, Vec::new()).map_err(failed)?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let side = File::from(open(&*name, flags, Mode::empty()).map_err(failed)?);
        let copy = |file: &File| file.try_clone().map_err(|why| why.to_string());
        let mut command = Command::new("setsid");
        command.env_clear().current_dir(self.home.join("work"));
        command.env("HOME", &self.home).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        // Not the programs of who records.
        command.env("PATH", "/usr/bin:/bin");
        command.env("SHELL", "/bin/sh").env("SILCROW_ASK_WINDOW", "0");
        command.env("COLORFGBG", "15;0").env("SILCROW_COMPATIBLE_API_KEY", "none");
        command.args(["--ctty", "--wait"]).arg(self.program);
        command.args(line.split(' ').skip(1)).args(more);
        command.stdin(copy(&side)?).stdout(copy(&side)?).stderr(Stdio::from(side));
        let child = command.spawn().map_err(|why| format!("`setsid` does not start: {why}"))?;
        drop(command);
        let keyboard = File::from(terminal);
        let (mut reader, screen) = (copy(&keyboard)?, Arc::clone(&self.screen));
        // It ends with the command, whose side of the terminal is closed then.
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                lock(&screen).process(&buffer[..length]);
            }
        });
        self.running = Some(Running { child, keyboard });
        Ok(())
    }

    /// Waits until the terminal shows a text, and records the screen once it is quiet.
    pub(super) fn wait(&mut self, text: &str) -> Result<(), String> {
        self.wait_for_times(text, 1)
    }

    /// Waits until the terminal shows a text so many times.
    pub(super) fn wait_for_times(&mut self, text: &str, times: usize) -> Result<(), String> {
        let begun = Instant::now();
        while shown(&lock(&self.screen)).matches(text).count() < times {
            if begun.elapsed() > LONG {
                let shown = ScreenRows::read(lock(&self.screen).screen()).text();
                return Err(format!("waited for {text:?} in\n{}", shown.trim_end()));
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.frame(0.6);
        Ok(())
    }

    /// Types a line, and sends it.
    pub(super) fn line(&mut self, line: &str) -> Result<(), String> {
        self.keys(line)?;
        self.keys("\r")
    }

    /// Presses keys, and records the screen afterwards.
    pub(super) fn keys(&mut self, keys: &str) -> Result<(), String> {
        let running = self.running.as_mut().ok_or("no command runs")?;
        let typed = running.keyboard.write_all(keys.as_bytes());
        typed.map_err(|why| format!("nobody reads {keys:?}: {why}"))?;
        if keys != "\r" {
            self.frame(0.4);
        }
        Ok(())
    }

    /// Leaves the command, and waits for its end.
    pub(super) fn leave(&mut self) -> Result<(), String> {
        self.keys("\x04")?;
        self.end()
    }

    /// Waits for the end of the command.
    pub(super) fn end(&mut self) -> Result<(), String> {
        let mut running = self.running.take().ok_or("no command runs")?;
        running.child.wait().map_err(|why| why.to_string())?;
        self.frame(0.4);
        Ok(())
    }

    /// Kills the command and all that it has started, as a power cut would.
    pub(super) fn kill(&mut self) -> Result<(), String> {
        let mut running = self.running.take().ok_or("no command runs")?;
        // `setsid` has become the command, which leads its own session.
        let leader = i32::try_from(running.child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or("the command has no process")?;
        kill_process_group(leader, Signal::KILL).map_err(|why| why.to_string())?;
        running.child.wait().map_err(|why| why.to_string())?;
        // The terminal is as the command had left it.
        self.print("\x1b[?25h\x1b[?2004l\r\n\x1b[JKilled\r\n");
        self.frame(0.8);
        Ok(())
    }

    /// Returns the recording.
    pub(super) fn into_cast(self) -> String {
        self.cast.into_text()
    }

    fn print(&self, text: &str) {
        lock(&self.screen).process(text.as_bytes());
    }

    /// Records the screen, once it has not changed for a moment.
    fn frame(&mut self, after: f64) {
        let now = || ScreenRows::read(lock(&self.screen).screen());
        let (mut last, mut since, begun) = (now(), Instant::now(), Instant::now());
        while since.elapsed() < QUIET && begun.elapsed() < LONG {
            thread::sleep(Duration::from_millis(20));
            let next = now();
            if next != last {
                (last, since) = (next, Instant::now());
            }
        }
        self.cast.show(last, after);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is left alone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lock(screen: &Mutex<vt100::Parser>) -> MutexGuard<'_, vt100::Parser> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the words that a terminal shows, with one blank between them.
fn shown(screen: &vt100::Parser) -> String {
    screen.screen().contents().split_whitespace().collect::<Vec<_>>().join(" ")
}

const COLUMNS: u16 = 100;

const ROWS: u16 = 30;

/// The time for which nothing changes on a screen that is recorded.
const QUIET: Duration = Duration::from_millis(400);

/// The longest time until a text appears.
const LONG: Duration = Duration::from_secs(60);
