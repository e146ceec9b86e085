//! Forks of stored conversations, by `silcrow log fork`.

use std::io::{self, Write as _};

use silcrow_agent::begin_fork;
use silcrow_console::plural::count;
use silcrow_console::printer::write_json;
use silcrow_event::Json;
use silcrow_history::{ErrorKind as HistoryErrorKind, ForkPoint};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{Fork, Store};

use crate::conversation::failure;
use crate::failure::{Failure, written};
use crate::places::{self, StorePlace, new_conversation};

/// Returns the failure for a point that does not exist, with the command that shows which ones do.
fn no_point(error: &silcrow_history::Error) -> Failure {
    match (error.kind(), error.conversation()) {
        (HistoryErrorKind::NoEvent, Some(id)) => {
            Failure::given(format!("{error}, which silcrow log show {id} shows"))
        }
        _ => failure(error),
    }
}

/// Begins a conversation as a fork and prints its id.
pub(crate) async fn fork(
    store: &dyn Store,
    place: &StorePlace,
    (conversation, at): (&str, Option<u64>),
    named: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let point = ForkPoint::find(store, conversation, at).await;
    let ForkPoint { conversation, at, .. } = point.map_err(|error| no_point(&error))?;
    let to = named.map_or_else(new_conversation, str::to_owned);
    let fork = Fork::read(store, &conversation, at).await;
    let fork = fork.map_err(|error| places::failure(&error))?;
    let (events, unanswered) = (fork.copied(), fork.unanswered());
    let spills = place.spills();
    let spill = spills.as_ref().map(|spills| spills as _);
    begin_fork(fork, store, spill, &to).await.map_err(silcrow_session::Error::from)?;
    let mut out = io::stdout();
    if json {
        let line = format!(
            "{{\"conversation\":{},\"forked_from\":{{\"conversation\":{},\"seq\":{at}}},\
             \"events\":{events},\"unanswered\":{unanswered}}}",
            Json::string(&to),
            Json::string(&conversation),
        );
        return written(write_json(&mut out, &line));
    }
    if unanswered > 0 {
        let calls = count(unanswered as u64, "call");
        // If stderr is closed, the remark is lost.
        let _ = writeln!(
            io::stderr(),
            "silcrow: {calls} without a result at event {at}: the fork says that the outcome is \
             unknown, and runs nothing of it"
        );
    }
    written(writeln!(out, "{}", sanitize_line(&to)))
}
