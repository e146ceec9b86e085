//! The last thought of a model, which a person opens after it was shown in short.

use silcrow_term::{Line, Style};

use super::LiveScreen;
use super::section::{OpenText, ShownSection};
use super::thought::{ThoughtLook, whole};
use crate::options::Thoughts;

impl LiveScreen {
    /// Shows the last thought, whole.
    ///
    /// ```
    /// use std::io;
    ///
    /// use silcrow_console::live::{LiveScreen, LiveTerminal, TerminalSize};
    /// use silcrow_console::options::ConsoleOptions;
    /// use silcrow_event::{Event, LogPosition, RunEventRef, TextFragment, TextKind};
    ///
    /// let (read, shown) = io::pipe()?;
    /// let terminal = LiveTerminal::new(shown, || TerminalSize { columns: 80, rows: 24 });
    /// let mut screen = LiveScreen::new("a-model", terminal, &ConsoleOptions::new());
    /// let text = "It is a sum.\nThe digits are small.";
    /// let thought = TextFragment { kind: TextKind::Think, part: 1, id: None, text };
    /// screen.show(RunEventRef::Text(thought, LogPosition::default()));
    /// // A thought that has ended is one line, until the person opens it.
    /// screen.show(RunEventRef::Entry(&Event::End.into()));
    /// screen.open_thought();
    /// screen.finish()?;
    /// drop(screen);
    /// let shown = io::read_to_string(read)?;
    /// assert!(shown.contains("thought for") && shown.contains("The digits are small."));
    /// # io::Result::Ok(())
    /// ```
    pub fn open_thought(&mut self) {
        let text = match &self.open {
            Some(ShownSection { text: OpenText::Thought(_), .. }) => return,
            _ => self.last_thought.clone(),
        };
        let columns = self.columns();
        let look = ThoughtLook { signs: &self.signs, columns, thoughts: Thoughts::Full };
        let lines = match text.trim() {
            "" => vec![Line::styled("no thought yet", Style::PLAIN.dim())],
            text => whole(text, &look, true),
        };
        self.push_done(&lines);
    }

    /// Sets how thoughts are shown from now on.
    pub fn set_thoughts(&mut self, thoughts: Thoughts) {
        self.thoughts = thoughts;
    }
}
