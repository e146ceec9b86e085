//! A terminal without a kernel: an emulator that shows the screen of a person, and a channel for
//! the keys.

use std::io::{self, Write};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use silcrow_agent::{Agent, StreamOptions};
use silcrow_console::approve::{QuestionDesk, TerminalApprover};
use silcrow_console::attend::{AttendedEnd, AttendedRuns, SentLine, lock};
use silcrow_console::live::{
    KeyCode, KeyEvent, KeyModifiers, Keyboard, LiveScreen, LiveTerminal, ShownWalls, TerminalSize,
    TypedInput,
};
use silcrow_console::options::{ConsoleOptions, Detail, DiffShown};
use silcrow_console::question::QuestionStyle;
use silcrow_parser::Dialect;
use silcrow_policy::{PermissionMode, SharedPolicy};
use silcrow_tool::{CancellationToken, Scope};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::support::{agent, policy};

/// A window in which a person watches a run.
pub(crate) struct EmulatedWindow {
    keys: mpsc::Sender<io::Result<TypedInput>>,
    seen: watch::Receiver<EmulatorState>,
    emulator: Emulator,
    run: JoinHandle<(AttendedEnd, String)>,
    folder: TempDir,
}

/// The screen of an emulator, and all bytes that were written to it.
pub(crate) struct EmulatorState {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

/// A terminal to write to.
#[derive(Clone)]
pub(crate) struct Emulator {
    state: watch::Sender<EmulatorState>,
    size: Arc<Mutex<TerminalSize>>,
}

/// How a window is opened.
pub(crate) struct WindowOptions {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) mode: PermissionMode,
    /// Changes the approver before the agent gets it.
    pub(crate) approver: fn(TerminalApprover, &Arc<SharedPolicy>) -> TerminalApprover,
}

impl Default for WindowOptions {
    fn default() -> Self {
        let approver = |approver: TerminalApprover, _: &Arc<SharedPolicy>| approver;
        Self { columns: 80, rows: 40, mode: PermissionMode::Ask, approver }
    }
}

impl EmulatedWindow {
    /// Begins a run that plays a script, in a window of 80 columns and 40 rows.
    pub(crate) fn open(script: &str) -> Self {
        Self::open_with(script, WindowOptions::default())
    }

    /// Begins a run whose first step has a call that lasts until something is sent.
    pub(crate) fn open_held() -> (Self, oneshot::Sender<()>) {
        let script = "§call: {\"name\":\"hold\",\"args\":{}}\n§execute\n%%\n\
                      §respond: It is done.\n§end";
        let (release, held) = oneshot::channel();
        let options = WindowOptions { mode: PermissionMode::Full, ..WindowOptions::default() };
        let window = Self::begin(script, options, Some(held));
        (window, release)
    }

    pub(crate) fn open_with(script: &str, options: WindowOptions) -> Self {
        Self::begin(script, options, None)
    }

    fn begin(script: &str, options: WindowOptions, held: Option<oneshot::Receiver<()>>) -> Self {
        let WindowOptions { columns, rows, mode, approver } = options;
        let (emulator, seen) = Emulator::new(columns, rows);
        let (desk, questions) = mpsc::channel(16);
        let style = QuestionStyle { columns: columns.into(), color: false };
        let asking = TerminalApprover::new(QuestionDesk::Live(desk)).with_style(move || style);
        let folder = TempDir::new().unwrap();
        let policy = policy(mode, folder.path());
        let agent = agent(script, folder.path(), &policy, approver(asking, &policy), held);
        let is_of_tags = script.starts_with('<');
        let agent = if is_of_tags { agent.with_dialect(Dialect::Action) } else { agent };
        let mut shown = ConsoleOptions::new();
        shown.detail = Detail::Normal;
        shown.diff = DiffShown::Full;
        let mut screen = LiveScreen::new("script", emulator.terminal(), &shown);
        screen.set_walls(ShownWalls { mode, is_sandbox_off: false });
        let (keys, typed) = mpsc::channel(256);
        let mut typed = Some(typed);
        let keyboard = move || Ok(Keyboard::of_channel(typed.take().unwrap()));
        let switched = Arc::clone(&policy);
        let screen = Arc::new(Mutex::new(screen));
        let mut runs = AttendedRuns::new(Arc::clone(&screen), questions)
            .with_keys(keyboard)
            .with_mode_key(move || next_mode(&switched));
        runs.set_commands(move |line| {
            let (said, sent) = match line {
                "/exit" => return SentLine::Leave,
                "/new" => ("later", SentLine::AfterRun),
                line if line.starts_with('/') => ("done", SentLine::Done),
                _ => return SentLine::Message,
            };
            lock(&screen).show_line(&format!("{said}: {line}"));
            sent
        });
        let run = tokio::spawn(watch_run(agent, runs));
        Self { keys, seen, emulator, run, folder }
    }

    /// Types keys: control characters are keys with Ctrl, and an escape is a key by itself.
    pub(crate) async fn press(&self, keys: &str) {
        for char in keys.chars() {
            self.send(TypedInput::Key(key(char))).await;
        }
    }

    pub(crate) async fn send(&self, input: TypedInput) {
        self.keys.send(Ok(input)).await.unwrap();
    }

    /// Closes the window: nothing can be typed any more.
    pub(crate) async fn hang_up(self) -> AttendedEnd {
        drop(self.keys);
        self.run.await.unwrap().0
    }

    /// Gives the window another size.
    pub(crate) async fn resize(&self, columns: u16, rows: u16) {
        self.emulator.resize(columns, rows);
        self.send(TypedInput::Resized).await;
    }

    /// Waits until the window shows a text.
    pub(crate) async fn wait_for(&mut self, text: &str) {
        self.wait(text, |shown| shown.contains(text)).await;
    }

    /// Waits until the window no longer shows a text.
    pub(crate) async fn wait_until_gone(&mut self, text: &str) {
        self.wait(text, |shown| !shown.contains(text)).await;
    }

    async fn wait(&mut self, text: &str, is_done: impl Fn(&str) -> bool) {
        let done = self.seen.wait_for(|state| is_done(&squeezed(&state.shown())));
        let is_done = matches!(timeout(LONG, done).await, Ok(Ok(_)));
        assert!(is_done, "waited for {text:?} in\n{}", self.shown());
    }

    /// Returns the shown text.
    pub(crate) fn shown(&self) -> String {
        self.seen.borrow().shown()
    }

    /// Returns everything that was written.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.seen.borrow().bytes.clone()
    }

    /// Returns a path in the folder of the run.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the text of a file in the folder of the run, if it is there.
    pub(crate) fn written(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// Waits until the run has ended. Returns how it ended, the text of the window, and the text
    /// that was typed and not sent.
    pub(crate) async fn end(self) -> (AttendedEnd, String, String) {
        let Self { run, seen, keys: _keys, folder: _folder, .. } = self;
        let ended = timeout(LONG, run).await;
        let shown = seen.borrow().shown();
        let (end, draft) =
            ended.unwrap_or_else(|_| panic!("the run does not end:\n{shown}")).unwrap();
        (end, shown, draft)
    }
}

impl Emulator {
    pub(crate) fn new(columns: u16, rows: u16) -> (Self, watch::Receiver<EmulatorState>) {
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 1_000);
        let (state, seen) = watch::channel(EmulatorState { parser, bytes: Vec::new() });
        let size = TerminalSize { columns: columns.into(), rows: rows.into() };
        (Self { state, size: Arc::new(Mutex::new(size)) }, seen)
    }

    /// Returns a terminal that draws here.
    pub(crate) fn terminal(&self) -> LiveTerminal {
        let size = Arc::clone(&self.size);
        LiveTerminal::new(self.clone(), move || *size.lock().unwrap())
    }

    fn resize(&self, columns: u16, rows: u16) {
        *self.size.lock().unwrap() = TerminalSize { columns: columns.into(), rows: rows.into() };
        self.state.send_modify(|state| {
            state.parser.screen_mut().set_size(nonzero(rows), nonzero(columns));
        });
    }
}

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.state.send_modify(|state| {
            state.parser.process(bytes);
            state.bytes.extend_from_slice(bytes);
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl EmulatorState {
    /// Returns the shown text, without blanks at the ends of rows.
    pub(crate) fn shown(&self) -> String {
        let contents = self.parser.screen().contents();
        let rows: Vec<_> = contents.lines().map(str::trim_end).collect();
        rows.join("\n").trim_end().to_owned()
    }
}

async fn watch_run(agent: Agent, mut runs: AttendedRuns) -> (AttendedEnd, String) {
    let cancel = CancellationToken::new();
    let scope = Scope::new("c1").with_cancellation(cancel.clone());
    lock(runs.screen()).begin("script");
    let stream = agent.stream_with(scope, "go", StreamOptions::default());
    let end = runs.follow(stream, &cancel, &mut |_| {}).await.unwrap();
    let draft = lock(runs.screen()).finish().unwrap();
    (end, draft)
}

/// Changes to the next mode, as Shift-Tab does.
fn next_mode(policy: &SharedPolicy) -> PermissionMode {
    let next = match policy.mode() {
        PermissionMode::Ask => PermissionMode::Workspace,
        PermissionMode::Workspace => PermissionMode::ReadOnly,
        _ => PermissionMode::Ask,
    };
    policy.set_mode(next).unwrap();
    next
}

fn key(char: char) -> KeyEvent {
    match char {
        '\r' => KeyCode::Enter.into(),
        '\t' => KeyCode::Tab.into(),
        '\x1b' => KeyCode::Esc.into(),
        '\x7f' => KeyCode::Backspace.into(),
        '\x01'..='\x1a' => {
            let letter = char::from(b'a' - 1 + u8::try_from(char).unwrap());
            KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
        }
        char => KeyCode::Char(char).into(),
    }
}

/// Returns a text in which each run of blanks and line breaks is one blank.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The time after which a test gives up.
const LONG: Duration = Duration::from_secs(60);

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
