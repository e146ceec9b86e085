//! Tests of the entries that a growing history reads again, which its messages do not show.

use silcrow_event::{Call, CallResult, Entry, Event};
use silcrow_parser::Dialect;

use super::GrowingHistory;
use crate::{ContextAssembler as _, ContextInput, FullHistory, GrowingContext as _};

/// Every step adds a thought, a call and its result. A request reads them and the open turn before
/// them, however long the log is.
#[test]
fn request_reads_only_open_turn_and_news() {
    let mut log = vec![Entry::from(Event::user("go"))];
    let mut growing = GrowingHistory::new(&ContextInput::new(&[], Dialect::Sigil));
    for step in 1..=1_000 {
        let id = format!("a{step}");
        let new = [
            Event::think("next"),
            Event::Call(Call::parse(&*id, r#"{"name": "line", "args": {}}"#).unwrap()),
            Event::Result(CallResult::success(id, "line", "", "text")),
        ];
        log.extend(new.map(|event| Entry { turn: Some(step), ..event.into() }));
        let reads = log.len() - growing.read;
        assert!(reads <= 6, "step {step} reads {reads} entries");
        let input = ContextInput::new(&log, Dialect::Sigil);
        let messages = growing.assemble(&input);
        assert_eq!(messages.len(), 2 + 2 * step as usize);
        if step % 100 == 0 {
            assert_eq!(messages, FullHistory.assemble(&input));
        }
    }
}
