//! The history that a client without its own memory sends again with each prompt.

/// The place of a new prompt in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a prompt continues, forks or begins a conversation")]
pub enum HistoryMatch {
    /// The prompt continues the conversation.
    Continue {
        /// The index of the first message that the log does not have.
        from: usize,
    },
    /// The person has edited a message, or asks for another answer.
    Fork {
        /// The position in the log of the message that is replaced, before which the fork begins.
        before: u64,
        /// The index of the first message that the fork does not have.
        from: usize,
    },
    /// The conversation does not begin as the log does.
    New,
}

/// Compares the messages that a client sends with the log's messages and their positions, leaving
/// out messages that steered a run. White space around a message does not count.
///
/// ```
/// use silcrow_front::{HistoryMatch, match_history};
///
/// let log = [(1, "2 + 2?"), (4, "And 3 + 3?")];
/// let sent = ["2 + 2?", "And 3 + 3?", "Why?"];
/// assert_eq!(match_history(&log, &sent), HistoryMatch::Continue { from: 2 });
/// assert_eq!(match_history(&log, &sent[..2]), HistoryMatch::Fork { before: 4, from: 1 });
/// assert_eq!(match_history(&log, &["Hello."]), HistoryMatch::New);
/// ```
pub fn match_history(log: &[(u64, &str)], sent: &[&str]) -> HistoryMatch {
    // The last message is the prompt, which is new even if the log has the same one.
    let earlier = &sent[..sent.len().saturating_sub(1)];
    let same = log.iter().zip(earlier).take_while(|((_, kept), sent)| kept.trim() == sent.trim());
    match (same.count(), log) {
        (0, _) => HistoryMatch::New,
        (from, log) if from == log.len() => HistoryMatch::Continue { from },
        (from, log) => HistoryMatch::Fork { before: log[from].0, from },
    }
}
