//! A terminal with a program in it: a pseudo-terminal of the kernel, and an emulator that shows the
//! screen of a person.

use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _};
use std::num::NonZeroU16;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A window in which a program runs.
pub(crate) struct TerminalWindow {
    keyboard: File,
    seen: Arc<Seen>,
    child: Child,
    reader: JoinHandle<()>,
    /// The reader ends when this is closed.
    open: PipeWriter,
}

/// The output of the program.
struct Seen {
    state: Mutex<SeenState>,
    changed: Condvar,
}

struct SeenState {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    /// The number of bytes that the line lets through, if it is a slow one.
    allowed: Option<usize>,
    is_closed: bool,
}

impl TerminalWindow {
    /// Starts a command in a window of this size.
    pub(crate) fn open(command: &Command, columns: u16, rows: u16) -> Self {
        Self::open_with(command, columns, rows, None)
    }

    /// Starts a command whose standard input is a pipe with this text, in a window.
    pub(crate) fn open_with(
        command: &Command,
        columns: u16,
        rows: u16,
        piped: Option<&str>,
    ) -> Self {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let side = || {
            let slave =
                open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
                    .unwrap();
            Stdio::from(slave)
        };
        tcsetwinsize(&master, size(columns, rows)).unwrap();
        // A process in a new session, whose terminal this is.
        let mut child = Command::new("setsid");
        child.args(["--ctty", "--wait"]);
        if let Some(text) = piped {
            child.args(["sh", "-c", "text=$1; shift; printf %s \"$text\" | \"$@\"", "sh", text]);
        }
        child.arg(command.get_program()).args(command.get_args());
        child.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env_remove("LC_ALL");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => child.env(name, value),
                None => child.env_remove(name),
            };
        }
        child.current_dir(command.get_current_dir().unwrap());
        let child = child.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        let state = SeenState {
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 1_000),
            bytes: Vec::new(),
            allowed: None,
            is_closed: false,
        };
        let seen = Arc::new(Seen { state: Mutex::new(state), changed: Condvar::new() });
        let reader = File::from(rustix::io::fcntl_dupfd_cloexec(&master, 0).unwrap());
        let (closed, open) = std::io::pipe().unwrap();
        let reader = thread::spawn({
            let seen = Arc::clone(&seen);
            move || read(reader, &closed, &seen)
        });
        Self { keyboard: File::from(master), seen, child, reader, open }
    }

    /// Types keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the window shows a text.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |state| squeezed(&state.parser.screen().contents()).contains(text));
    }

    /// Waits until the window shows a text so many times.
    pub(crate) fn wait_for_times(&self, text: &str, times: usize) {
        self.wait(text, |state| {
            squeezed(&state.parser.screen().contents()).matches(text).count() == times
        });
    }

    /// Waits until the window shows the first text, and later the second one.
    pub(crate) fn wait_for_both(&self, first: &str, second: &str) {
        self.wait(first, |state| {
            let shown = squeezed(&state.parser.screen().contents());
            shown.split_once(first).is_some_and(|(_, rest)| rest.contains(second))
        });
    }

    /// Waits until the window no longer shows a text.
    pub(crate) fn wait_until_gone(&self, text: &str) {
        self.wait(text, |state| !squeezed(&state.parser.screen().contents()).contains(text));
    }

    fn wait(&self, text: &str, is_done: impl Fn(&SeenState) -> bool) {
        let state = self.seen.state.lock().unwrap();
        let (state, ended) = self
            .seen
            .changed
            .wait_timeout_while(state, LONG, |state| !is_done(state) && !state.is_closed)
            .unwrap();
        let shown = state.parser.screen().contents();
        let is_done = is_done(&state) && !ended.timed_out();
        drop(state);
        assert!(is_done, "waited for {text:?} in\n{shown}");
    }

    /// Gives the window another size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.seen
            .state
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(nonzero(rows), nonzero(columns));
        tcsetwinsize(&self.keyboard, size(columns, rows)).unwrap();
    }

    /// Returns the shown text, without blanks at the ends of rows.
    pub(crate) fn shown(&self) -> String {
        shown(&self.seen.state.lock().unwrap().parser)
    }

    /// Returns everything that the program has written.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.seen.state.lock().unwrap().bytes.clone()
    }

    /// Lets nothing through from now on but so many bytes, or everything again.
    pub(crate) fn allow(&self, bytes: Option<usize>) {
        self.seen.state.lock().unwrap().allowed = bytes;
        self.seen.changed.notify_all();
    }

    /// Lets so many bytes through, and waits until they have come or the program has ended.
    pub(crate) fn take(&self, bytes: usize) {
        self.allow(Some(bytes));
        let state = self.seen.state.lock().unwrap();
        let waits = |state: &mut SeenState| state.allowed != Some(0) && !state.is_closed;
        let (state, ended) = self.seen.changed.wait_timeout_while(state, LONG, waits).unwrap();
        assert!(!ended.timed_out(), "nothing comes:\n{}", shown(&state.parser));
    }

    /// Waits until the terminal's buffer is full of unread output.
    pub(crate) fn wait_until_full(&self) {
        let begun = Instant::now();
        while rustix::io::ioctl_fionread(&self.keyboard).unwrap() < MOST_HELD {
            assert!(begun.elapsed() < LONG, "the terminal is not full");
            thread::yield_now();
        }
    }

    /// Returns the id of the program's process.
    pub(crate) fn child(&self) -> u32 {
        let parent = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
        // `setsid` runs the program itself, unless it has to make a process for it.
        children.ok().and_then(|ids| ids.trim().parse().ok()).unwrap_or(parent)
    }

    /// Closes the window while the program runs, waits until that has ended, and returns its exit
    /// code.
    pub(crate) fn hang_up(self) -> Option<i32> {
        exit_code(self.close())
    }

    /// Closes the window while the program runs, and returns that.
    pub(crate) fn close(self) -> Child {
        let Self { keyboard, child, reader, open, .. } = self;
        drop(open);
        reader.join().unwrap();
        drop(keyboard);
        child
    }

    /// Waits until the program has ended, and returns its exit code and everything that it has written.
    pub(crate) fn end_with_bytes(self) -> (Option<i32>, Vec<u8>) {
        let seen = Arc::clone(&self.seen);
        let (code, _) = self.end();
        (code, std::mem::take(&mut seen.state.lock().unwrap().bytes))
    }

    /// Waits until the program has ended, and returns its exit code and the shown text.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let state = self.seen.state.lock().unwrap();
        let closed = self.seen.changed.wait_timeout_while(state, LONG, |state| !state.is_closed);
        let (state, ended) = closed.unwrap();
        let shown = shown(&state.parser);
        if ended.timed_out() {
            self.child.kill().unwrap();
            panic!("the program does not end:\n{shown}");
        }
        drop(state);
        (self.child.wait().unwrap().code(), shown)
    }
}

/// Waits until a program has ended, and returns its exit code.
pub(crate) fn exit_code(mut child: Child) -> Option<i32> {
    let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
    let mut ended = [PollFd::new(&process, PollFlags::IN)];
    let patience = Timespec::try_from(LONG).unwrap();
    if retry_on_intr(|| poll(&mut ended, Some(&patience))).unwrap() == 0 {
        child.kill().unwrap();
        panic!("the program does not end");
    }
    child.wait().unwrap().code()
}

fn read(mut from: File, closed: &PipeReader, seen: &Seen) {
    let mut buffer = [0; 4096];
    loop {
        let state = seen.state.lock().unwrap();
        let held = seen.changed.wait_while(state, |state| state.allowed == Some(0)).unwrap();
        let most = held.allowed.unwrap_or(usize::MAX).min(buffer.len());
        drop(held);
        let mut ready = [PollFd::new(&from, PollFlags::IN), PollFd::new(closed, PollFlags::IN)];
        retry_on_intr(|| poll(&mut ready, None)).unwrap();
        if !ready[1].revents().is_empty() {
            return;
        }
        // The kernel reports an error once nobody has the other side open.
        let len = from.read(&mut buffer[..most]).unwrap_or(0);
        let mut state = seen.state.lock().unwrap();
        state.allowed = state.allowed.map(|allowed| allowed.saturating_sub(len));
        state.parser.process(&buffer[..len]);
        state.bytes.extend_from_slice(&buffer[..len]);
        state.is_closed = len == 0;
        seen.changed.notify_all();
        if len == 0 {
            return;
        }
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}

fn shown(parser: &vt100::Parser) -> String {
    let contents = parser.screen().contents();
    let rows: Vec<_> = contents.lines().map(str::trim_end).collect();
    rows.join("\n").trim_end().to_owned()
}

/// Returns a text in which each run of blanks and line breaks is one blank.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the shown text with words in place of times, ids and folders, which differ each time.
pub(crate) fn steady(shown: &str, sandbox: &crate::support::Sandbox) -> String {
    let mut text = shown.to_owned();
    for (path, word) in [(sandbox.path("root"), "ROOT"), (sandbox.path(""), "FOLDER/")] {
        text = text.replace(path.to_str().unwrap(), word);
    }
    // Whether new local sockets can be confined depends on the kernel of the machine.
    text = text.replace(", except new local sockets", "");
    let words = text.split_inclusive([' ', '\n', '(', ')', ',']).collect::<Vec<_>>();
    let mut out = String::new();
    for (index, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches([' ', '\n', '(', ')', ',', ':']);
        let unit = words
            .get(index + 1)
            .map_or("", |next| next.trim_end_matches([' ', '\n', ')', ',', ':']));
        let is_number = bare.parse::<f64>().is_ok();
        let is_id = bare.len() == 15
            && bare.starts_with('c')
            && bare.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        match () {
            () if is_number && matches!(unit, "ms" | "s" | "min") => {
                out.push_str(&word.replace(bare, "N"))
            }
            () if is_id => out.push_str(&word.replace(bare, "CONVERSATION")),
            () if bare.starts_with('~') => out.push_str(&word.replace(bare, "~N")),
            () if bare == "ms" => out.push_str(&word.replace("ms", "s")),
            () => out.push_str(word),
        }
    }
    // Only a call that took long shows its time.
    let lines = out.lines().map(|line| {
        let times = [" \u{b7} N s", ", N s"].iter().find_map(|time| line.strip_suffix(time));
        times.unwrap_or(line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The time after which a test gives up.
const LONG: Duration = Duration::from_secs(60);

/// The number of bytes with which the kernel counts a terminal as full, nearly.
const MOST_HELD: u64 = 4_000;

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
