//! The context that agents have by default: the whole log, in every request.
//!
//! It knows where each text of the input goes, and it counts no tokens.

use silcrow_event::{Entry, Message, Role};
use silcrow_parser::{Dialect, Options};

use crate::assembler::{ContextAssembler, GrowingContext};
use crate::input::ContextInput;
use crate::transcript::CONTINUE;
use crate::turns::{ClosedTurns, OpenTurn};

/// A context with the whole log.
///
/// The system message has the stable text and then the text of the run, so a change of the latter
/// leaves the bytes of the former as they are. The examples follow, as if they had been said before
/// the log. The notice is a part of the last message. If the log
/// ends with the model's own words, a line asks the model to continue. The limits of the model
/// change nothing: the provider rejects a request that is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct FullHistory;

impl ContextAssembler for FullHistory {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        GrowingHistory::new(input.dialect, input.examples, input.data_marks).assemble(input)
    }

    /// Returns a context that reads each turn of the log once. A request takes the time of a copy of
    /// its messages.
    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        Box::new(GrowingHistory::new(Dialect::Sigil.into(), &[], false))
    }
}

/// The examples, and the whole log as far as it was read, without the turn that was open at the end.
struct GrowingHistory {
    closed: ClosedTurns,
    /// The examples that were read.
    examples: Vec<Entry>,
    /// The number of entries before the open turn.
    read: usize,
}

impl GrowingHistory {
    fn new(dialect: Options, examples: &[Entry], data_marks: bool) -> Self {
        let closed = ClosedTurns::after(examples, dialect, data_marks);
        Self { closed, examples: examples.to_vec(), read: 0 }
    }
}

impl GrowingContext for GrowingHistory {
    fn assemble(&mut self, input: &ContextInput<'_>) -> Vec<Message> {
        if input.dialect != self.closed.options()
            || input.examples != self.examples
            || input.data_marks != self.closed.data_marks()
            || input.entries.len() < self.read
        {
            *self = Self::new(input.dialect, input.examples, input.data_marks);
        }
        let mut open = OpenTurn::default();
        for entry in &input.entries[self.read..] {
            self.closed.push(entry.into(), &mut open);
        }
        self.read = input.entries.len() - open.events();
        let mut talk = self.closed.with_open(open);
        if let Some(notice) = input.notice {
            talk.notice(notice);
        } else if talk.messages().last().is_some_and(|last| last.role == Role::Assistant) {
            talk.notice(CONTINUE);
        }
        std::iter::once(system(input)).chain(talk.into_messages()).collect()
    }
}

fn system(input: &ContextInput<'_>) -> Message {
    let run_text = input.run_text.map(str::trim).filter(|text| !text.is_empty());
    let mut text = input.system.to_owned();
    if let Some(run_text) = run_text {
        text.push_str(RUN);
        text.push_str(run_text);
        text.push('\n');
    }
    Message::new(Role::System, text)
}

/// The heading of the text of a run.
const RUN: &str = "\n## This run\n\n";

#[cfg(test)]
mod tests;
