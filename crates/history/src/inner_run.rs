//! The runs inside a conversation: the agents and workflows that its calls started, with their
//! states.
//!
//! All of it follows from the logs. Only the process of a run without an end can tell whether it
//! still works.

use silcrow_event::{Call, Entry, Event, ResultStatus, Timestamp};
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};

use crate::error::Error;
use crate::inside::{conversations_inside, is_inside_of};

/// A run that a call started, in a separate conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InnerRun {
    /// The id of its conversation, made of the calling conversation's id, the turn and the call.
    pub conversation: String,
    /// The turn of the call.
    pub turn: u32,
    /// The id of the call.
    pub call: String,
    /// The name of the agent or the tool.
    pub name: String,
    /// The first line of its task.
    pub task: String,
    /// Its state, as the logs tell it.
    pub state: InnerRunState,
    /// The number of calls that it has made.
    pub calls: usize,
    /// The time of its first event.
    pub began: Option<Timestamp>,
    /// The time of its last event.
    pub last: Option<Timestamp>,
}

/// The state of a run inside a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InnerRunState {
    /// It works, or its process has ended before it.
    Open,
    /// It waits for the answer of a person.
    Waits,
    /// Its call has its answer.
    Answered,
    /// Its call has failed, for this reason.
    Failed(String),
}

impl InnerRun {
    /// Returns the runs that calls of a conversation started, in the order of the calls. Runs
    /// within these runs are left out.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use silcrow_event::read_entry;
    /// use silcrow_history::{InnerRun, InnerRunState};
    /// use silcrow_store::{MemoryStore, Store as _};
    ///
    /// let store = MemoryStore::new();
    /// let call = r#"{"type":"call","id":"a1","turn":1,
    ///     "content":"{\"name\":\"agent\",\"args\":{\"task\":\"Find it.\"}}"}"#;
    /// store.append("c1", 0, vec![read_entry(call).unwrap()]).await.unwrap();
    /// let prompt = r#"{"type":"user","content":"Find it.","agent_path":"explore"}"#;
    /// store.append("c1/1/a1", 0, vec![read_entry(prompt).unwrap()]).await.unwrap();
    ///
    /// let runs = InnerRun::list(&store, "c1").await.unwrap();
    /// assert_eq!((&*runs[0].name, &*runs[0].task), ("explore", "Find it."));
    /// assert_eq!(runs[0].state, InnerRunState::Open, "the call has no result");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails. Damaged events are left out.
    pub async fn list(store: &dyn Store, conversation: &str) -> Result<Vec<Self>, Error> {
        let inside = conversations_inside(store, conversation).await?;
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let outer = read(store, conversation).await?;
        let mut runs = Vec::new();
        for id in inside.iter().filter(|id| !inside.iter().any(|other| is_inside_of(id, other))) {
            let place = id[conversation.len() + 1..].split_once('/');
            let Some((turn, call)) = place.and_then(|(turn, call)| {
                Some((turn.parse::<u32>().ok()?, call.split('~').next()?.to_owned()))
            }) else {
                continue;
            };
            let begun = outer.iter().enumerate().find_map(|(at, entry)| match &entry.event {
                Event::Call(made) if made.id() == call && entry.turn == Some(turn) => {
                    Some((at, made))
                }
                _ => None,
            });
            let Some((at, made)) = begun else { continue };
            let inner = read(store, id).await?;
            runs.push((at, Self::new(id, turn, made, &outer[at..], &inner)));
        }
        runs.sort_by_key(|(at, _)| *at);
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    fn new(id: &str, turn: u32, call: &Call, outer: &[Entry], inner: &[Entry]) -> Self {
        let path = inner.iter().find_map(|entry| entry.agent_path.as_deref());
        let name = path.and_then(|path| path.rsplit('/').next()).unwrap_or_else(|| call.name());
        let task = inner.iter().find_map(|entry| match &entry.event {
            Event::User { content, .. } => content.text().lines().next().map(str::to_owned),
            _ => None,
        });
        let calls = inner.iter().filter(|entry| matches!(entry.event, Event::Call(_))).count();
        Self {
            conversation: id.to_owned(),
            turn,
            call: call.id().to_owned(),
            name: name.to_owned(),
            task: task.unwrap_or_default(),
            state: state(call.id(), turn, outer, inner),
            calls,
            began: inner.first().and_then(|entry| entry.timestamp),
            last: inner.last().and_then(|entry| entry.timestamp),
        }
    }
}

/// Returns the state of a run by the result of its call, and before it has one by its own events.
fn state(call: &str, turn: u32, outer: &[Entry], inner: &[Entry]) -> InnerRunState {
    let result = outer.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if entry.turn == Some(turn) && result.id.as_deref() == Some(call) => {
            Some(result)
        }
        _ => None,
    });
    match result.map(|result| (result.status(), result)) {
        Some((ResultStatus::Success, _)) => InnerRunState::Answered,
        Some((ResultStatus::Failure, result)) => InnerRunState::Failed(result.failure_text()),
        None if waits(inner) => InnerRunState::Waits,
        None => InnerRunState::Open,
    }
}

fn waits(inner: &[Entry]) -> bool {
    use silcrow_event::ApprovalState::Asked;
    match inner.last().map(|entry| &entry.event) {
        Some(Event::Parked(_)) => true,
        Some(Event::Approval(approval)) => approval.state == Asked,
        _ => false,
    }
}

async fn read(store: &dyn Store, conversation: &str) -> Result<Vec<Entry>, Error> {
    let head = store.head(conversation).await?;
    Ok(read_whole(store, conversation, 1..=head, &mut Report::default()).await?)
}
