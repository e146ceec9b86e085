//! The widths of a yes that covers later calls, from which a person chooses one.

use silcrow_term::{Line, Style, TextRole};

use super::question_reply::QuestionReply;

/// A yes that also covers later calls.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "who asks writes all of it")]
pub struct AlwaysChoice {
    /// The calls that the yes reaches.
    pub width: AlwaysWidth,
    /// The calls that it covers, in words that are safe to show.
    pub words: String,
    /// The answer that this choice gives.
    pub reply: QuestionReply,
}

/// The reach of a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each width has its words and its key")]
pub enum AlwaysWidth {
    /// The scope of the call.
    Same,
    /// A wider scope, the narrowest first.
    Wider,
    /// This folder, also in later conversations.
    Folder,
}

/// The choices of a question, narrowest first.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it is a list")]
pub struct AlwaysChoices(pub Vec<AlwaysChoice>);

impl AlwaysChoices {
    /// Returns whether it is empty.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the only choice, which nobody has to choose.
    pub(super) fn only(&self) -> Option<&AlwaysChoice> {
        match &*self.0 {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the choice that a key stands for.
    pub(super) fn chosen(&self, key: char) -> Option<&AlwaysChoice> {
        self.keyed().find(|(own, _)| *own == key.to_ascii_lowercase()).map(|(_, choice)| choice)
    }

    /// Returns the rows from which one is chosen.
    pub(super) fn rows(&self, columns: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for (key, AlwaysChoice { width, words, .. }) in self.keyed() {
            let reach = match width {
                AlwaysWidth::Same => "until this conversation ends: ",
                AlwaysWidth::Wider => "the same for ",
                AlwaysWidth::Folder => "in this folder from now on: ",
            };
            let line = Line::styled(&key.to_string(), Style::new(TextRole::Accent).bold());
            let line = line.with_text(&format!(" {reach}"), Style::PLAIN.dim());
            rows.extend(line.with_text(words, Style::PLAIN).wrap(columns, 4));
        }
        let keys = Line::styled("Esc", Style::new(TextRole::Accent).bold());
        rows.extend(keys.with_text(" goes back", Style::PLAIN).wrap(columns, 0));
        rows
    }

    /// Returns the choices with their keys: numbers, and a letter for the folder.
    fn keyed(&self) -> impl Iterator<Item = (char, &AlwaysChoice)> {
        self.0.iter().zip('1'..).map(|(choice, number)| match choice.width {
            AlwaysWidth::Folder => ('f', choice),
            _ => (number, choice),
        })
    }
}
