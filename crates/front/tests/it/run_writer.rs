//! Writes the events of a run as a run emits them: pieces first, then stored entries.

use std::time::Duration;

use silcrow_event::{
    Call, CallTextFragment, CallTransition, Entry, Event, LogPosition, RunEvent, RunEventRef,
    RunOpening, TextFragment, TextKind, Timestamp,
};

pub(crate) struct RunWriter {
    pub(crate) events: Vec<RunEvent>,
    /// The names of the run, which its first entry has.
    opening: Option<RunOpening>,
    turn: u32,
    part: u32,
    seq: u64,
    /// The position in the log of a called agent.
    agent_seq: u64,
    /// The number of characters in a piece, if the run comes in pieces.
    piece: Option<usize>,
}

impl RunWriter {
    /// Begins the run `r1` of the conversation `talk` with a prompt.
    pub(crate) fn begin(prompt: &str, piece: Option<usize>) -> Self {
        let mut run = Self::open("r1", 0, piece);
        run.store(Event::user(prompt));
        run
    }

    /// Begins the run `r2`, which continues the conversation after an event of its first turn.
    pub(crate) fn resume(seq: u64, piece: Option<usize>) -> Self {
        Self::open("r2", seq, piece)
    }

    fn open(run: &str, seq: u64, piece: Option<usize>) -> Self {
        let opening =
            RunOpening { conversation: "talk".to_owned(), run: run.to_owned(), caller: None };
        Self {
            events: Vec::new(),
            opening: Some(opening),
            turn: 1,
            part: 0,
            seq,
            agent_seq: 0,
            piece,
        }
    }

    pub(crate) const fn turn(&self) -> u32 {
        self.turn
    }

    pub(crate) const fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
        self.part = 0;
    }

    pub(crate) fn think(&mut self, text: &str) {
        self.text(TextKind::Think, text);
        self.store(Event::think(text.trim_end()));
    }

    pub(crate) fn answer(&mut self, text: &str) {
        self.answer_piece(text);
        self.store(Event::respond(text.trim_end()));
    }

    /// Writes an answer that is not complete.
    pub(crate) fn answer_piece(&mut self, text: &str) {
        self.text(TextKind::Respond { last: true }, text);
    }

    fn text(&mut self, kind: TextKind, text: &str) {
        self.part += 1;
        for text in self.pieces(text) {
            let piece = TextFragment { kind, part: self.part, id: None, text: &text };
            self.events.push(RunEventRef::Text(piece, self.place()).to_owned());
        }
    }

    /// Writes the call `a` and its number.
    pub(crate) fn call(&mut self, number: u32, name: &str, args: &str) {
        self.begin_call(number, name, args);
        self.end_call(number, name, args);
    }

    /// Writes the pieces of a call.
    pub(crate) fn begin_call(&mut self, number: u32, name: &str, args: &str) {
        let named = format!(r#"{{"name":"{name}""#).len();
        let mut at = 0;
        for text in self.pieces(&body(name, args)) {
            let name = (at >= named).then_some(name);
            let piece = CallTextFragment { call: number, id: None, name, text: &text };
            self.events.push(RunEventRef::CallText(piece, self.place()).to_owned());
            at += text.len();
        }
    }

    /// Writes the id of a call whose pieces are written, and the whole call.
    pub(crate) fn end_call(&mut self, number: u32, name: &str, args: &str) {
        if self.piece.is_some() {
            let id = format!("a{number}");
            let (id, name) = (Some(&*id), Some(name));
            let piece = CallTextFragment { call: number, id, name, text: "" };
            self.events.push(RunEventRef::CallText(piece, self.place()).to_owned());
        }
        self.store(call(number, name, args));
    }

    /// Says that a call starts.
    pub(crate) fn start(&mut self, id: &str, args: &str) {
        let (id, args) = (id.to_owned().into(), args.to_owned().into());
        let started = CallTransition::Started { id, attempt: 1, args };
        self.events.push(RunEvent::Call(started, self.place()));
    }

    /// Writes an event of the log.
    pub(crate) fn store(&mut self, event: Event) {
        self.seq += 1;
        self.pass(event);
    }

    /// Writes an event that is not stored.
    pub(crate) fn pass(&mut self, event: Event) {
        let LogPosition { turn, seq, timestamp } = self.place();
        let opening = self.opening.take();
        let entry = Entry { turn, seq, timestamp, opening, ..Entry::from(event) };
        self.events.push(RunEvent::Entry(Box::new(entry)));
    }

    /// Writes the next events of the agent `helper`, which a call runs.
    pub(crate) fn agent(&mut self, call: &str, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.agent_seq += 1;
            let conversation = format!("talk/{}/{call}", self.turn);
            let opening = RunOpening { conversation, run: "r3".to_owned(), caller: None };
            self.events.push(RunEvent::Entry(Box::new(Entry {
                seq: Some(self.agent_seq),
                turn: Some(1),
                agent_path: Some("helper".to_owned()),
                opening: Some(opening),
                timestamp: self.place().timestamp,
                ..Entry::from(event)
            })));
        }
    }

    /// A hundredth of a second passes between two events.
    fn place(&self) -> LogPosition {
        let time = Duration::from_millis(10 * self.events.len() as u64);
        let timestamp = Some(Timestamp::UNIX_EPOCH.saturating_add(BEGIN + time));
        LogPosition { turn: Some(self.turn), seq: Some(self.seq), timestamp }
    }

    /// Cuts a text into pieces; the list is empty if the run comes as a whole.
    fn pieces(&self, text: &str) -> Vec<String> {
        let Some(size) = self.piece else { return Vec::new() };
        let chars: Vec<_> = text.chars().collect();
        chars.chunks(size).map(|piece| piece.iter().collect()).collect()
    }
}

/// Returns the call `a` and its number.
pub(crate) fn call(number: u32, name: &str, args: &str) -> Event {
    Event::Call(Call::parse(format!("a{number}"), body(name, args)).unwrap())
}

fn body(name: &str, args: &str) -> String {
    format!(r#"{{"name":"{name}","args":{args}}}"#)
}

/// The first second of 2026.
const BEGIN: Duration = Duration::from_secs(1_767_225_600);
