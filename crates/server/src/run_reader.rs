//! The events of a run from any position: first from the log, then from the run itself.
//!
//! The reader subscribes to the run before it reads the log. The log has every event that the ring of
//! the run does not have any more, so it is read up to the position before the ring, and the messages
//! of the run follow. If a message shows that the log has events before it that the run did not emit,
//! these are read first. So no event is missing, and none comes twice.

use std::collections::VecDeque;
use std::sync::Arc;

use silcrow_event::Entry;
use silcrow_store::{Error, Store};
use tokio::sync::mpsc;

use crate::live_run::{LiveMessage, LiveRun, RingReader, RunOutput, own_position};
use crate::position::MessagePosition;

/// Reads a run after a position.
pub(crate) struct RunReader {
    store: Arc<dyn Store>,
    conversation: String,
    at: MessagePosition,
    floor: MessagePosition,
    /// Whether pieces that the reader has read are gone, so that it has to forget the others.
    resets: bool,
    stored: VecDeque<Entry>,
    ring: RingReader,
    later: mpsc::Receiver<Arc<LiveMessage>>,
    /// The next message, which waits for events of the log.
    next: Option<Arc<LiveMessage>>,
    is_over: bool,
}

/// The next item of a reader.
pub(crate) enum RunItem {
    /// Everything after the last stored event that the reader has read is to be forgotten.
    Reset(u64),
    /// An event of the log.
    Stored(Box<Entry>),
    /// A message of the run.
    Live(Arc<LiveMessage>),
    /// The run is over, and its end was read.
    Over,
    /// The reader was too slow.
    Cut,
}

impl RunReader {
    /// Subscribes to a run.
    pub(crate) fn new(run: &LiveRun, store: Arc<dyn Store>, after: MessagePosition) -> Self {
        let mut subscription = run.subscribe();
        let last = subscription.ring.last_position().unwrap_or(subscription.floor);
        subscription.ring.skip_before(after);
        let is_kept = subscription.floor <= after && after <= last;
        let resets = !is_kept && after.1 > 0;
        Self {
            store,
            conversation: run.place.conversation.clone(),
            at: if resets { (after.0, 0) } else { after },
            floor: subscription.floor,
            resets,
            stored: VecDeque::new(),
            ring: subscription.ring,
            later: subscription.later,
            next: None,
            is_over: subscription.is_over,
        }
    }

    /// Returns the position of the last item.
    pub(crate) const fn position(&self) -> MessagePosition {
        self.at
    }

    /// Waits for the next item. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading the log.
    pub(crate) async fn next(&mut self) -> Result<RunItem, Error> {
        if std::mem::take(&mut self.resets) {
            return Ok(RunItem::Reset(self.at.0));
        }
        loop {
            if let Some(entry) = self.stored.pop_front() {
                self.at = (entry.seq.unwrap_or(self.at.0 + 1), 0);
                return Ok(RunItem::Stored(Box::new(entry)));
            }
            if self.at.0 < self.floor.0 {
                self.fill(self.floor.0).await?;
                continue;
            }
            if self.at.0 == self.floor.0 {
                self.at = self.at.max(self.floor);
            }
            let message = match self.next.take().or_else(|| self.ring.next()) {
                Some(message) => message,
                None => match self.later.recv().await {
                    Some(message) => message,
                    None if self.is_over => return Ok(RunItem::Over),
                    None => return Ok(RunItem::Cut),
                },
            };
            let before = message.stored_before();
            if before > self.at.0 {
                self.next = Some(message);
                self.fill(before).await?;
                continue;
            }
            let is_end = message.is_end();
            self.is_over |= is_end;
            // After a text whose beginning is gone, the end still counts.
            let is_before = message.position < self.at && !(is_end && self.at.1 == u64::MAX);
            let is_known = is_before || message.position == self.at && message.is_native;
            if !is_known {
                self.at = message.position;
                return Ok(RunItem::Live(message));
            }
        }
    }

    /// Reads the next events of the log, up to a position.
    async fn fill(&mut self, until: u64) -> Result<(), Error> {
        let last = until.min(self.at.0.saturating_add(PAGE));
        self.stored = self.store.read(&self.conversation, self.at.0 + 1..=last).await?.into();
        if self.stored.is_empty() {
            // A store may do without events that were lost.
            self.at = (last, 0);
        }
        Ok(())
    }
}

impl LiveMessage {
    /// Returns the position of the last stored event before this message.
    fn stored_before(&self) -> u64 {
        let (seq, n) = self.position;
        let is_stored = n == 0
            && matches!(&self.output, RunOutput::Event(silcrow_event::RunEvent::Entry(entry))
                if own_position(entry) == Some(seq));
        if is_stored { seq - 1 } else { seq }
    }
}

/// The number of events that are read at once.
const PAGE: u64 = 256;
