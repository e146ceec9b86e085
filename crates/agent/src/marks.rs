//! The marks of the calls that were started (P-28), in values beside the log of a conversation.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Event, error_chain};
use silcrow_exec::Journal;
use silcrow_plan::CallUndo;
use silcrow_store::{Error, ErrorKind, Store};
use silcrow_tool::ToolError;

use crate::log::Log;
use crate::names::fitting;

impl Log<'_> {
    /// Returns the journal that marks which calls of a turn were started.
    pub(crate) fn marks(&self, store: Arc<dyn Store>, turn: u32) -> StartMarks {
        StartMarks { store, space: space(self.conversation()), turn }
    }

    /// Returns the fate of a call of an earlier run, without claiming it; `None` if it may still
    /// start.
    pub(crate) async fn fate(&self, turn: u32, id: &str) -> Result<Option<CallClaim>, Error> {
        let mark = self.store().get(&space(self.conversation()), &mark(turn, id)).await?;
        Ok(mark.map(|found| match found.value == CLAIM {
            true => CallClaim::NotStarted,
            false => CallClaim::Started,
        }))
    }

    /// Returns how a call of a transaction is taken back; `None` if it was not started, or if nothing has
    /// to.
    pub(crate) async fn undo_mark(&self, turn: u32, id: &str) -> Result<Option<CallUndo>, Error> {
        let mark = self.store().get(&space(self.conversation()), &mark(turn, id)).await?;
        Ok(mark.and_then(|found| CallUndo::parse(str::from_utf8(&found.value).ok()?)))
    }

    /// Returns the ids of the calls in transactions of a turn that were not started.
    pub(crate) async fn unstarted(&self, turn: u32) -> Result<BTreeSet<String>, Error> {
        let mut unstarted = BTreeSet::new();
        for entry in self.entries().iter().filter(|entry| entry.turn == Some(turn)) {
            let Event::Call(call) = &entry.event else { continue };
            let is_in_transaction = call.action().is_some_and(|it| !it.transactions.is_empty());
            if is_in_transaction && self.fate(turn, call.id()).await? != Some(CallClaim::Started) {
                unstarted.insert(call.id().to_owned());
            }
        }
        Ok(unstarted)
    }

    /// Returns whether a call of an earlier run may have been started. One that was not is claimed:
    /// from here on it cannot start, even if the run that wrote it still lives.
    pub(crate) async fn claim(&self, turn: u32, id: &str) -> Result<CallClaim, Error> {
        let (space, key) = (space(self.conversation()), mark(turn, id));
        match self.store().put(&space, &key, 0, CLAIM.to_vec()).await {
            Ok(_) => return Ok(CallClaim::NotStarted),
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
        Ok(self.fate(turn, id).await?.unwrap_or(CallClaim::Started))
    }
}

/// The fate of a call that an earlier run left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallClaim {
    /// It was not started, and never will be.
    NotStarted,
    /// It may have run.
    Started,
}

/// The value of the mark of a call that was claimed before it started. The mark of a call that was
/// started is empty, or says how the call is taken back.
const CLAIM: &[u8] = b"not started";

/// Marks in values beside the log which calls were started (P-28).
pub(crate) struct StartMarks {
    store: Arc<dyn Store>,
    space: String,
    turn: u32,
}

impl Journal for StartMarks {
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        self.write(id, Vec::new())
    }

    fn starting_in_transaction<'a>(
        &'a self,
        id: &'a str,
        undo: &'a CallUndo,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        self.write(id, undo.to_json().into_bytes())
    }
}

impl StartMarks {
    fn write<'a>(&'a self, id: &'a str, value: Vec<u8>) -> BoxFuture<'a, Result<(), ToolError>> {
        async move {
            let key = mark(self.turn, id);
            let Err(error) = self.store.put(&self.space, &key, 0, value).await else {
                return Ok(());
            };
            if error.kind() == ErrorKind::Conflict
                && let Ok(Some(mark)) = self.store.get(&self.space, &key).await
                && mark.value != CLAIM
            {
                let why = "interrupted: another run of this conversation has started the call, and \
                           its outcome is unknown; it was not run again";
                return Err(ToolError::new(why));
            }
            Err(ToolError::new(format!("not started: {}", error_chain(&error))))
        }
        .boxed()
    }
}

fn space(conversation: &str) -> String {
    format!("started/{conversation}")
}

fn mark(turn: u32, id: &str) -> String {
    fitting(format!("{turn}/{id}"))
}
