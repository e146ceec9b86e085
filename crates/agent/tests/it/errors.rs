//! The errors of runs: whether another run may help, and the report.

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, Error};
use silcrow_event::Event;
use silcrow_provider::ScriptedModel;
use silcrow_store::{Error as StoreError, ErrorKind, MemoryStore};

#[test]
fn store_errors_keep_their_retryability() {
    use ErrorKind::{
        Conflict, Damaged, Format, Io, Locked, Refused as Rejected, Unavailable, Untrusted,
    };
    for kind in [Conflict, Rejected, Locked, Format, Untrusted, Damaged, Unavailable, Io] {
        let error = StoreError::new(kind, "no");
        let expected = error.is_retryable();
        let error = Error::from(error);
        assert_eq!(error.is_retryable(), expected, "{kind}");
        let Event::Error(event) = error.to_event() else { panic!("{kind} is no error event") };
        assert_eq!(event.retry, expected, "{kind}");
    }
}

#[test]
#[should_panic(expected = "Tokio 1.x runtime")]
fn a_question_outside_a_runtime_panics() {
    let model = ScriptedModel::parse("§respond: one\n§end", 3);
    drop(Agent::new(model, MemoryStore::new()).ask("go").now_or_never());
}
