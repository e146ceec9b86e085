//! Runs an agent while a person watches: its events, the person's keys and the clock, in one loop.
//!
//! Esc stops the run. Ctrl-C does so, too, and a second one ends the process. Ctrl-Z suspends the process.
//! Ctrl-O opens the last thought, Ctrl-T shows or hides the list of the agent, Shift-Tab changes the
//! mode, and Ctrl-D leaves a session after the run. A line that is typed and sent goes to the run, between
//! two steps; if the run is over before the line could be stored, it becomes the next prompt. A
//! [`SentLine`] says which lines are commands instead.

mod sent_line;

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use silcrow_agent::{Error, RunHandle, RunOutcome, RunStream};
use silcrow_event::RunEventRef;
use silcrow_policy::PermissionMode;
use silcrow_tool::CancellationToken;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::edit_outside::edit_outside;
use crate::handover::Handover;
use crate::interrupt::exit_of_signal;
use crate::live::{KeyEffect, Keyboard, LiveQuestion, LiveScreen, TypedInput, restore};
use crate::system::INTERRUPT;
pub use sent_line::SentLine;

/// Performs runs on a live screen.
pub struct AttendedRuns {
    screen: Arc<Mutex<LiveScreen>>,
    questions: Receiver<LiveQuestion>,
    keys: KeySource,
    /// Changes the permission mode, and returns the new one.
    mode: Option<ModeKey>,
    /// Decides which lines are commands.
    commands: Option<LineCommands>,
    /// The plan that the person wants to edit.
    editing: Option<String>,
    /// The lines that wait until the run is over.
    waiting: Vec<String>,
    leaves: bool,
    handover: Handover,
}

type LineCommands = Box<dyn FnMut(&str) -> SentLine + Send>;
type KeySource = Box<dyn FnMut() -> io::Result<Keyboard> + Send>;
type ModeKey = Box<dyn Fn() -> PermissionMode + Send>;

/// The end of a run that a person attended.
#[derive(Debug)]
#[non_exhaustive]
pub struct AttendedEnd {
    /// The outcome of the run, or its error.
    pub ended: Result<RunOutcome, Error>,
    /// The lines that were sent for after the run, and the messages that came too late.
    pub unsent: Vec<String>,
    /// The prompts that were queued for after the run.
    pub queued: Vec<String>,
    /// Whether the person leaves when the run is over.
    pub leaves: bool,
    /// Whether the terminal is gone, which has stopped the run unless it goes on elsewhere.
    pub is_hung_up: bool,
}

impl AttendedRuns {
    /// Performs runs on a screen. Questions of calls come through the channel, and keys from the
    /// terminal of the process.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use silcrow_console::attend::AttendedRuns;
    /// use silcrow_console::live::{LiveScreen, LiveTerminal};
    /// use silcrow_console::options::ConsoleOptions;
    ///
    /// let screen =
    ///     LiveScreen::new("a-model", LiveTerminal::of_process(), &ConsoleOptions::new());
    /// // The other end is for the approver.
    /// let (_desk, questions) = tokio::sync::mpsc::channel(16);
    /// let runs = AttendedRuns::new(Arc::new(Mutex::new(screen)), questions);
    /// # drop(runs);
    /// ```
    pub fn new(screen: Arc<Mutex<LiveScreen>>, questions: Receiver<LiveQuestion>) -> Self {
        let keys = Box::new(Keyboard::open);
        let (mode, commands, editing, waiting) = (None, None, None, Vec::new());
        let handover = Handover::default();
        Self { screen, questions, keys, mode, commands, editing, waiting, leaves: false, handover }
    }

    /// Sets the function that opens the keyboard for each run.
    #[must_use]
    pub fn with_keys(self, keys: impl FnMut() -> io::Result<Keyboard> + Send + 'static) -> Self {
        Self { keys: Box::new(keys), ..self }
    }

    /// Sets the function of Shift-Tab, which changes the permission mode and returns the new one.
    #[must_use]
    pub fn with_mode_key(self, mode: impl Fn() -> PermissionMode + Send + 'static) -> Self {
        Self { mode: Some(Box::new(mode)), ..self }
    }

    /// Sets the check whether a run continues in another process. Such a run ends between two
    /// steps, and the end of the terminal does not stop it.
    #[must_use]
    pub fn with_handover(self, handover: &Handover) -> Self {
        Self { handover: handover.clone(), ..self }
    }

    /// Sets the treatment of lines that are sent while a run works. Without it, each is a message.
    pub fn set_commands(&mut self, commands: impl FnMut(&str) -> SentLine + Send + 'static) {
        self.commands = Some(Box::new(commands));
    }

    /// Returns the screen.
    pub fn screen(&self) -> &Arc<Mutex<LiveScreen>> {
        &self.screen
    }

    /// Shows a run until it ends. The keyboard belongs to the run until then. `observe` gets each event
    /// before it is shown.
    ///
    /// # Errors
    ///
    /// Fails if the keyboard cannot be opened. The [`AttendedEnd`] has the end of the run itself.
    pub async fn follow(
        &mut self,
        mut stream: RunStream,
        cancel: &CancellationToken,
        observe: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> io::Result<AttendedEnd> {
        let handle = stream.handle();
        let screen = Arc::clone(&self.screen);
        let run = async move {
            while let Some(event) = stream.next().await {
                observe(event.as_ref());
                lock(&screen).show(event.as_ref());
            }
            stream.outcome().await
        };
        self.attend(run, cancel, Some(handle)).await
    }

    /// Waits for the end of a run that shows its own events. Messages of the person go to the
    /// handle; without one nothing can be sent.
    ///
    /// # Errors
    ///
    /// Fails if the keyboard cannot be opened.
    pub async fn attend(
        &mut self,
        run: impl Future<Output = Result<RunOutcome, Error>>,
        cancel: &CancellationToken,
        handle: Option<RunHandle>,
    ) -> io::Result<AttendedEnd> {
        let mut keyboard = (self.keys)()?;
        let mut run = pin!(run);
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sending = JoinSet::new();
        let mut unsent = Vec::new();
        let mut is_hung_up = false;
        self.handover.begin();
        let handover = self.handover.clone();
        let mut is_left = false;
        let ended = loop {
            tokio::select! {
                ended = &mut run => break ended,
                Some(question) = self.questions.recv(), if !lock(&self.screen).is_asking() => {
                    lock(&self.screen).ask(question);
                }
                input = keyboard.next() => {
                    let Ok(input) = input else {
                        is_hung_up = true;
                        match handover.outlives_terminal() {
                            true => {
                                handover.order();
                                leave(handle.as_ref());
                            }
                            false => cancel.cancel(),
                        }
                        break run.await;
                    };
                    let sent = self.input(input, cancel);
                    match (sent, &handle) {
                        (Some(text), Some(handle)) => {
                            let handle = handle.clone();
                            sending.spawn(async move {
                                let sent = handle.steer(&*text).await;
                                sent.err().map(|_| text)
                            });
                        }
                        (Some(text), None) => unsent.push(text),
                        (None, _) => {}
                    }
                    if let Some(plan) = self.editing.take() {
                        // The terminal belongs to the editor meanwhile.
                        lock(&self.screen).settle();
                        keyboard.close().await;
                        let saved = tokio::task::spawn_blocking(move || edit_outside(&plan)).await;
                        keyboard = (self.keys)()?;
                        let saved = saved.ok().and_then(Result::ok).flatten();
                        lock(&self.screen).return_from_plan(saved);
                    }
                }
                () = handover.ordered(), if !is_left => {
                    is_left = true;
                    leave(handle.as_ref());
                }
                Some(sent) = sending.join_next() => unsent.extend(sent.ok().flatten()),
                _ = frames.tick() => {}
            }
            lock(&self.screen).draw_frame();
        };
        while let Some(sent) = sending.join_next().await {
            unsent.extend(sent.ok().flatten());
        }
        // Keys that were typed in the last moment are for the next prompt.
        for input in keyboard.close().await {
            unsent.extend(self.input(input, cancel));
        }
        unsent.append(&mut self.waiting);
        let leaves = std::mem::take(&mut self.leaves);
        let queued = lock(&self.screen).take_queued();
        Ok(AttendedEnd { ended, unsent, queued, leaves, is_hung_up })
    }

    /// Takes a key. Returns a message that the person sends.
    fn input(&mut self, input: TypedInput, cancel: &CancellationToken) -> Option<String> {
        let key = match input {
            TypedInput::Paste(text) => {
                lock(&self.screen).paste(&text);
                return None;
            }
            // Each drawing asks for the size.
            TypedInput::Resized => return None,
            TypedInput::Key(key) => key,
        };
        if key.code == KeyCode::BackTab {
            if let Some(mode) = &self.mode {
                lock(&self.screen).set_mode(mode());
            }
            return None;
        }
        match control(key) {
            Some('c') if cancel.is_cancelled() => {
                restore();
                std::process::exit(exit_of_signal(INTERRUPT));
            }
            Some('c') => cancel.cancel(),
            Some('z') => {
                lock(&self.screen).settle();
                if let Ok(suspended) = Keyboard::suspend() {
                    lock(&self.screen).return_from(suspended);
                }
            }
            Some('d') if !lock(&self.screen).is_typing() => self.leaves = true,
            Some('o') => lock(&self.screen).open_thought(),
            Some('t') => lock(&self.screen).toggle_todo(),
            Some('g') => self.editing = lock(&self.screen).open_plan(),
            _ => {
                let effect = lock(&self.screen).key(key);
                match effect {
                    KeyEffect::None => {}
                    KeyEffect::Stop => cancel.cancel(),
                    KeyEffect::Send(text) => return self.sent(text, cancel),
                }
            }
        }
        None
    }

    /// Carries out a line that the person sends. Returns it if it is a message for the run.
    fn sent(&mut self, text: String, cancel: &CancellationToken) -> Option<String> {
        let line = self.commands.as_mut().map_or(SentLine::Message, |commands| commands(&text));
        match line {
            SentLine::Message => return Some(text),
            SentLine::Done => {}
            SentLine::AfterRun => self.waiting.push(text),
            SentLine::Stop => cancel.cancel(),
            SentLine::HandOver => self.handover.order(),
            SentLine::Leave => {
                self.leaves = true;
                cancel.cancel();
            }
        }
        None
    }
}

impl fmt::Debug for AttendedRuns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AttendedRuns").field("leaves", &self.leaves).finish_non_exhaustive()
    }
}

/// Has a run end between two steps.
fn leave(handle: Option<&RunHandle>) {
    if let Some(handle) = handle {
        handle.leave_because("the run goes on in another process");
    }
}

/// Locks the screen, even after a panic of another thread that held the lock.
pub fn lock(screen: &Mutex<LiveScreen>) -> MutexGuard<'_, LiveScreen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the letter of a key that was pressed with Ctrl.
pub fn control(key: KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(char) if key.modifiers == KeyModifiers::CONTROL => Some(char),
        _ => None,
    }
}

/// The time between two drawings.
const FRAME: Duration = Duration::from_millis(50);
