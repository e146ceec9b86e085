//! The last thought of a model, which a person opens after it was shown in short.

use silcrow_term::{Line, Style};

use super::LiveScreen;
use super::section::{OpenText, ShownSection};
use super::thought::{ThoughtLook, whole};
use crate::options::Thoughts;

impl LiveScreen {
    /// Shows the last thought, whole.
    pub fn open_thought(&mut self) {
        let text = match &self.open {
            Some(ShownSection { text: OpenText::Thought(_), .. }) => return,
            _ => self.last_thought.clone(),
        };
        let columns = self.columns();
        let look = ThoughtLook { signs: &self.signs, columns, thoughts: Thoughts::Full };
        let lines = match text.trim() {
            "" => vec![Line::styled("there is no thought yet", Style::PLAIN.dim())],
            text => whole(text, &look, true),
        };
        self.push_done(&lines);
    }

    /// Sets how thoughts are shown from now on.
    pub fn set_thoughts(&mut self, thoughts: Thoughts) {
        self.thoughts = thoughts;
    }
}
