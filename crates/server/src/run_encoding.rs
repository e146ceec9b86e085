//! A run on its way through an encoder.

use std::sync::Arc;

use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_front::{RunEncoder, RunEnd};
use silcrow_store::{Error, Store};

use crate::disconnect::{DisconnectGuard, OnDisconnect};
use crate::live_run::{LiveRun, RunOutput};
use crate::run_reader::{RunItem, RunReader};
use crate::sse::SseSource;

/// Reads a run, and encodes what it reads.
pub(crate) struct RunEncoding<E> {
    run: Arc<LiveRun>,
    store: Arc<dyn Store>,
    encoder: E,
    /// Whether it begins with the prompt that a continued run answers.
    is_whole: bool,
    /// What reads the run, once the events before it are skipped.
    reader: Option<RunReader>,
    guard: DisconnectGuard,
    is_over: bool,
}

impl<E: RunEncoder> RunEncoding<E> {
    pub(crate) fn new(run: Arc<LiveRun>, store: Arc<dyn Store>, encoder: E) -> Self {
        let guard = DisconnectGuard::default();
        Self { run, store, encoder, is_whole: false, reader: None, guard, is_over: false }
    }

    /// Stops the run if this is dropped before its end, where the client wants that.
    pub(crate) fn on_disconnect(self, wanted: OnDisconnect) -> Self {
        let guard = DisconnectGuard::new(wanted, &self.run.cancel);
        Self { guard, ..self }
    }

    /// Begins with the prompt, also if the run continues another one.
    pub(crate) fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// Returns what the next event adds, which may be nothing. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        if self.is_over {
            return None;
        }
        let mut out = String::new();
        let Some(reader) = &mut self.reader else {
            match self.begin(&mut out).await {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => self.fail("store", &error.to_string(), &mut out),
            }
            return Some(out);
        };
        match reader.next().await {
            Ok(RunItem::Stored(entry)) => {
                self.encoder.push(RunEventRef::Entry(&entry), &mut out);
            }
            Ok(RunItem::Live(message)) => match &message.output {
                RunOutput::Event(event) => self.encoder.push(event.as_ref(), &mut out),
                RunOutput::End(end) => {
                    self.encoder.end(end, &mut out);
                    self.end();
                }
            },
            // The event with the whole text follows.
            Ok(RunItem::Reset(_)) => {}
            Ok(RunItem::Over) => {
                self.end();
                return None;
            }
            Ok(RunItem::Cut) if self.run.is_broken() => {
                let after = reader.position().0;
                if let Err(error) = self.take_stored(after, &mut out).await {
                    self.fail("store", &error.to_string(), &mut out);
                }
                let why = "the server that ran this cannot be reached any more; the conversation has \
                           what it stored, and another server may continue it";
                self.fail("unavailable", why, &mut out);
            }
            Ok(RunItem::Cut) => {
                let at = reader.position();
                *reader = RunReader::new(&self.run, Arc::clone(&self.store), at);
            }
            Err(error) => self.fail("store", &error.to_string(), &mut out),
        }
        Some(out)
    }

    /// Reads the run to its end, and returns the encoder.
    pub(crate) async fn finish(mut self) -> E {
        while self.next().await.is_some() {}
        self.encoder
    }

    /// Takes what the log had before the run.
    async fn begin(&mut self, out: &mut String) -> Result<RunReader, Error> {
        let (run, store) = (&self.run, &self.store);
        let before = run.began_after;
        let mut own = Vec::new();
        if before > 0 {
            own = store.read(&run.place.conversation, 1..=before).await?;
        }
        let mut called = Vec::new();
        for agent in run.waiting_agents() {
            called.extend(store.read(agent, 1..=store.head(agent).await?).await?);
        }
        let known = match run.continues() && self.is_whole {
            true => prompt_of(&own).unwrap_or_default(),
            false => own.len(),
        };
        own.iter().take(known).for_each(|entry| self.encoder.skip(entry));
        if known == own.len() {
            called.iter().for_each(|entry| self.encoder.skip(entry));
            called.clear();
        }
        self.encoder.begin(out);
        for entry in own[known..].iter().chain(&called) {
            self.encoder.push(RunEventRef::Entry(entry), out);
        }
        Ok(RunReader::new(run, Arc::clone(store), (before, 0)))
    }

    /// Takes what the log has after a position.
    async fn take_stored(&mut self, after: u64, out: &mut String) -> Result<(), Error> {
        let conversation = &self.run.place.conversation;
        let head = self.store.head(conversation).await?;
        if head > after {
            for entry in self.store.read(conversation, after + 1..=head).await? {
                self.encoder.push(RunEventRef::Entry(&entry), out);
            }
        }
        Ok(())
    }

    fn fail(&mut self, code: &str, message: &str, out: &mut String) {
        if self.is_over {
            return;
        }
        let (code, message) = (code.to_owned(), message.to_owned());
        self.encoder.end(&RunEnd::Failed { code, message }, out);
        self.end();
    }

    fn end(&mut self) {
        self.is_over = true;
        self.guard.disarm();
    }
}

impl<E: RunEncoder + 'static> SseSource for RunEncoding<E> {
    // Some clients take a delay before the next attempt for an empty message.
    const OPENING: &'static str = ": \n\n";

    async fn next(&mut self) -> Option<String> {
        Self::next(self).await
    }

    fn close(&mut self) -> Option<String> {
        if self.is_over {
            return None;
        }
        let mut out = String::new();
        let why = "the server is about to stop; come back later for the rest";
        self.fail("unavailable", why, &mut out);
        Some(out)
    }
}

/// Returns the index of the last prompt.
fn prompt_of(log: &[Entry]) -> Option<usize> {
    let is_prompt = |entry: &Entry| matches!(entry.event, Event::User { steer: false, .. });
    log.iter().rposition(is_prompt)
}
