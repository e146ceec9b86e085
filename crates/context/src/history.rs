//! The context that agents have by default: the whole log, in every request.
//!
//! It knows where each text of the input goes, and it counts no tokens.

use silcrow_event::{Message, Role};

use crate::assemble::{assemble, assemble_with_notice};
use crate::assembler::{ContextAssembler, ContextInput};
use crate::transcript::CONTINUE;

/// A context with the whole log.
///
/// The system message has the stable text and then the text of the run, so a change of the latter
/// leaves the bytes of the former as they are. The notice is a part of the last message. If the log
/// ends with the model's own words, a line asks the model to continue. The limits of the model
/// change nothing: the provider rejects a request that is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct FullHistory;

impl ContextAssembler for FullHistory {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let (entries, dialect) = (input.entries, input.dialect);
        let history = match input.notice {
            Some(notice) => assemble_with_notice(entries, dialect, notice),
            None => assemble(entries, dialect),
        };
        let history = match history.last() {
            Some(last) if last.role == Role::Assistant => {
                assemble_with_notice(entries, dialect, CONTINUE)
            }
            _ => history,
        };
        std::iter::once(system(input)).chain(history).collect()
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
