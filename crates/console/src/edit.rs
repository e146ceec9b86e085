//! Edits the line that a person types between two runs.
//!
//! It has a shell's keys, a history, and a menu of suggestions. Pasted text is never sent
//! automatically, and long pastes are folded. [`LineAid`] supplies the suggestions.

mod best_matches;
mod edited_line;
mod editing;
mod line_aid;
mod line_buffer;
mod offer_menu;
mod typed_history;
mod typed_view;
mod vi_keys;
mod vi_motion;

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use silcrow_term::{Line, Style, TextRole};
use tokio::runtime::Handle;

pub use best_matches::best_matches;
pub use edited_line::EditedLine;
use editing::{EditScene, EditStep, Editing};
pub use line_aid::LineAid;
use line_aid::NoAid;
pub use offer_menu::{LineOffer, LineOffers};
use typed_history::TypedHistory;
use typed_view::TypedView;

use crate::attend::lock;
use crate::edit_outside::edit_outside;
use crate::live::{Keyboard, LiveScreen, PickerRow, PickerStep, RowPicker, TypedInput};

/// An editor of lines at the bottom of a live screen.
pub struct PromptEditor {
    screen: Arc<Mutex<LiveScreen>>,
    keys: Box<dyn FnMut() -> io::Result<Keyboard> + Send>,
    aid: Box<dyn LineAid>,
    history: TypedHistory,
    last: Option<String>,
    /// The keys that were typed after the last line was sent.
    pending: VecDeque<TypedInput>,
    /// The runtime that the keyboard waits with.
    runtime: Handle,
}

impl PromptEditor {
    /// Creates an editor on a screen. It keeps its lines in the file `history`, or forgets them. `keys` opens
    /// the keyboard for each line, and `runtime` waits for it.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use silcrow_console::edit::{EditedLine, LineAid, LineOffers, PromptEditor};
    /// use silcrow_console::live::{
    ///     KeyCode, Keyboard, LiveScreen, LiveTerminal, TerminalSize, TypedInput,
    /// };
    /// use silcrow_console::options::ConsoleOptions;
    ///
    /// /// Helps with nothing.
    /// struct NoAid;
    ///
    /// impl LineAid for NoAid {
    ///     fn offers(&self, _: &str, _: bool) -> LineOffers {
    ///         LineOffers::default()
    ///     }
    ///     fn hint(&self, _: &str) -> Option<String> {
    ///         None
    ///     }
    ///     fn change_mode(&self) {}
    /// }
    ///
    /// let size = TerminalSize { columns: 80, rows: 24 };
    /// let terminal = LiveTerminal::new(Vec::new(), move || size);
    /// let screen = LiveScreen::new("a-model", terminal, &ConsoleOptions::new());
    /// let (keys, typed) = tokio::sync::mpsc::channel(8);
    /// let mut typed = Some(typed);
    /// let keyboard = move || Ok(Keyboard::of_channel(typed.take().unwrap()));
    /// let runtime = tokio::runtime::Runtime::new()?;
    /// let screen = Arc::new(Mutex::new(screen));
    /// let handle = runtime.handle().clone();
    /// let mut editor = PromptEditor::new(screen, keyboard, Box::new(NoAid), None, handle);
    /// for code in [KeyCode::Char('h'), KeyCode::Char('i'), KeyCode::Enter] {
    ///     keys.blocking_send(Ok(TypedInput::Key(code.into()))).unwrap();
    /// }
    /// let sent = EditedLine::Sent { text: "hi".to_owned(), replaces_last: false };
    /// assert_eq!(editor.read("")?, sent);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new(
        screen: Arc<Mutex<LiveScreen>>,
        keys: impl FnMut() -> io::Result<Keyboard> + Send + 'static,
        aid: Box<dyn LineAid>,
        history: Option<PathBuf>,
        runtime: Handle,
    ) -> Self {
        let (keys, history) = (Box::new(keys), TypedHistory::new(history));
        Self { screen, keys, aid, history, last: None, pending: VecDeque::new(), runtime }
    }

    /// Sets the last prompt, which Esc Esc takes back.
    pub fn set_last(&mut self, prompt: Option<&str>) {
        self.last = prompt.map(str::to_owned);
    }

    /// Adds a line that was sent elsewhere to the history.
    pub fn remember(&mut self, line: &str) {
        self.history.add(line);
    }

    /// Reads a line that begins with `initial`. It blocks, and may not be called from a task of the
    /// runtime.
    ///
    /// # Errors
    ///
    /// Fails if the keyboard cannot be opened.
    ///
    /// # Panics
    ///
    /// Panics within a task of a runtime.
    pub fn read(&mut self, initial: &str) -> io::Result<EditedLine> {
        self.history.renew();
        let sign = lock(&self.screen).prompt_sign();
        let label = Line::styled(sign, Style::new(TextRole::Accent)).with_text(" ", Style::PLAIN);
        let mut editing = Editing::new(initial);
        let end = self.edit(&label, &mut editing, true)?;
        let (text, replaces_last) = (editing.buffer.whole(), editing.has_taken_back);
        if end == EditStep::Sent {
            self.history.add(&text);
        }
        Ok(match end {
            EditStep::Sent => EditedLine::Sent { text, replaces_last },
            EditStep::Interrupted => EditedLine::Interrupted,
            EditStep::Help => EditedLine::Help,
            _ => EditedLine::End,
        })
    }

    /// Asks a question, and returns whether the answer is a yes.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](Self::read) does.
    ///
    /// # Panics
    ///
    /// Panics as [`read`](Self::read) does.
    pub fn confirm(&mut self, question: &str) -> io::Result<bool> {
        let label = Line::styled(&format!("{question} [y/N] "), Style::new(TextRole::Accent));
        let mut editing = Editing::default();
        let end = self.edit(&label, &mut editing, false)?;
        let text = editing.buffer.whole().trim().to_lowercase();
        Ok(end == EditStep::Sent && matches!(&*text, "y" | "yes"))
    }

    /// Edits a line until it ends, and leaves it on the screen.
    fn edit(
        &mut self,
        label: &Line,
        editing: &mut Editing,
        is_aided: bool,
    ) -> io::Result<EditStep> {
        let mut keyboard = (self.keys)()?;
        let end = loop {
            if self.pending.is_empty() {
                self.show(label, editing, is_aided);
            }
            let Some(input) = self.next(&mut keyboard) else { break EditStep::End };
            let step = match input {
                TypedInput::Key(key) => self.key(editing, key, is_aided),
                // Some terminals paste nothing if the clipboard has a picture.
                TypedInput::Paste(text) if text.is_empty() && is_aided => EditStep::Picture,
                TypedInput::Paste(text) => {
                    editing.paste(&self.aid.pasted(&text).unwrap_or(text));
                    EditStep::Waits
                }
                TypedInput::Resized => EditStep::Waits,
            };
            match step {
                EditStep::Waits => {}
                EditStep::Suspend => {
                    if let Ok(suspended) = Keyboard::suspend() {
                        lock(&self.screen).return_from(suspended);
                    }
                }
                EditStep::Search => self.search(editing, &mut keyboard),
                EditStep::Picture => {
                    if let Some(said) = self.aid.take_picture() {
                        lock(&self.screen).show_line(&said);
                    }
                }
                EditStep::Outside => {
                    let rest = self.runtime.block_on(keyboard.close());
                    self.pending.extend(rest);
                    self.edit_elsewhere(editing);
                    keyboard = (self.keys)()?;
                }
                end => break end,
            }
        };
        let rest = self.runtime.block_on(keyboard.close());
        self.pending.extend(rest);
        editing.menu = None;
        self.leave(label, editing);
        Ok(end)
    }

    fn next(&mut self, keyboard: &mut Keyboard) -> Option<TypedInput> {
        // Keys that are there already are shown at once.
        self.pending.extend(std::iter::from_fn(|| keyboard.take()));
        match self.pending.pop_front() {
            Some(input) => Some(input),
            None => self.runtime.block_on(keyboard.next()).ok(),
        }
    }

    fn key(
        &self,
        editing: &mut Editing,
        key: crossterm::event::KeyEvent,
        is_aided: bool,
    ) -> EditStep {
        let (history, last) = (&self.history, self.last.as_deref());
        match is_aided {
            true => editing.key(key, &EditScene { aid: &*self.aid, history, last }),
            false => {
                let history = &TypedHistory::default();
                let step = editing.key(key, &EditScene { aid: &NoAid, history, last: None });
                let is_aid =
                    matches!(step, EditStep::Outside | EditStep::Search | EditStep::Picture);
                if is_aid { EditStep::Waits } else { step }
            }
        }
    }

    fn show(&self, label: &Line, editing: &Editing, is_aided: bool) {
        let mut screen = lock(&self.screen);
        let (size, sign) = (screen.size(), screen.prompt_sign());
        let text = editing.buffer.text();
        let is_at_end = editing.buffer.at() == text.len() && editing.menu.is_none();
        let hint = match (editing.is_escaping, is_at_end && is_aided) {
            (true, _) if text.is_empty() => Some(TAKES_BACK.to_owned()),
            (true, _) => Some(CLEARS.to_owned()),
            (false, _) if editing.is_commanding() => Some(COMMANDS.to_owned()),
            (false, true) => self.aid.hint(text),
            (false, false) => None,
        };
        let (buffer, menu) = (&editing.buffer, editing.menu.as_ref());
        let view = TypedView { label, buffer, hint: hint.as_deref(), menu, sign };
        let rows = view.rows(size.columns.saturating_sub(1), size.rows.saturating_sub(1));
        screen.draw_typed(Some(rows));
    }

    /// Leaves the line on the screen as it was sent.
    fn leave(&self, label: &Line, editing: &Editing) {
        let mut screen = lock(&self.screen);
        let (columns, sign) = (screen.size().columns.saturating_sub(1), screen.prompt_sign());
        let view = TypedView { label, buffer: &editing.buffer, hint: None, menu: None, sign };
        screen.show_lines(&view.rows(columns, usize::MAX).rows);
        screen.draw_typed(None);
    }

    /// Lets the person find a line that was sent before.
    fn search(&mut self, editing: &mut Editing, keyboard: &mut Keyboard) {
        let row = |line: &String| PickerRow {
            label: String::new(),
            text: line.replace('\n', " "),
            more: String::new(),
        };
        let lines: Vec<_> = self.history.lines().iter().rev().cloned().collect();
        let mut picker = RowPicker::new(lines.iter().map(row).collect());
        loop {
            lock(&self.screen).draw_picker(Some(&picker));
            match self.next(keyboard) {
                Some(TypedInput::Key(key)) => match picker.key(key) {
                    PickerStep::Waits => {}
                    PickerStep::Picked(index) => return editing.set(&lines[index]),
                    PickerStep::Left => return,
                },
                Some(TypedInput::Paste(_) | TypedInput::Resized) => {}
                None => return,
            }
        }
    }

    /// Lets the person edit the line with a program.
    fn edit_elsewhere(&self, editing: &mut Editing) {
        lock(&self.screen).draw_typed(None);
        let edited = edit_outside(&editing.buffer.whole());
        let mut screen = lock(&self.screen);
        screen.forget_rows();
        match edited {
            Ok(Some(text)) => editing.set(&text),
            Ok(None) => {}
            Err(error) => screen.show_line(&format!(
                "cannot start your editor: {error}; the variable EDITOR names it"
            )),
        }
    }
}

impl fmt::Debug for PromptEditor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PromptEditor").finish_non_exhaustive()
    }
}

const CLEARS: &str = "  Esc again clears";

/// The hint on the line in vi's normal mode, in which keys are commands.
const COMMANDS: &str = "  normal mode";

const TAKES_BACK: &str = "Esc again takes the last prompt back";
