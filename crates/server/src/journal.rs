//! The messages of all runs of a user, for one stream.
//!
//! A browser opens few connections to a host, so a page reads everything from one stream. Its
//! messages are numbered, and a reader that connects again names the last number that it has read.
//! If the messages after it are gone, it gets a `reset`, and reads the conversations again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_event::{Entry, Json};
use tokio::sync::mpsc;

use crate::options::LiveLimits;
use crate::position::MessagePosition;

/// The latest messages of all runs of a user.
pub(crate) struct UserJournal {
    /// A name of this journal, which is never reused.
    name: String,
    limits: LiveLimits,
    state: Mutex<JournalState>,
}

#[derive(Default)]
struct JournalState {
    /// The number of the last message.
    last: u64,
    ring: VecDeque<Arc<str>>,
    bytes: usize,
    readers: Vec<mpsc::Sender<Arc<str>>>,
    /// The positions of the last known events, or nothing if the journal was never read.
    heads: Option<HashMap<String, u64>>,
    is_watched: bool,
}

/// The messages that a reader has not read.
pub(crate) struct JournalReader {
    missed: VecDeque<Arc<str>>,
    later: mpsc::Receiver<Arc<str>>,
}

impl UserJournal {
    pub(crate) fn new(name: String, limits: LiveLimits) -> Self {
        Self { name, limits, state: Mutex::default() }
    }

    /// Takes an event of a run here and its position. `json` writes the event, if the journal has
    /// readers.
    pub(crate) fn publish(
        &self,
        conversation: &str,
        at: MessagePosition,
        json: impl FnOnce() -> String,
    ) {
        let mut state = self.lock();
        state.advance(conversation, at.0);
        self.deliver(&mut state, conversation, Some(at), json);
    }

    /// Takes an event of a run that another server has, unless it is known.
    pub(crate) fn publish_mirrored(
        &self,
        conversation: &str,
        at: MessagePosition,
        json: impl FnOnce() -> String,
    ) {
        let mut state = self.lock();
        let known = state.heads.as_ref().and_then(|heads| heads.get(conversation)).copied();
        let known = known.unwrap_or_default();
        let is_new = if at.1 == 0 { at.0 > known } else { at.0 >= known };
        if is_new {
            state.advance(conversation, at.0);
            self.deliver(&mut state, conversation, Some(at), json);
        }
    }

    /// Returns whether the journal has readers.
    pub(crate) fn is_read(&self) -> bool {
        let mut state = self.lock();
        state.readers.retain(|reader| !reader.is_closed());
        !state.readers.is_empty()
    }

    /// Takes events that another process has stored, unless they are known.
    pub(crate) fn publish_stored(&self, conversation: &str, entries: &[Entry]) {
        let mut state = self.lock();
        for entry in entries {
            if let Some(seq) = entry.seq.filter(|seq| state.advance(conversation, *seq)) {
                self.deliver(&mut state, conversation, Some((seq, 0)), || entry.to_json());
            }
        }
    }

    /// Takes that a conversation was deleted here.
    pub(crate) fn publish_deleted(&self, conversation: &str) {
        let mut state = self.lock();
        state.forget(conversation);
        self.deliver(&mut state, conversation, None, || DELETED.to_owned());
    }

    /// Takes that other forms wait in a conversation than before.
    pub(crate) fn publish_forms(&self, conversation: &str) {
        self.deliver(&mut self.lock(), conversation, None, || FORMS.to_owned());
    }

    /// Takes that a conversation is gone, unless this is known.
    pub(crate) fn publish_gone(&self, conversation: &str) {
        let mut state = self.lock();
        if state.forget(conversation) {
            self.deliver(&mut state, conversation, None, || DELETED.to_owned());
        }
    }

    /// Returns the positions of the last events that are known.
    pub(crate) fn heads(&self) -> Option<HashMap<String, u64>> {
        self.lock().heads.clone()
    }

    /// Sets the known state.
    pub(crate) fn set_heads(&self, heads: impl Iterator<Item = (String, u64)>) {
        self.lock().heads = Some(heads.collect());
    }

    /// Returns whether the caller has to watch the store, because no other task does.
    pub(crate) fn begin_watch(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_watched, true)
    }

    /// Ends the watch if the journal has no readers, and returns whether it has ended.
    pub(crate) fn end_watch_if_unread(&self) -> bool {
        let mut state = self.lock();
        state.readers.retain(|reader| !reader.is_closed());
        state.is_watched = !state.readers.is_empty();
        !state.is_watched
    }

    fn deliver(
        &self,
        state: &mut JournalState,
        conversation: &str,
        at: Option<MessagePosition>,
        json: impl FnOnce() -> String,
    ) {
        state.last += 1;
        if state.heads.is_none() && state.readers.is_empty() {
            // No reader can ask for missed events.
            (state.ring, state.bytes) = (VecDeque::new(), 0);
            return;
        }
        let (conversation, json) = (Json::string(conversation), json());
        let id = at.map_or_else(String::new, |(seq, n)| format!("\"id\":\"{seq}.{n}\","));
        let frame: Arc<str> = format!(
            "id: {}-{}\ndata: {{\"conversation\":{conversation},{id}\"event\":{json}}}\n\n",
            self.name, state.last
        )
        .into();
        state.bytes += frame.len();
        state.ring.push_back(Arc::clone(&frame));
        while state.bytes > self.limits.ring {
            let Some(first) = state.ring.pop_front() else { break };
            state.bytes -= first.len();
        }
        state.readers.retain(|reader| reader.try_send(Arc::clone(&frame)).is_ok());
    }

    /// Reads the messages after the last one that the reader knows, or from now on.
    pub(crate) fn read(&self, last: Option<&str>) -> JournalReader {
        let mut state = self.lock();
        let (reader, later) = mpsc::channel(self.limits.behind);
        state.readers.push(reader);
        let missed = match last {
            None => VecDeque::new(),
            Some(last) => match self.missed(&state, last) {
                Some(count) => state.ring.range(state.ring.len() - count..).cloned().collect(),
                None => VecDeque::from([self.reset(state.last)]),
            },
        };
        JournalReader { missed, later }
    }

    /// Returns the number of messages after one, if all of them are kept.
    fn missed(&self, state: &JournalState, last: &str) -> Option<usize> {
        let number = last.strip_prefix(&*self.name)?.strip_prefix('-')?.parse().ok()?;
        let missed = usize::try_from(state.last.checked_sub(number)?).ok()?;
        (missed <= state.ring.len()).then_some(missed)
    }

    fn reset(&self, last: u64) -> Arc<str> {
        let name = &self.name;
        format!("id: {name}-{last}\nevent: reset\ndata: {{\"type\":\"reset\"}}\n\n").into()
    }

    fn lock(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalState {
    /// Takes the position of an event, and returns whether it is new.
    fn advance(&mut self, conversation: &str, seq: u64) -> bool {
        let Some(heads) = self.heads.as_mut().filter(|_| seq > 0) else { return true };
        let head = heads.entry(conversation.to_owned()).or_default();
        let is_new = seq > *head;
        *head = seq.max(*head);
        is_new
    }

    /// Forgets a conversation, and returns whether it was known.
    fn forget(&mut self, conversation: &str) -> bool {
        self.heads.as_mut().and_then(|heads| heads.remove(conversation)).is_some()
    }
}

impl JournalReader {
    /// Waits for the next message; `None` if the reader was too slow. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let frame = match self.missed.pop_front() {
            Some(frame) => Some(frame),
            None => self.later.recv().await,
        };
        frame.map(|frame| frame.to_string())
    }
}

/// The event of a conversation that is no longer there.
const DELETED: &str = r#"{"type":"deleted"}"#;

/// The event of a conversation in which a call shows a form, or no longer does.
const FORMS: &str = r#"{"type":"forms"}"#;
