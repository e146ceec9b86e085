//! A run on its way through an encoder.
//!
//! ```text
//! Beginning ─► Reading ─► Over
//!     │        │     ▲      ▲
//!     │  its server  │ another server
//!     ▼   is gone    │ continues it
//!     └────────► Seeking ───┘ nobody does
//! ```

use std::sync::Arc;

use silcrow_event::{Entry, RunEventRef};
use silcrow_front::{RunEncoder, RunEnd};
use silcrow_store::Error;

use crate::disconnect::{DisconnectGuard, LeavingClient};
use crate::live_run::{LiveRun, RunOutput};
use crate::run_reader::{RunItem, RunReader};
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse::SseSource;
use crate::takeover::{Takeover, TakeoverStep, begins_prompt, is_lost, unavailable};

/// Reads a run, and encodes it.
pub(crate) struct RunEncoding<E> {
    server: Server,
    place: RunPlace,
    encoder: E,
    /// The head of the log before the run.
    began_after: u64,
    /// Whether the run continued another one when it began.
    continues: bool,
    /// The conversations of the agents in calls which waited for answers.
    waiting_agents: Vec<String>,
    /// Whether it begins with the prompt that a continued run answers.
    is_whole: bool,
    /// The run; none while its server is gone.
    run: Option<Arc<LiveRun>>,
    /// The end of the run as reported by the server that has lost it, if it did report.
    lost_end: Option<RunEnd>,
    state: EncodingState,
    client: LeavingClient,
    guard: DisconnectGuard,
}

enum EncodingState {
    Beginning,
    Reading(RunReader),
    /// Waits for events after this position of the log.
    Seeking(Box<Takeover>, u64),
    Over,
}

impl<E: RunEncoder> RunEncoding<E> {
    /// Encodes a run.
    pub(crate) fn new(server: &Server, run: &Arc<LiveRun>, encoder: E) -> Self {
        let lost = Self::lost(server, &run.place, run.began_after, encoder);
        let waiting_agents = run.waiting_agents().to_vec();
        let (continues, run) = (run.continues(), Some(Arc::clone(run)));
        Self { continues, waiting_agents, run, ..lost }
    }

    /// Encodes a run that began after a position, and whose server is gone.
    pub(crate) fn lost(server: &Server, place: &RunPlace, began_after: u64, encoder: E) -> Self {
        Self {
            server: server.clone(),
            place: place.clone(),
            encoder,
            began_after,
            continues: false,
            waiting_agents: Vec::new(),
            is_whole: false,
            run: None,
            lost_end: None,
            state: EncodingState::Beginning,
            client: LeavingClient::default(),
            guard: DisconnectGuard::default(),
        }
    }

    /// Stops the run if this is dropped before its end, if the client wants that.
    pub(crate) fn on_disconnect(mut self, client: LeavingClient) -> Self {
        self.client = client;
        self.guard();
        self
    }

    /// Begins with the prompt, even if the run continues another one.
    pub(crate) fn whole(self) -> Self {
        let continues = self.continues || self.run.is_none();
        Self { is_whole: true, continues, ..self }
    }

    /// Returns the next event's addition, which may be empty. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let mut out = String::new();
        match &mut self.state {
            EncodingState::Over => return None,
            EncodingState::Beginning => match self.begin(&mut out).await {
                Ok(state) => self.state = state,
                Err(error) => self.fail("store", &error.to_string(), &mut out),
            },
            EncodingState::Seeking(takeover, at) => match takeover.next(*at).await {
                TakeoverStep::Stored(entries) => self.take_stored(&entries, &mut out),
                TakeoverStep::Run(run) => {
                    let (store, at) = (Arc::clone(&self.server.store), (*at, 0));
                    self.state = EncodingState::Reading(RunReader::new(&run, store, at));
                    self.run = Some(run);
                    self.guard();
                }
                TakeoverStep::Over(end) => self.end(&end, &mut out),
            },
            EncodingState::Reading(reader) => match reader.next().await {
                Ok(RunItem::Stored(entry)) => {
                    self.encoder.encode(RunEventRef::Entry(&entry), &mut out);
                }
                Ok(RunItem::Live(message)) => match &message.output {
                    RunOutput::Event(event) => self.encoder.encode(event.as_ref(), &mut out),
                    RunOutput::End(end)
                        if is_lost(end, self.run.as_ref().is_some_and(|run| run.continues())) =>
                    {
                        let (at, end) = (reader.position().0, end.clone());
                        self.seek(at, Some(end), &mut out);
                    }
                    RunOutput::End(end) => self.end(end, &mut out),
                },
                // The event with the whole text follows.
                Ok(RunItem::Reset(_)) => {}
                Ok(RunItem::Over) => {
                    self.finish_reading();
                    return None;
                }
                Ok(RunItem::Cut) => {
                    let at = reader.position();
                    match &self.run {
                        Some(run) if !run.is_broken() => {
                            *reader = RunReader::new(run, Arc::clone(&self.server.store), at);
                        }
                        _ => self.seek(at.0, None, &mut out),
                    }
                }
                Err(error) => self.fail("store", &error.to_string(), &mut out),
            },
        }
        Some(out)
    }

    /// Reads the run to its end, and returns the encoder.
    pub(crate) async fn finish(mut self) -> E {
        while self.next().await.is_some() {}
        self.encoder
    }

    /// Reads the run to its end, and returns all that was written, and the encoder.
    pub(crate) async fn finish_whole(mut self) -> (String, E) {
        let mut whole = String::new();
        while let Some(piece) = self.next().await {
            whole += &piece;
        }
        (whole, self.encoder)
    }

    /// Takes the log's contents before the run, and the events of a run whose server is gone.
    async fn begin(&mut self, out: &mut String) -> Result<EncodingState, Error> {
        let (store, before) = (Arc::clone(&self.server.store), self.began_after);
        let mut own = Vec::new();
        if before > 0 {
            own = store.read(&self.place.conversation, 1..=before).await?;
        }
        let mut called = Vec::new();
        for agent in &self.waiting_agents {
            called.extend(store.read(agent, 1..=store.head(agent).await?).await?);
        }
        let known = match self.continues && self.is_whole {
            true => own.iter().rposition(begins_prompt).unwrap_or_default(),
            false => own.len(),
        };
        own.iter().take(known).for_each(|entry| self.encoder.skip(entry));
        if known == own.len() {
            called.iter().for_each(|entry| self.encoder.skip(entry));
            called.clear();
        }
        self.encoder.begin(out);
        for entry in own[known..].iter().chain(&called) {
            self.encoder.encode(RunEventRef::Entry(entry), out);
        }
        Ok(match &self.run {
            Some(run) => EncodingState::Reading(RunReader::new(run, store, (before, 0))),
            None => self.seeking(before),
        })
    }

    /// Waits for another server, because the run's is gone.
    fn seek(&mut self, at: u64, end: Option<RunEnd>, out: &mut String) {
        (self.run, self.lost_end) = (None, end);
        self.guard();
        self.state = match self.encoder.cut(out) {
            true => EncodingState::Beginning,
            false => self.seeking(at),
        };
    }

    fn seeking(&self, at: u64) -> EncodingState {
        let takeover = Takeover::new(&self.server, &self.place, self.began_after);
        let takeover = takeover.after(self.lost_end.clone());
        EncodingState::Seeking(Box::new(takeover), at)
    }

    /// Takes events that were stored while no server was known to have the run.
    fn take_stored(&mut self, entries: &[Entry], out: &mut String) {
        for entry in entries {
            let EncodingState::Seeking(_, at) = &mut self.state else { return };
            let is_first = *at == self.began_after;
            *at = entry.seq.unwrap_or(*at + 1);
            if begins_prompt(entry) && (!is_first || self.continues) {
                // The person has continued, so this run is not continued.
                return self.end(&unavailable(), out);
            }
            self.encoder.encode(RunEventRef::Entry(entry), out);
        }
    }

    /// Guards the run as the client wants it.
    fn guard(&mut self) {
        let guard = match &self.run {
            Some(run) => DisconnectGuard::new(&self.client, &run.cancel),
            None => DisconnectGuard::elsewhere(&self.client, &self.server, &self.place),
        };
        let mut before = std::mem::replace(&mut self.guard, guard);
        before.disarm();
    }

    fn fail(&mut self, code: &str, message: &str, out: &mut String) {
        let (code, message) = (code.to_owned(), message.to_owned());
        self.end(&RunEnd::Failed { code, message }, out);
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        if !matches!(self.state, EncodingState::Over) {
            self.encoder.end(end, out);
            self.finish_reading();
        }
    }

    fn finish_reading(&mut self) {
        self.state = EncodingState::Over;
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
        if matches!(self.state, EncodingState::Over) {
            return None;
        }
        let mut out = String::new();
        let why = "the server is about to stop; come back later for the rest";
        self.fail("unavailable", why, &mut out);
        Some(out)
    }
}
