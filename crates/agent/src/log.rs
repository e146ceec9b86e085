use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Entry, Event, Opening, Place};
use silcrow_exec::{Failure, Journal};
use silcrow_store::{Error, Store};

use crate::clock::Clock;
use crate::fitting::fitting;

/// A conversation's log, as far as it is stored, and the place where it goes on.
pub(crate) struct Log<'a> {
    store: &'a dyn Store,
    conversation: &'a str,
    clock: Clock,
    entries: Vec<Entry>,
    /// Carried by the run's first event.
    opening: Option<Opening>,
    /// Of a child agent.
    agent_path: Option<String>,
}

impl<'a> Log<'a> {
    /// Reads a conversation; an unknown one is empty.
    pub(crate) async fn open(
        store: &'a dyn Store,
        conversation: &'a str,
        clock: Clock,
        agent_path: Option<String>,
    ) -> Result<Self, Error> {
        let head = store.head(conversation).await?;
        let entries =
            if head == 0 { Vec::new() } else { store.read(conversation, 1..=head).await? };
        let opening = Some(Opening { conversation: conversation.to_owned(), run: clock.run_id() });
        Ok(Self { store, conversation, clock, entries, opening, agent_path })
    }

    pub(crate) const fn conversation(&self) -> &str {
        self.conversation
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of the last answer of the model, counted over the conversation; 0 if there is
    /// none.
    pub(crate) fn last_turn(&self) -> u32 {
        self.entries.iter().filter_map(|entry| entry.turn).max().unwrap_or(0)
    }

    /// Now, behind the last stored event.
    pub(crate) fn place(&self, turn: u32) -> Place {
        Place {
            timestamp: Some(self.clock.now()),
            turn: Some(turn),
            seq: Some(self.entries.len() as u64),
        }
    }

    /// An event of a turn that is not stored, with its time and place.
    pub(crate) fn pass(&mut self, turn: u32, event: Event) -> Entry {
        let Place { timestamp, turn, seq } = self.place(turn);
        let (opening, agent_path) = (self.opening.take(), self.agent_path.clone());
        Entry { event, timestamp, turn, seq, opening, agent_path }
    }

    /// Stores events, all or none, and returns them with their places.
    pub(crate) async fn append(
        &mut self,
        turn: u32,
        events: Vec<Event>,
    ) -> Result<&[Entry], Error> {
        let head = self.entries.len();
        let mut batch: Vec<Entry> =
            events.into_iter().map(|event| self.pass(turn, event)).collect();
        for (index, entry) in batch.iter_mut().enumerate() {
            entry.seq = Some((head + index + 1) as u64);
        }
        self.store.append(self.conversation, head as u64, batch.clone()).await?;
        self.entries.append(&mut batch);
        Ok(&self.entries[head..])
    }

    /// Where the starts of a turn's calls are marked.
    pub(crate) fn marks(&self, store: Arc<dyn Store>, turn: u32) -> Marks {
        Marks { store, space: space(self.conversation), turn }
    }

    /// Whether anything of a turn is stored, besides what the person said.
    pub(crate) fn has_answer(&self, turn: u32) -> bool {
        self.entries.last().is_some_and(|last| {
            last.turn == Some(turn) && !matches!(last.event, Event::User { .. })
        })
    }

    /// Whether a call of an earlier run was started.
    pub(crate) async fn was_started(&self, turn: u32, id: &str) -> Result<bool, Error> {
        let found = self.store.get(&space(self.conversation), &mark(turn, id)).await?;
        Ok(found.is_some())
    }
}

/// Marks beside the events which calls were started (P-28).
pub(crate) struct Marks {
    store: Arc<dyn Store>,
    space: String,
    turn: u32,
}

impl Journal for Marks {
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            let key = mark(self.turn, id);
            match self.store.put(&self.space, &key, 0, Vec::new()).await {
                Ok(_) => Ok(()),
                Err(error) => Err(Failure::new(format!("not started: {error}"))),
            }
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
