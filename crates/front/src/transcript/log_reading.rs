//! The reading of one log: the run's, or the log of a called agent or workflow.

mod blocks;
mod calls;

use std::collections::{HashMap, HashSet};

use silcrow_event::{BlockTracker, Entry, Event, Respond, TextFragment, TextKind, rejects_answer};

use super::ChangeReceiver;
use super::change::{CalledAgent, SectionKind, TranscriptChange};
use super::piecewise_call::PiecewiseCall;
use crate::client_tool_names::ClientToolNames;
use calls::CallKey;

/// The state of reading one log.
#[derive(Debug)]
pub(super) struct LogReading {
    conversation: String,
    agent: Option<CalledAgent>,
    /// The tools that the client has.
    client_tools: ClientToolNames,
    /// The position of the last stored event.
    seq: u64,
    /// The number of the last turn, and whether it is open.
    turn: u32,
    is_in_turn: bool,
    /// Whether the turn has text for the person.
    has_answer: bool,
    /// Whether the turn was cut. If the model is asked again, its texts do not count.
    is_cut: bool,
    taken_back: TakenBack,
    /// The number of texts and of calls in the turn.
    texts: u32,
    calls: u32,
    text: Option<PartialText>,
    written: Vec<PiecewiseCall>,
    /// The calls of the turn, and calls of earlier turns without a result, by turn and id.
    keys: HashMap<(u32, String), CallKey>,
    /// The control blocks of the turn.
    blocks: BlockTracker,
    /// The calls that a loop has not made yet, and that a question is about.
    foreseen: HashSet<(u32, String)>,
}

#[derive(Debug)]
struct PartialText {
    id: String,
    kind: SectionKind,
    part: u32,
    /// The number of bytes that were passed on.
    sent: usize,
}

/// The part of a turn that the protocol can take back, if the turn does not count.
#[derive(Clone, Copy, Debug)]
enum TakenBack {
    Nothing,
    /// All of a turn without calls.
    Turns,
    /// The answers of a turn.
    Answers,
}

impl LogReading {
    pub(super) fn new(conversation: String, agent: Option<CalledAgent>) -> Self {
        Self {
            conversation,
            agent,
            client_tools: ClientToolNames::default(),
            seq: 0,
            turn: 0,
            is_in_turn: false,
            has_answer: false,
            is_cut: false,
            taken_back: TakenBack::Nothing,
            texts: 0,
            calls: 0,
            text: None,
            written: Vec::new(),
            keys: HashMap::new(),
            blocks: BlockTracker::default(),
            foreseen: HashSet::new(),
        }
    }

    pub(super) fn set_client_tools(&mut self, tools: ClientToolNames) {
        self.client_tools = tools;
    }

    pub(super) const fn drop_turns(&mut self) {
        self.taken_back = TakenBack::Turns;
    }

    pub(super) const fn drop_answers(&mut self) {
        self.taken_back = TakenBack::Answers;
    }

    pub(super) const fn client_tools(&self) -> &ClientToolNames {
        &self.client_tools
    }

    pub(super) fn conversation(&self) -> &str {
        &self.conversation
    }

    pub(super) fn is_of(&self, conversation: &str) -> bool {
        self.conversation == conversation
    }

    /// Returns whether this is the log of an agent, or of one inside it. The id of a conversation
    /// begins with the id of the conversation around it.
    pub(super) fn is_within(&self, conversation: &str) -> bool {
        let rest = self.conversation.strip_prefix(conversation);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns whether a call runs this agent.
    pub(super) fn runs_in(&self, call: &str) -> bool {
        self.agent.as_ref().and_then(|agent| agent.call.as_deref()) == Some(call)
    }

    /// Takes a piece of text.
    pub(super) fn text(
        &mut self,
        piece: TextFragment<'_>,
        turn: Option<u32>,
        to: &mut ChangeReceiver<'_>,
    ) {
        let kind = match piece.kind {
            TextKind::Think => SectionKind::Thought,
            TextKind::Respond { .. } => SectionKind::Answer,
            // An entry with the whole text follows.
            _ => return,
        };
        self.begin_turn(turn, to);
        let is_open = |open: &PartialText| open.part == piece.part && open.kind == kind;
        if !self.text.as_ref().is_some_and(is_open) {
            self.end_text(to);
            self.begin_text(kind, piece.part, to);
        }
        self.grow_text(piece.text, to);
    }

    /// Takes an event of this log.
    pub(super) fn entry(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) {
        if entry.event.is_stored() {
            match entry.seq {
                Some(seq) if seq <= self.seq => return,
                Some(seq) => self.seq = seq,
                None => {}
            }
        }
        self.begin_blocks(entry, to);
        self.event(entry, to);
        self.end_blocks(entry, to);
    }

    fn event(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) {
        match &entry.event {
            Event::User { content, steer, .. } => {
                let (steer, seq) = (*steer, entry.seq);
                if !steer {
                    self.is_cut = false;
                    self.end_turn(to);
                }
                self.pass(TranscriptChange::Message { content, steer, seq }, to);
            }
            Event::Think(think) => {
                self.whole_text(entry.turn, SectionKind::Thought, &think.content, to);
            }
            Event::Respond(Respond { malformed: Some(id), content, .. }) => {
                self.rejected(entry.turn, id, content, to);
            }
            Event::Respond(respond) => {
                self.whole_text(entry.turn, SectionKind::Answer, &respond.content, to);
            }
            Event::Call(call) => self.call(entry.turn, call, to),
            Event::Result(result) => {
                let id = result.id.as_deref().unwrap_or_default();
                if let Some(call) = self.key(entry.turn, id) {
                    self.pass(TranscriptChange::CallEnded { call, result }, to);
                }
                let key = (entry.turn.unwrap_or_default(), id.to_owned());
                if let Some(call) = self.keys.get_mut(&key) {
                    call.has_ended = true;
                }
            }
            Event::Batch(batch) => {
                for result in batch.unfold() {
                    let event = Event::Result(result);
                    self.entry(&Entry { turn: entry.turn, ..Entry::from(event) }, to);
                }
            }
            // A call that asks for a door runs in any case.
            Event::Approval(approval) if approval.is_at_wall() => {}
            Event::Approval(approval) => {
                let (state, reason) = (approval.state, approval.reason.as_deref());
                self.asked(entry.turn, &approval.id, state, reason, to);
            }
            Event::Parked(parked) => self.parked(entry.turn, parked, to),
            Event::Progress(progress) => {
                if let Some(call) = self.key(entry.turn, &progress.id) {
                    let (channel, piece) = (&*progress.channel, &*progress.content);
                    self.pass(TranscriptChange::CallPrinted { call, channel, piece }, to);
                }
            }
            Event::Changes(changes) => {
                if let Some(call) = self.key(entry.turn, &changes.id) {
                    let files = &changes.files[..];
                    self.pass(TranscriptChange::CallChanged { call, files }, to);
                }
            }
            Event::Metric(metric) => self.pass(TranscriptChange::Measured(metric), to),
            Event::Notice { content } => {
                self.rejection(entry.turn, content, to);
                self.pass(TranscriptChange::Noticed(content), to);
            }
            Event::Summary(summary) => self.pass(TranscriptChange::Summarized(summary), to),
            Event::Title { content } => self.pass(TranscriptChange::Titled(content), to),
            Event::Error(error) => self.pass(TranscriptChange::Failed(error), to),
            Event::Failed(failure) => {
                self.end_text(to);
                self.pass(TranscriptChange::RunFailed(failure), to);
            }
            Event::Cancelled { content } => {
                self.is_cut = self.has_answer;
                self.end_text(to);
                self.pass(TranscriptChange::Stopped(content), to);
            }
            _ => {}
        }
    }

    /// Ends the text that is open, and forgets the calls that are half written.
    pub(super) fn cut(&mut self, to: &mut ChangeReceiver<'_>) {
        self.end_text(to);
        self.written.clear();
    }

    /// Ends everything that is open.
    pub(super) fn end(&mut self, to: &mut ChangeReceiver<'_>) {
        self.end_turn(to);
        if self.agent.is_some() {
            self.pass(TranscriptChange::AgentEnded, to);
        }
    }

    fn whole_text(
        &mut self,
        turn: Option<u32>,
        kind: SectionKind,
        content: &str,
        to: &mut ChangeReceiver<'_>,
    ) {
        self.begin_turn(turn, to);
        if self.text.as_ref().is_none_or(|open| open.kind != kind) {
            self.end_text(to);
            self.begin_text(kind, 0, to);
        }
        let sent = self.text.as_ref().map_or(0, |open| open.sent);
        if let Some(rest) = content.get(sent..) {
            self.grow_text(rest, to);
        }
        self.end_text(to);
    }

    /// Handles a notice that the text of a turn was not the answer.
    fn rejection(&mut self, turn: Option<u32>, notice: &str, to: &mut ChangeReceiver<'_>) {
        if self.has_answer && turn == Some(self.turn) && rejects_answer(notice) {
            self.drop_answer(NOT_THE_ANSWER, to);
        }
    }

    /// Drops the texts of the turn, or says below them that they do not count.
    fn drop_answer(&mut self, why: &str, to: &mut ChangeReceiver<'_>) {
        self.end_text(to);
        match self.taken_back {
            TakenBack::Answers if self.agent.is_none() => {
                self.pass(TranscriptChange::AnswerDropped(self.turn), to);
            }
            TakenBack::Turns if self.calls == 0 && self.agent.is_none() => {
                self.pass(TranscriptChange::TurnDropped(self.turn), to);
            }
            _ => {
                self.begin_text(SectionKind::Answer, 0, to);
                self.grow_text(why, to);
                self.end_text(to);
            }
        }
        self.has_answer = false;
    }

    /// Begins a turn, unless it has begun.
    fn begin_turn(&mut self, turn: Option<u32>, to: &mut ChangeReceiver<'_>) {
        let Some(turn) = turn.filter(|turn| *turn > self.turn) else { return };
        if std::mem::take(&mut self.is_cut) && self.has_answer {
            self.drop_answer(CUT, to);
        }
        self.end_turn(to);
        (self.turn, self.is_in_turn) = (turn, true);
        (self.texts, self.calls, self.has_answer) = (0, 0, false);
        self.written.clear();
        self.keys.retain(|_, call| !call.has_ended);
        if self.agent.is_none() {
            self.pass(TranscriptChange::TurnBegan(turn), to);
        }
    }

    fn end_turn(&mut self, to: &mut ChangeReceiver<'_>) {
        self.end_text(to);
        self.finish_blocks(to);
        if std::mem::take(&mut self.is_in_turn) && self.agent.is_none() {
            self.pass(TranscriptChange::TurnEnded(self.turn), to);
        }
    }

    fn begin_text(&mut self, kind: SectionKind, part: u32, to: &mut ChangeReceiver<'_>) {
        self.texts += 1;
        self.has_answer |= kind == SectionKind::Answer;
        let id = self.id('t', self.texts);
        self.pass(TranscriptChange::TextBegan { text: &id, kind }, to);
        self.text = Some(PartialText { id, kind, part, sent: 0 });
    }

    fn grow_text(&mut self, piece: &str, to: &mut ChangeReceiver<'_>) {
        let (Some(open), false) = (&mut self.text, piece.is_empty()) else { return };
        open.sent += piece.len();
        to(self.agent.as_ref(), TranscriptChange::TextGrew { text: &open.id, piece });
    }

    fn end_text(&mut self, to: &mut ChangeReceiver<'_>) {
        if let Some(open) = self.text.take() {
            self.pass(TranscriptChange::TextEnded { text: &open.id }, to);
        }
    }

    /// Returns the id of a text or a call of the turn.
    fn id(&self, kind: char, number: u32) -> String {
        let id = format!("{kind}{}-{number}", self.turn);
        match &self.agent {
            Some(agent) => format!("{}:{id}", agent.id),
            None => id,
        }
    }

    fn pass(&self, change: TranscriptChange<'_>, to: &mut ChangeReceiver<'_>) {
        to(self.agent.as_ref(), change);
    }
}

/// The text below an answer that was cut, and that the model writes again.
const CUT: &str = "(This answer was cut, and the model was asked again.)";

/// The text below an answer that the run did not accept.
const NOT_THE_ANSWER: &str = "(That was not the answer, and the model was asked again.)";
