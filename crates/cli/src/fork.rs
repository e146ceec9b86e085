//! Forks of stored conversations, by `silcrow log fork` and `silcrow run --fork`.
//!
//! This module knows how a person names a point in a conversation. The library makes the fork.

use std::io::{self, Write as _};

use silcrow_agent::{Agent, Error, ErrorKind, begin_fork};
use silcrow_console::plural::count;
use silcrow_console::printer::write_json;
use silcrow_event::{Json, error_chain};
use silcrow_exec::Scope;
use silcrow_history::{ErrorKind as HistoryErrorKind, ForkPoint};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{Fork, Store};

use crate::conversation::failure;
use crate::failure::{Failure, written};
use crate::places::{self, StorePlace, new_conversation};

/// A point in a conversation as a person names it: `ID`, for its end, or `ID@SEQ`.
pub(crate) struct ForkName(String);

impl ForkName {
    pub(crate) fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Begins the conversation of the scope, as a fork, for the user of the agent.
    pub(crate) async fn begin(
        &self,
        agent: &Agent,
        store: &dyn Store,
        scope: Scope,
    ) -> Result<(), Failure> {
        let ForkPoint { conversation, at, .. } = self.resolve(store).await?;
        let forked = agent.fork(&conversation, at, scope).await;
        forked.map(drop).map_err(|error| failed(&error))
    }

    async fn resolve(&self, store: &dyn Store) -> Result<ForkPoint, Failure> {
        let name = &*self.0;
        ForkPoint::named(store, name).await.map_err(|error| {
            match (error.kind(), name.rsplit_once('@')) {
                (HistoryErrorKind::Ambiguous, Some((id, seq)))
                    if error.conversation() == Some(id) =>
                {
                    Failure::given(format!(
                        "{error}; use silcrow log fork {id} --at {seq}, or silcrow log fork {name}"
                    ))
                }
                _ => no_point(&error),
            }
        })
    }
}

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
    begin_fork(fork, store, spill, &to).await.map_err(|error| failed(&error))?;
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

fn failed(error: &Error) -> Failure {
    let message = error_chain(error);
    let failure = match error.kind() {
        ErrorKind::Refused => Failure::given(message),
        _ => Failure::running(message),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}
