//! The id of a response, which says where in a log its run is.

use std::fmt;

use silcrow_event::{ApprovalState, Entry, Event};
use silcrow_front::{OpenAiError, OpenAiErrorKind, RunEnd};

use crate::error::Error;
use crate::live_run::LiveRun;
use crate::server::Server;
use crate::source::RunPlace;

/// The id of a response: `resp_`, the position after which its run begins, and its conversation.
pub(super) struct ResponseId {
    pub(super) after: u64,
    pub(super) conversation: String,
}

/// The part of a log that a response is of.
pub(super) struct ResponsePart {
    pub(super) before: Vec<Entry>,
    pub(super) entries: Vec<Entry>,
    /// The end, unless the run is at work, here or in another process.
    pub(super) end: Option<RunEnd>,
    /// Whether nothing follows it.
    pub(super) is_last: bool,
}

impl ResponseId {
    pub(super) fn of(run: &LiveRun) -> Self {
        Self { after: run.began_after, conversation: run.place.conversation.clone() }
    }

    pub(super) fn parse(id: &str) -> Result<Self, OpenAiError> {
        let parts = id.strip_prefix("resp_").and_then(|rest| rest.split_once('_'));
        let parsed =
            parts.and_then(|(after, conversation)| Some((after.parse().ok()?, conversation)));
        let Some((after, conversation)) = parsed else {
            let why = format!("There is no response `{id}`.");
            return Err(OpenAiError::new(OpenAiErrorKind::NotFound, why));
        };
        Ok(Self { after, conversation: conversation.to_owned() })
    }

    /// Reads what the run at work has stored so far.
    pub(super) async fn begun_part(
        &self,
        server: &Server,
        place: &RunPlace,
    ) -> Result<ResponsePart, Error> {
        Ok(ResponsePart { end: None, ..self.part(server, place).await? })
    }

    /// Reads the part of a run that is not at work here.
    pub(super) async fn part(
        &self,
        server: &Server,
        place: &RunPlace,
    ) -> Result<ResponsePart, Error> {
        let open = server.open_questions(place).await?;
        let head = server.store.head(&self.conversation).await?;
        let mut before = match head {
            0 => Vec::new(),
            _ => server.store.read(&self.conversation, 1..=head).await?,
        };
        let is_before = |entry: &Entry| entry.seq.is_some_and(|seq| seq <= self.after);
        let mut entries = before.split_off(before.partition_point(is_before));
        let next = entries.iter().skip(1).position(begins_run).map(|at| at + 1);
        let is_answered = next.is_some_and(|at| matches!(entries[at].event, Event::Approval(_)));
        entries.truncate(next.unwrap_or(entries.len()));
        let is_last = next.is_none();
        let has = |wanted: fn(&Event) -> bool| entries.iter().any(|entry| wanted(&entry.event));
        let end = if is_answered || is_last && !open.is_empty() {
            Some(RunEnd::Waiting)
        } else if has(|event| matches!(event, Event::Cancelled { .. })) {
            Some(RunEnd::Stopped)
        } else if !is_last
            || has(|event| matches!(event, Event::Respond(text) if text.last))
            || server.store.shared_runs().holder(&self.conversation).await?.is_none()
        {
            Some(RunEnd::Answered)
        } else {
            None
        };
        // Answers continue what waits.
        let is_last = is_last || is_answered;
        Ok(ResponsePart { before, entries, end, is_last })
    }
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resp_{}_{}", self.after, self.conversation)
    }
}

/// Returns whether another run begins with an entry: one for a prompt or after answers.
fn begins_run(entry: &Entry) -> bool {
    match &entry.event {
        Event::User { steer, .. } => !steer,
        Event::Approval(answer) => answer.state != ApprovalState::Asked,
        _ => false,
    }
}
