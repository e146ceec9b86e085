//! The id of a response, which says where in a log its run is.

use std::fmt;
use std::time::{Duration, SystemTime};

use silcrow_event::{ApprovalState, Entry, Event, Timestamp};
use silcrow_front::{OpenAiError, OpenAiErrorKind, RunEnd};

use crate::error::{Error, ErrorKind};
use crate::live_run::LiveRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::stored_end::{is_parked, stored_end};
use crate::takeover::Whose;

/// The id of a response: `resp_`, the position after which its run begins, and its conversation.
pub(super) struct ResponseId {
    pub(super) after: u64,
    pub(super) conversation: String,
}

/// The part of a log that a response is of.
pub(super) struct ResponsePart {
    pub(super) before: Vec<Entry>,
    pub(super) entries: Vec<Entry>,
    /// The end, unless the run is at work.
    pub(super) end: Option<RunEnd>,
    /// Whether nothing follows it.
    pub(super) is_last: bool,
}

impl ResponseId {
    pub(super) fn for_run(run: &LiveRun) -> Self {
        Self { after: run.began_after, conversation: run.place.conversation.clone() }
    }

    pub(super) fn parse(id: &str) -> Result<Self, OpenAiError> {
        let parts = id.strip_prefix("resp_").and_then(|rest| rest.split_once('_'));
        let parsed =
            parts.and_then(|(after, conversation)| Some((after.parse().ok()?, conversation)));
        let Some((after, conversation)) = parsed else {
            let why = format!("Unknown response `{id}`.");
            return Err(OpenAiError::new(OpenAiErrorKind::NotFound, why));
        };
        Ok(Self { after, conversation: conversation.to_owned() })
    }

    /// Reads the part of a run, which may be at work.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation is unknown or of another user, or if no run begins there.
    pub(super) async fn part(
        &self,
        server: &Server,
        place: &RunPlace,
        is_at_work: bool,
    ) -> Result<ResponsePart, Error> {
        server.check_new(place).await?;
        let head = server.store.head(&self.conversation).await?;
        let mut before = match head {
            0 => Vec::new(),
            _ => server.store.read(&self.conversation, 1..=head).await?,
        };
        let is_before = |entry: &Entry| entry.seq.is_some_and(|seq| seq <= self.after);
        let mut entries = before.split_off(before.partition_point(is_before));
        let first = entries.iter().position(|entry| !is_beside(entry));
        let first = first.filter(|at| begins_run(&entries[*at]));
        let continues = before.last().is_some_and(is_followed);
        if first.is_none() && !is_at_work && (entries.is_empty() || !continues) {
            let why = format!("unknown response `{self}`");
            return Err(Error::new(ErrorKind::NotFound, why));
        }
        let from = first.map_or(0, |first| first + 1);
        let next = entries.iter().skip(from).position(begins_run).map(|at| from + at);
        let parked = entries.iter().position(is_parked);
        let parked =
            parked.map(|at| at + entries[at..].iter().take_while(|one| is_parked(one)).count());
        let until = next.into_iter().chain(parked).min().unwrap_or(entries.len());
        let (is_whole, is_last) = match entries.get(until) {
            None => (true, true),
            // Answers continue a waiting run.
            Some(entry) => (false, !matches!(entry.event, Event::User { steer: false, .. })),
        };
        entries.truncate(until);
        let is_waiting = entries.last().is_some_and(is_parked);
        let end = if is_at_work || is_whole && !is_waiting && is_continued(server, place).await? {
            None
        } else {
            Some(stored_end(&entries))
        };
        Ok(ResponsePart { before, entries, end, is_last })
    }
}

/// Returns whether the last run of a conversation is not over, although its log may look like it: it is
/// at work elsewhere, or its server is gone and another one continues it.
async fn is_continued(server: &Server, place: &RunPlace) -> Result<bool, Error> {
    Ok(match server.runs.at_work(&place.conversation) {
        Some(run) => run.continues() && run.place.user == place.user,
        None => server.whose(place).await? != Whose::Nobody,
    })
}

impl ResponsePart {
    /// Returns whether the run has no answer, and lost its server so recently that another one may
    /// be about to continue it.
    pub(super) fn may_continue(&self, takeover: Duration) -> bool {
        let is_open = self.is_last && matches!(self.end, Some(RunEnd::Failed { .. }));
        let last = self.entries.last().or_else(|| self.before.last());
        let written = last.and_then(|last| last.timestamp).unwrap_or_default();
        is_open && Timestamp::from(SystemTime::now()).duration_since(written) < takeover
    }
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resp_{}_{}", self.after, self.conversation)
    }
}

/// Returns whether a run that continues after answers may begin after an entry.
fn is_followed(entry: &Entry) -> bool {
    matches!(entry.event, Event::User { .. }) || is_parked(entry) || begins_run(entry)
}

/// Returns whether an entry may come between two runs: a missing result, or an entry that is stored
/// beside runs.
const fn is_beside(entry: &Entry) -> bool {
    entry.event.is_beside_runs() || matches!(entry.event, Event::Result(_))
}

/// Returns whether another run begins with an entry: one for a prompt or after answers.
fn begins_run(entry: &Entry) -> bool {
    match &entry.event {
        Event::User { steer, .. } => !steer,
        Event::Approval(answer) => answer.state != ApprovalState::Asked && !answer.is_at_wall(),
        _ => false,
    }
}
