//! The desk where questions are shown and answered: on a live screen by keys, or as lines by a
//! line.

use std::fmt;
use std::io::{self, PipeWriter};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

use crate::live::LiveQuestion;
use crate::screen::{Screen, lock};
use crate::typed::{ProcessLines, TypedLines};

/// A place at which questions are shown and answered.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "who asks other questions has to know both")]
pub enum QuestionDesk {
    /// As lines, answered by a line.
    Lines(LineDesk),
    /// On a live screen, answered by a key.
    Live(mpsc::Sender<LiveQuestion>),
}

/// A screen of lines, and the lines that the person types.
#[derive(Clone)]
pub struct LineDesk {
    screen: Arc<Mutex<Screen>>,
    lines: Arc<dyn TypedLines>,
}

impl LineDesk {
    /// Creates a desk at which the terminal of the process has the answers.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use silcrow_console::ConsoleOutput;
    /// use silcrow_console::approve::{LineDesk, QuestionDesk};
    /// use silcrow_console::options::ConsoleOptions;
    /// use silcrow_console::screen::Screen;
    ///
    /// let output = ConsoleOutput::of_process();
    /// let screen = Screen::new(Vec::new(), output, &ConsoleOptions::new());
    /// let desk = QuestionDesk::Lines(LineDesk::new(&Arc::new(Mutex::new(screen))));
    /// # drop(desk);
    /// ```
    pub fn new(screen: &Arc<Mutex<Screen>>) -> Self {
        Self { screen: Arc::clone(screen), lines: Arc::new(ProcessLines) }
    }

    /// Sets the source of typed lines.
    #[must_use]
    pub fn with_lines(self, lines: impl TypedLines + 'static) -> Self {
        Self { lines: Arc::new(lines), ..self }
    }

    /// Returns the screen that shows the questions.
    pub fn screen(&self) -> &Mutex<Screen> {
        &self.screen
    }

    /// Returns whether a person is there to ask.
    pub fn can_ask(&self) -> bool {
        self.lines.can_ask()
    }

    /// Shows the text of a question and returns the person's typed answer. If this is dropped
    /// before, the question is taken back.
    ///
    /// # Errors
    ///
    /// Fails if earlier input cannot be discarded.
    pub async fn ask(&self, text: &str) -> io::Result<String> {
        let (waited_for, waits) = io::pipe()?;
        // Input that was typed before the question does not answer it.
        self.lines.forget()?;
        let asked = ShownPrompt::new(&self.screen, text, waits);
        let lines = Arc::clone(&self.lines);
        // Reading blocks until the person answers, so it must not block the run's thread.
        let typed = tokio::task::spawn_blocking(move || lines.line(&waited_for)).await;
        let typed = typed.ok().and_then(Result::ok).flatten().unwrap_or_default();
        asked.answered(&typed);
        Ok(typed)
    }
}

impl fmt::Debug for LineDesk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LineDesk").finish_non_exhaustive()
    }
}

/// A question on the screen, which is taken back if it is dropped before it is answered.
struct ShownPrompt<'a> {
    screen: &'a Mutex<Screen>,
    /// A pipe that is open while the call waits for the answer.
    _waits: PipeWriter,
}

impl<'a> ShownPrompt<'a> {
    fn new(screen: &'a Mutex<Screen>, text: &str, waits: PipeWriter) -> Self {
        lock(screen).ask(text);
        Self { screen, _waits: waits }
    }

    fn answered(self, typed: &str) {
        lock(self.screen).go_on(typed.ends_with('\n'));
    }
}

impl Drop for ShownPrompt<'_> {
    fn drop(&mut self) {
        lock(self.screen).take_question_back();
    }
}
