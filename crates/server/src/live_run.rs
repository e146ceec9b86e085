//! A run at work: its latest messages, and its readers.
//!
//! Each message has a position: the position of the last stored event, and the number of the
//! message since then. A ring keeps the latest messages. A reader gets the contents of the ring and
//! all later messages, in one step, so that no message is missing or doubled between the two.
//!
//! A reader that is too far behind is cut off. Nothing waits for a reader.

mod mirrored;
mod ring;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use silcrow_agent::RunHandle;
use silcrow_event::{Entry, Event, RunEvent, RunEventRef, TextKind};
use silcrow_front::{NativeEncoder, RunEncoder as _, RunEnd};
use silcrow_tool::CancellationToken;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::journal::UserJournal;
use crate::meters::RunMeasure;
use crate::options::LiveLimits;
use crate::position::MessagePosition;
use crate::source::RunPlace;

use self::ring::MessageRing;

pub(crate) use self::mirrored::MirrorHead;
pub(crate) use self::ring::RingReader;

/// A run that is at work, or that was the last one of its conversation.
pub(crate) struct LiveRun {
    pub(crate) id: String,
    pub(crate) place: RunPlace,
    /// The head of the log before the run.
    pub(crate) began_after: u64,
    /// When the run began here.
    pub(crate) began: Instant,
    pub(crate) cancel: CancellationToken,
    pub(crate) handle: OnceLock<RunHandle>,
    /// Whether another server has the run, and this is that server's stream.
    pub(crate) is_mirror: bool,
    /// Whether the server has stopped the run, so that another one may continue it.
    pub(crate) is_handed_over: AtomicBool,
    journal: Arc<UserJournal>,
    continued: Option<ContinuedRun>,
    limits: LiveLimits,
    state: Mutex<LiveState>,
}

/// The waiting run that another one continues.
pub(crate) struct ContinuedRun {
    /// The turn that it says again; the log has its texts.
    pub(crate) repeated_turn: Option<u32>,
    /// The conversations of the agents in calls which wait, the outer ones first.
    pub(crate) waiting_agents: Vec<String>,
}

/// A message of a run.
pub(crate) struct LiveMessage {
    pub(crate) position: MessagePosition,
    /// Whether it has a native message, whose id the position is then.
    pub(crate) is_native: bool,
    pub(crate) output: RunOutput,
}

/// An event of a run, or its end.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a run has events, and then it ends")]
pub enum RunOutput {
    /// An event.
    Event(RunEvent),
    /// The end, after which no message comes.
    End(RunEnd),
}

/// A published message: an event of a run, or its end.
#[derive(Clone, Copy)]
enum PublishedOutput<'a> {
    Event(RunEventRef<'a>),
    End(&'a RunEnd),
}

/// The messages of the ring, and the ones that follow.
pub(crate) struct LiveSubscription {
    /// The position before the first message of the ring.
    pub(crate) floor: MessagePosition,
    pub(crate) ring: RingReader,
    pub(crate) later: mpsc::Receiver<Arc<LiveMessage>>,
    /// Whether the run was over already.
    pub(crate) is_over: bool,
}

struct LiveState {
    encoder: NativeEncoder,
    measured: RunMeasure,
    ring: MessageRing,
    readers: Vec<mpsc::Sender<Arc<LiveMessage>>>,
    is_over: bool,
    /// Whether nothing follows, because the other server is gone.
    is_broken: bool,
}

impl LiveRun {
    /// Creates a run whose first message follows this position.
    pub(crate) fn new(
        id: String,
        place: RunPlace,
        after: MessagePosition,
        continued: Option<ContinuedRun>,
        limits: LiveLimits,
        journal: Arc<UserJournal>,
    ) -> Self {
        let state = LiveState {
            encoder: NativeEncoder::after(after.0, after.1),
            measured: RunMeasure::default(),
            ring: MessageRing::new(after),
            readers: Vec::new(),
            is_over: false,
            is_broken: false,
        };
        Self {
            id,
            place,
            began_after: after.0,
            began: Instant::now(),
            cancel: CancellationToken::new(),
            handle: OnceLock::new(),
            is_mirror: false,
            is_handed_over: AtomicBool::new(false),
            journal,
            continued,
            limits,
            state: Mutex::new(state),
        }
    }

    /// Stops the run because its server stops.
    pub(crate) fn hand_over(&self) {
        self.is_handed_over.store(true, Ordering::Relaxed);
        if let Some(handle) = self.handle.get() {
            handle.cancel_because("the server that ran this has stopped");
        }
        self.cancel.cancel();
    }

    /// Returns whether the run has readers.
    pub(crate) fn is_read(&self) -> bool {
        let mut state = self.lock();
        state.readers.retain(|reader| !reader.is_closed());
        !state.readers.is_empty()
    }

    /// Takes the next event of the run.
    pub(crate) fn publish(&self, event: RunEventRef<'_>) {
        let mut state = self.lock();
        self.place(&mut state);
        if self.is_repeated(event, state.encoder.position().0) {
            return;
        }
        measure(&mut state.measured, event, self.began);
        let is_native = state.encoder.count(event);
        self.deliver(&mut state, is_native, PublishedOutput::Event(event));
    }

    /// Takes the end of the run. Only messages that are not in the log are kept.
    pub(crate) fn finish(&self, end: RunEnd) {
        let mut state = self.lock();
        state.encoder.end(&end, &mut String::new());
        self.deliver(&mut state, true, PublishedOutput::End(&end));
        let stored = state.encoder.position().0;
        state.ring.drop_stored(stored);
        state.is_over = true;
        state.readers.clear();
    }

    /// Returns the contents of the ring, and the messages that follow.
    pub(crate) fn subscribe(&self) -> LiveSubscription {
        let mut state = self.lock();
        let (reader, later) = mpsc::channel(self.limits.behind);
        if !state.is_over && !state.is_broken {
            state.readers.push(reader);
        }
        let (floor, ring, is_over) = (state.ring.floor(), state.ring.read(), state.is_over);
        LiveSubscription { floor, ring, later, is_over }
    }

    /// Returns the measurements so far.
    pub(crate) fn measured(&self) -> RunMeasure {
        self.lock().measured
    }

    /// Returns the position of the last message.
    pub(crate) fn position(&self) -> MessagePosition {
        self.lock().encoder.position()
    }

    /// Returns the outcome of the run, once it has ended.
    pub(crate) fn ended(&self) -> Option<RunEnd> {
        self.lock().ring.end().cloned()
    }

    /// Returns whether the run continues another one after answers.
    pub(crate) const fn continues(&self) -> bool {
        self.continued.is_some()
    }

    /// Returns the conversations of the agents in calls which waited for answers.
    pub(crate) fn waiting_agents(&self) -> &[String] {
        self.continued.as_ref().map_or(&[], |continued| &continued.waiting_agents)
    }

    /// Makes the first message follow the log as it was when the run took the conversation. The
    /// process that had it before may have added events since this run was created.
    fn place(&self, state: &mut LiveState) {
        let taken_at = self.handle.get().and_then(RunHandle::taken_at);
        if let Some(head) = taken_at.filter(|head| *head > state.encoder.position().0) {
            state.encoder = NativeEncoder::after(head, 0);
        }
    }

    /// Returns whether a continued run says something again that the log has.
    fn is_repeated(&self, event: RunEventRef<'_>, stored: u64) -> bool {
        let repeated = self.continued.as_ref().and_then(|continued| continued.repeated_turn);
        let of_turn = |turn| repeated.is_some() && turn == repeated;
        match event {
            RunEventRef::Entry(entry) => own_position(entry).is_some_and(|seq| seq <= stored),
            RunEventRef::Text(_, at) | RunEventRef::CallText(_, at) => of_turn(at.turn),
            _ => false,
        }
    }

    /// Keeps a message, and passes it to all readers. The message is made only if the run has
    /// readers.
    fn deliver(&self, state: &mut LiveState, is_native: bool, output: PublishedOutput<'_>) {
        let position = state.encoder.position();
        let mut made = None;
        let mut message = || {
            let make = || Arc::new(LiveMessage { position, is_native, output: output.to_owned() });
            Arc::clone(made.get_or_insert_with(make))
        };
        let is_kept = match output {
            PublishedOutput::Event(RunEventRef::Text(text, place)) => {
                state.ring.push_text(position, text, place, self.limits.ring)
            }
            _ => false,
        };
        if !is_kept {
            state.ring.push(&message(), self.limits.ring);
        }
        state.readers.retain(|reader| reader.try_send(message()).is_ok());
        if is_native {
            let conversation = &self.place.conversation;
            let json = || message().json();
            match self.is_mirror {
                false => self.journal.publish(conversation, position, json),
                true => self.journal.publish_mirrored(conversation, position, json),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveMessage {
    /// Returns the native message; an empty text if there is none.
    pub(crate) fn frame(&self) -> String {
        let (seq, n) = self.position;
        // So the encoder gives the message this position.
        let mut encoder = match n {
            0 => NativeEncoder::after(seq.saturating_sub(1), 0),
            n => NativeEncoder::after(seq, n - 1),
        };
        let mut frame = String::new();
        match &self.output {
            RunOutput::Event(event) => {
                if let RunEvent::Text(piece) = event {
                    // So a word takes one allocation.
                    frame.reserve(piece.text.len() + AROUND_PIECE);
                }
                encoder.encode(event.as_ref(), &mut frame);
            }
            RunOutput::End(end) => encoder.end(end, &mut frame),
        }
        frame
    }

    /// Returns the event as JSON; an empty text if it has no native message.
    fn json(&self) -> String {
        let frame = self.frame();
        let (_, json) = frame.split_once("\ndata: ").unwrap_or_default();
        json.trim_end().to_owned()
    }

    /// Returns whether this is a piece of a text or of a call, whose whole event follows.
    pub(crate) const fn is_chunk(&self) -> bool {
        matches!(self.output, RunOutput::Event(RunEvent::Text(_) | RunEvent::CallText(_)))
    }

    /// Returns whether this is the end of the run.
    pub(crate) const fn is_end(&self) -> bool {
        matches!(self.output, RunOutput::End(_))
    }

    /// Returns an estimate of the memory that it takes.
    fn size(&self) -> usize {
        self.frame().len() + size_of::<Self>()
    }
}

impl PublishedOutput<'_> {
    fn to_owned(self) -> RunOutput {
        match self {
            Self::Event(event) => RunOutput::Event(event.to_owned()),
            Self::End(end) => RunOutput::End(end.clone()),
        }
    }
}

/// Takes an event's data about the time and the usage of a run.
fn measure(measured: &mut RunMeasure, event: RunEventRef<'_>, began: Instant) {
    match event {
        RunEventRef::Text(text, _) if matches!(text.kind, TextKind::Respond { .. }) => {
            measured.first_text.get_or_insert_with(|| began.elapsed());
        }
        RunEventRef::Entry(entry) if entry.agent_path.is_none() => {
            if let Event::Metric(metric) = &entry.event {
                measured.usage = *metric.all.as_deref().unwrap_or(&metric.total);
                let run = metric.budget.as_deref().and_then(|balances| balances.run);
                measured.cost = run.map_or(measured.cost, |run| run.spent.cost);
            }
        }
        _ => {}
    }
}

/// The bytes of a native message around its piece: its id, its position and the time.
const AROUND_PIECE: usize = 144;

/// Returns the position of a stored entry of the run's own log.
pub(crate) fn own_position(entry: &Entry) -> Option<u64> {
    entry.seq.filter(|_| entry.event.is_stored() && entry.agent_path.is_none())
}
