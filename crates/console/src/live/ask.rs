//! A question on a live screen: it is shown, shown again, and answered.

use crossterm::event::{KeyCode, KeyEvent};
use silcrow_term::{Line, Style, TextRole};

use super::Suspended;
use super::done_line::DoneLine;
use super::live_question::LiveQuestion;
use super::question::{QuestionStep, ShownQuestion};
use super::{KeyEffect, LiveScreen};

impl LiveScreen {
    /// Shows a question until it is answered or taken back.
    pub fn ask(&mut self, question: LiveQuestion) {
        self.close();
        let rows = self.size.rows;
        let plan = self.plan_rows(question.plan.as_deref());
        let shown = ShownQuestion::new(question, plan, rows);
        self.draw_now();
        self.done.extend(shown.text(rows).into_iter().map(DoneLine::Written));
        self.draw_now();
        self.question = Some(shown);
        self.draw_now();
        self.call_at_question();
    }

    /// Shows the question again, after something else has been on the screen.
    pub fn return_from(&mut self, _suspended: Suspended) {
        self.show_again();
    }

    /// Shows the question again on a screen that something else has changed.
    pub(super) fn show_again(&mut self) {
        self.area.forget();
        if let Some(question) = self.question.take() {
            let held = std::mem::take(&mut self.done);
            let text = question.text(self.size.rows);
            self.done.extend(text.into_iter().map(DoneLine::Written));
            self.draw_now();
            self.done = held;
            self.question = Some(question);
        }
        self.draw_now();
    }

    /// Returns whether the person has begun to type something.
    pub fn is_typing(&self) -> bool {
        self.question.is_some() || !self.draft.is_empty()
    }

    /// Removes and returns the text that the person has begun to type.
    pub fn take_draft(&mut self) -> String {
        self.draft.take()
    }

    /// Returns whether a question waits for an answer.
    pub const fn is_asking(&self) -> bool {
        self.question.is_some()
    }

    /// Takes a key for the question or for the typed text.
    pub fn key(&mut self, key: KeyEvent) -> KeyEffect {
        if self.question.is_none() {
            if key.code == KeyCode::Esc && self.draft.is_empty() {
                return KeyEffect::Stop;
            }
            match key.code {
                KeyCode::Tab => self.queue(),
                KeyCode::Up if self.draft.is_empty() && self.unqueue() => {}
                _ => return self.draft.key(key).map_or(KeyEffect::None, KeyEffect::Send),
            }
            return KeyEffect::None;
        }
        let columns = self.columns();
        let explained = self.question.as_ref().map(|question| question.explanation(columns));
        match ShownQuestion::key(&mut self.question, key) {
            QuestionStep::Answered(said) => {
                let line = Line::styled(self.signs.prompt, Style::new(TextRole::Accent));
                let line = line.with_text(&format!(" {said}"), Style::PLAIN.bold());
                self.done.insert(0, DoneLine::Row(line));
                self.call_after_question();
            }
            QuestionStep::Stopped => return KeyEffect::Stop,
            QuestionStep::Explain => {
                let rows = self.question.as_mut().map(ShownQuestion::show_all);
                let rows = rows.into_iter().flatten().map(DoneLine::Written);
                let explained = explained.into_iter().flatten().map(DoneLine::Row);
                self.show_above(rows.chain(explained).collect());
            }
            QuestionStep::Unseen => {
                let text = "Not all rows were shown: ? shows them, and Y says yes without them.";
                let line = Line::styled(text, Style::new(TextRole::Warning));
                let rows = line.wrap(columns, 0);
                self.show_above(rows.into_iter().map(DoneLine::Row).collect());
            }
            QuestionStep::Waits => {}
        }
        KeyEffect::None
    }

    /// Shows rows above a question that waits.
    fn show_above(&mut self, rows: Vec<DoneLine>) {
        let question = self.question.take();
        let held = std::mem::replace(&mut self.done, rows);
        self.draw_now();
        self.done = held;
        self.question = question;
    }

    /// Takes a text that was pasted.
    pub fn paste(&mut self, text: &str) {
        match &mut self.question {
            Some(question) => question.paste(text),
            None => self.draft.paste(text),
        }
    }
}
