//! Histories that clients send again.

use proptest::prelude::*;
use silcrow_front::{HistoryMatch, match_history};

const LOG: [(u64, &str); 3] = [(1, "a"), (4, "b"), (9, "c")];

#[test]
fn a_prompt_continues_forks_or_begins() {
    let cases: [(&[&str], HistoryMatch); 8] = [
        (&["a", "b", "c", "d"], HistoryMatch::Continue { from: 3 }),
        (&["a ", "\nb", "c", "d"], HistoryMatch::Continue { from: 3 }),
        // The client has a prompt that never reached the log.
        (&["a", "b", "c", "x", "d"], HistoryMatch::Continue { from: 3 }),
        // Another answer to the last prompt, or to one before it.
        (&["a", "b", "c"], HistoryMatch::Fork { before: 9, from: 2 }),
        (&["a", "b"], HistoryMatch::Fork { before: 4, from: 1 }),
        (&["a", "x"], HistoryMatch::Fork { before: 4, from: 1 }),
        // An edited prompt within the history.
        (&["a", "x", "c", "d"], HistoryMatch::Fork { before: 4, from: 1 }),
        (&["x", "b", "c", "d"], HistoryMatch::New),
    ];
    for (sent, expected) in cases {
        assert_eq!(match_history(&LOG, sent), expected, "{sent:?}");
    }
    for (log, sent) in [(&LOG[..], &[][..]), (&LOG, &["a"]), (&[], &["a"]), (&[], &["a", "b"])] {
        assert_eq!(match_history(log, sent), HistoryMatch::New, "{sent:?}");
    }
}

proptest! {
    /// After a match, the conversation has the same history as the client.
    #[test]
    fn a_match_gives_the_history_of_the_client(
        log in prop::collection::vec("[ab]", 0..5),
        sent in prop::collection::vec("[ab]", 1..5),
    ) {
        let log: Vec<_> = (0..).step_by(3).zip(log.iter().map(String::as_str)).collect();
        let sent: Vec<_> = sent.iter().map(String::as_str).collect();
        let (kept, from) = match match_history(&log, &sent) {
            HistoryMatch::Continue { from } => (log.len(), from),
            HistoryMatch::Fork { before, from } => {
                (log.iter().filter(|(seq, _)| *seq < before).count(), from)
            }
            HistoryMatch::New => (0, 0),
        };
        let mut history: Vec<_> = log[..kept].iter().map(|(_, text)| *text).collect();
        history.extend(&sent[from..]);
        prop_assert_eq!(history, sent.clone());
        prop_assert!(from < sent.len());
    }
}
