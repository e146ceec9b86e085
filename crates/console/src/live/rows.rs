//! The rows at the bottom of a live screen, which change.

use silcrow_term::Line;

use super::LiveScreen;
use super::section::{OpenText, ShownSection};
use super::status::{StatusRest, WaitReason};
use super::thought::ThoughtLook;
use crate::options::Detail;

impl LiveScreen {
    /// Returns the rows that change.
    pub(super) fn rows(&mut self) -> Vec<Line> {
        if self.is_over {
            return self.typed.as_ref().map_or_else(Vec::new, |typed| typed.rows.clone());
        }
        let columns = self.columns();
        let look = ThoughtLook { signs: &self.signs, columns, thoughts: self.thoughts };
        let mut rows = match &mut self.open {
            Some(ShownSection { text: OpenText::Thought(thought), .. }) => thought.rows(&look),
            Some(ShownSection { text: OpenText::Answer(answer), .. }) => answer.rows(),
            _ => Vec::new(),
        };
        let hidden = rows.len().saturating_sub(MOST_OPEN);
        rows.drain(..hidden);
        let after = self.after_answer.len().saturating_sub(MOST_OPEN);
        rows.extend_from_slice(&self.after_answer[after..]);
        if self.detail > Detail::Quiet {
            let look = self.call_look(0);
            rows.extend(self.calls.lines(&look));
            rows.extend(self.todo.rows(&self.signs, columns));
            let waits = match (&self.question, self.calls.is_empty()) {
                (Some(_), _) => WaitReason::Person,
                (None, false) => WaitReason::Calls,
                (None, true) => WaitReason::Model,
            };
            let pause = self.pauses.as_ref().and_then(|pause| pause());
            let (todo, agents) = (self.todo.summary(), self.calls.agents());
            rows.push(self.status.line(StatusRest { waits, pause, todo, agents }, &self.signs));
        }
        match &self.question {
            Some(question) => rows.extend(question.rows(&self.signs, columns)),
            None => {
                rows.extend(self.queued_rows(columns));
                rows.extend(self.draft.row(&self.signs, columns));
            }
        }
        rows
    }
}

/// The number of rows of a section that is being written.
const MOST_OPEN: usize = 12;
