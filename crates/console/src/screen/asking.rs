//! A question to a person in the middle of a run, and the output that waits for the answer.

use silcrow_event::{Entry, RunEventRef, TextFragment, TextKind};

use super::Screen;

/// Output that was held back while a person was asked.
pub(super) enum HeldOutput {
    Text(String, TextKind, u32, Option<u32>),
    Event(Box<Entry>),
}

impl Screen {
    /// Shows a question, and holds all output back until it is answered.
    pub fn ask(&mut self, text: &str) {
        self.end_lines();
        self.show_delayed();
        if self.answer.break_line() {
            self.say("\n");
        }
        self.say(text);
        self.asking = true;
    }

    /// Continues after an answer. `line_ended` says whether the person ended the line.
    pub fn go_on(&mut self, line_ended: bool) {
        // The question may have been taken back meanwhile.
        if std::mem::take(&mut self.asking) {
            self.fresh = line_ended;
            self.end_lines();
            self.show_held();
        }
    }

    /// Takes an unanswered question back and continues.
    pub fn take_question_back(&mut self) {
        if std::mem::take(&mut self.asking) {
            self.say("\nthe question was taken back\n");
            self.show_held();
        }
    }

    /// Keeps output until the question is answered.
    pub(super) fn hold(&mut self, output: RunEventRef<'_>) {
        match output {
            RunEventRef::Text(text, place) if self.tokens => {
                let TextFragment { kind, part, text, .. } = text;
                self.held.push(HeldOutput::Text(text.to_owned(), kind, part, place.turn));
            }
            RunEventRef::Entry(entry) => self.held.push(HeldOutput::Event(Box::new(entry.clone()))),
            _ => {}
        }
    }

    fn show_held(&mut self) {
        for held in std::mem::take(&mut self.held) {
            match held {
                HeldOutput::Text(text, kind, part, turn) => {
                    self.text(TextFragment { kind, part, id: None, text: &text }, turn);
                }
                HeldOutput::Event(entry) => self.event(&entry),
            }
        }
    }
}
