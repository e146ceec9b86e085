//! The log of a conversation while a run adds to it.
//!
//! It holds the stored entries, and the calls that a person allowed for the whole conversation. With
//! a checkpoint of an earlier run, it holds only the entries that a run depends on.

mod append;
mod checkpoint;
mod grants;
mod span;

use std::borrow::Cow;

use futures_util::stream::BoxStream;
use silcrow_context::ContextAssembler;
use silcrow_event::{BranchPoint, ConversationOrigin, Entry, Event, LogPosition, RunOpening};
use silcrow_store::{Error, Store, validate};
use silcrow_tool::Scope;

use crate::clock::RunClock;
use crate::names::agent_path;
use crate::parts::AgentParts;

use checkpoint::StoredCheckpoint;
pub(crate) use grants::StoredApproval;

/// The stored part of a conversation's log.
pub(crate) struct Log<'a> {
    store: &'a dyn Store,
    conversation: &'a str,
    clock: RunClock,
    entries: Vec<Entry>,
    /// Whether the entries are all that are stored.
    is_whole: bool,
    /// The checkpoint that the run began with.
    checkpoint: StoredCheckpoint,
    /// The position of the last event. It exceeds the number of entries if events were lost or not
    /// read.
    head: u64,
    /// The first user that an entry names.
    owner: Option<String>,
    /// Whether a message of the person was found that no request has yet.
    has_message: bool,
    /// The user of the run.
    user: Option<&'a str>,
    /// The opening, which is in the run's first event, and in every event of a child agent.
    opening: Option<RunOpening>,
    /// The conversation that this one replays, which its first event names.
    origin: Option<ConversationOrigin>,
    /// The path of a child agent.
    agent_path: Option<String>,
    /// The calls that the log says a person allowed for the whole conversation.
    allowed: Vec<StoredApproval>,
    /// The members of `allowed` that the person allowed in this store and at this root.
    grants: Vec<StoredApproval>,
    /// The identity of the root.
    root: String,
    /// The folder of the root, as an absolute path.
    folder: Option<String>,
}

impl<'a> Log<'a> {
    /// Reads the conversation of a scope for an agent; an unknown one is empty.
    pub(crate) async fn open(parts: &'a AgentParts, scope: &'a Scope) -> Result<Self, Error> {
        let log = Self::read(&*parts.store, scope.conversation_id(), scope.user.as_deref());
        log.await?.opened(parts, scope).await
    }

    /// Reads the entries of a conversation on which a run that begins with a prompt depends.
    pub(crate) async fn open_needed(
        parts: &'a AgentParts,
        scope: &'a Scope,
    ) -> Result<Self, Error> {
        let (store, conversation) = (&*parts.store, scope.conversation_id());
        let head = store.head(conversation).await?;
        let checkpoint = StoredCheckpoint::load(store, conversation, head).await?;
        let mut log = match checkpoint.read(store, conversation, head).await? {
            Some(entries) => {
                let log = Self::new(store, conversation, scope.user.as_deref(), head, entries);
                Self { is_whole: false, allowed: checkpoint.grants(), ..log }
            }
            None => Self::read(store, conversation, scope.user.as_deref()).await?,
        };
        log.checkpoint = checkpoint;
        log.opened(parts, scope).await
    }

    async fn opened(self, parts: &'a AgentParts, scope: &'a Scope) -> Result<Self, Error> {
        let mut log = self;
        log.origin = parts.replayed.as_deref().map(|recorded| {
            let (conversation, seq) = (recorded.conversation().to_owned(), recorded.head());
            ConversationOrigin::Replay(BranchPoint { conversation, seq })
        });
        (log.agent_path, log.root) = (agent_path(scope), parts.root_identity().to_owned());
        log.folder = parts.folder();
        // The span of a call that runs an agent follows from the names of its conversation.
        if let (Some(opening), true) = (&mut log.opening, scope.agent_path.is_empty()) {
            opening.caller = scope.trace;
        }
        log.load_grants().await?;
        Ok(log)
    }

    /// Reads a conversation of any agent, without its grants.
    pub(crate) async fn read(
        store: &'a dyn Store,
        conversation: &'a str,
        user: Option<&'a str>,
    ) -> Result<Self, Error> {
        let head = store.head(conversation).await?;
        let entries =
            if head == 0 { Vec::new() } else { store.read(conversation, 1..=head).await? };
        Ok(Self::new(store, conversation, user, head, entries))
    }

    fn new(
        store: &'a dyn Store,
        conversation: &'a str,
        user: Option<&'a str>,
        head: u64,
        entries: Vec<Entry>,
    ) -> Self {
        let clock = RunClock::start();
        let opening = Some(RunOpening {
            conversation: conversation.to_owned(),
            run: clock.run_id(),
            caller: None,
        });
        let agent_path = entries.first().and_then(|first: &Entry| first.agent_path.clone());
        let owner = entries.iter().find_map(|entry| entry.user.clone());
        Self {
            store,
            conversation,
            clock,
            entries,
            is_whole: true,
            checkpoint: StoredCheckpoint::default(),
            head,
            owner,
            has_message: false,
            user,
            opening,
            origin: None,
            agent_path,
            allowed: Vec::new(),
            grants: Vec::new(),
            root: String::new(),
            folder: None,
        }
    }

    /// Returns an error if the conversation belongs to another user. A new conversation has no
    /// owner.
    pub(crate) fn owned(&self) -> Result<(), Error> {
        if self.entries.is_empty() {
            return Ok(());
        }
        validate::access(self.conversation, self.owner.as_deref(), self.user)
    }

    /// Returns the user of the run.
    pub(crate) const fn user(&self) -> Option<&'a str> {
        self.user
    }

    pub(crate) fn store(&self) -> &'a dyn Store {
        self.store
    }

    /// Returns the entries that are stored from now on, by whomever. They are not in this log yet.
    pub(crate) fn news(&self) -> BoxStream<'a, Result<Entry, Error>> {
        self.store.follow(self.conversation, self.head)
    }

    /// Sets the identity of the root at which approvals for the conversation hold.
    pub(crate) fn set_root(&mut self, identity: &str) {
        identity.clone_into(&mut self.root);
    }

    /// Returns the identity of the root.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    pub(crate) const fn conversation(&self) -> &str {
        self.conversation
    }

    /// Returns the position of the last event that this log has read.
    pub(crate) const fn head(&self) -> u64 {
        self.head
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entries with their positions.
    pub(crate) fn positioned(&self) -> impl Iterator<Item = (&Entry, u64)> {
        let entries = self.entries.iter().zip(1_u64..);
        entries.map(|(entry, place)| (entry, entry.seq.unwrap_or(place)))
    }

    /// Returns all entries that are stored, also those that this log did not read.
    pub(crate) async fn whole(&self) -> Result<Cow<'_, [Entry]>, Error> {
        match self.is_whole {
            true => Ok(Cow::Borrowed(&self.entries)),
            false => self.store.read(self.conversation, 1..=self.head).await.map(Cow::Owned),
        }
    }

    /// Returns the entries for a request: the loaded ones, or the whole log if a person has taken
    /// back the summary that stands for the rest.
    pub(crate) async fn for_context(&self) -> Result<Cow<'_, [Entry]>, Error> {
        match self.is_whole || self.checkpoint.suffices_for(&self.entries) {
            true => Ok(Cow::Borrowed(&self.entries)),
            false => self.whole().await,
        }
    }

    /// Notes which part of the conversation the next run need not read, if a summary leaves much out.
    /// Nothing depends on it, so it may fail.
    pub(crate) async fn advance_checkpoint(&self, context: &dyn ContextAssembler) {
        let (store, conversation) = (self.store, self.conversation);
        let noted =
            self.checkpoint.advance(store, conversation, context, &self.entries, &self.allowed);
        let _ = noted.await;
    }

    /// Returns whether the log ends with this prompt of the run's user. A name that a person gave
    /// the conversation since does not count, and neither does a summary, or why a run failed.
    pub(crate) fn ends_with(&self, prompt: &Event) -> bool {
        let is_beside = |entry: &&Entry| {
            entry.event.is_beside_runs() || matches!(entry.event, Event::Failed(_))
        };
        self.entries
            .iter()
            .rev()
            .find(|entry| !is_beside(entry))
            .is_some_and(|last| last.event == *prompt && last.user.as_deref() == self.user)
    }

    /// Returns the number of the last turn in the conversation, or 0. It is at most
    /// [`validate::MAX_TURN`], also in a log that claims a higher one.
    pub(crate) fn last_turn(&self) -> u32 {
        let last = self.entries.iter().filter_map(|entry| entry.turn).max();
        last.unwrap_or(0).min(validate::MAX_TURN)
    }

    /// Returns the current time and the position after the last stored event.
    pub(crate) fn place(&self, turn: u32) -> LogPosition {
        LogPosition { timestamp: Some(self.clock.now()), turn: Some(turn), seq: Some(self.head) }
    }

    /// Makes an entry of an event of a turn, at the current time and position, without storing it.
    pub(crate) fn pass(&mut self, turn: u32, event: Event) -> Entry {
        let LogPosition { timestamp, turn, seq } = self.place(turn);
        let agent_path = self.agent_path.clone();
        // Several calls of one agent may run at once, so each of its events names its conversation.
        let opening = match agent_path {
            Some(_) => self.opening.clone(),
            None => self.opening.take(),
        };
        let (user, folder) = match event {
            Event::User { .. } => (self.user.map(str::to_owned), self.folder.clone()),
            _ => (None, None),
        };
        Entry { event, timestamp, turn, seq, opening, origin: None, agent_path, user, folder }
    }

    /// Returns whether a message of the person was found since this was asked last.
    pub(crate) const fn take_message(&mut self) -> bool {
        std::mem::replace(&mut self.has_message, false)
    }

    /// Returns whether anything but prompts and summaries is stored of a turn.
    pub(crate) fn has_answer(&self, turn: u32) -> bool {
        let of_turn = self.entries.iter().rev().filter(|entry| entry.turn == Some(turn));
        let is_beside = |entry: &Entry| {
            matches!(entry.event, Event::User { .. } | Event::Summary(_) | Event::Failed(_))
        };
        of_turn.into_iter().any(|entry| !is_beside(entry))
    }
}
