//! Output of a turn that waits until everything before it is stored.
//!
//! Text goes to the sink at once, unless something is pending. Everything else is pending until
//! [`Outbox::flush`], which stores and shows it in order. Decisions of the plan are pending too: a
//! call starts after its own event is stored and before later text is shown.

use std::collections::VecDeque;

use silcrow_event::{CallTextFragment, Entry, Event, RunEventRef, TextFragment, TextKind};
use silcrow_plan::PlanDecision;

use crate::error::Error;
use crate::sink::OutputSink;

/// The pending output of one turn.
pub(crate) struct Outbox {
    turn: u32,
    pending: VecDeque<PendingOutput>,
}

enum PendingOutput {
    Event(Event),
    Text {
        kind: TextKind,
        part: u32,
        text: String,
    },
    CallText {
        call: u32,
        name: Option<String>,
        text: String,
    },
    /// A decision about a call, which is carried out once everything before it is stored.
    Decision(PlanDecision),
    /// An entry of another log, which is only shown.
    Inner(Box<Entry>),
    /// A person's approval for the whole conversation: the id of the call, and what it covers.
    Grant {
        id: String,
        scope: String,
    },
}

impl Outbox {
    /// Creates an empty outbox for a turn.
    pub(crate) const fn new(turn: u32) -> Self {
        Self { turn, pending: VecDeque::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Takes an event, which is stored if events of its type are.
    pub(crate) fn event(&mut self, event: Event) {
        self.pending.push_back(PendingOutput::Event(event));
    }

    /// Takes a piece of text.
    pub(crate) fn text(&mut self, piece: TextFragment<'_>, sink: &mut OutputSink<'_>) {
        if self.pending.is_empty() {
            return sink.show(RunEventRef::Text(piece, sink.log.place(self.turn)));
        }
        let TextFragment { kind, part, text } = piece;
        self.pending.push_back(PendingOutput::Text { kind, part, text: text.to_owned() });
    }

    /// Takes a piece of a call that is being written.
    pub(crate) fn call_text(&mut self, piece: CallTextFragment<'_>, sink: &mut OutputSink<'_>) {
        if self.pending.is_empty() {
            return sink.show(RunEventRef::CallText(piece, sink.log.place(self.turn)));
        }
        let CallTextFragment { call, name, text } = piece;
        let (name, text) = (name.map(str::to_owned), text.to_owned());
        self.pending.push_back(PendingOutput::CallText { call, name, text });
    }

    /// Takes a decision of the plan.
    pub(crate) fn decision(&mut self, decision: PlanDecision) {
        self.pending.push_back(PendingOutput::Decision(decision));
    }

    /// Takes an entry of another log.
    pub(crate) fn inner(&mut self, entry: Box<Entry>) {
        self.pending.push_back(PendingOutput::Inner(entry));
    }

    /// Takes a person's approval for the whole conversation.
    pub(crate) fn grant(&mut self, id: String, scope: String) {
        self.pending.push_back(PendingOutput::Grant { id, scope });
    }

    /// Stores and shows everything up to the next decisions, in order, and returns those decisions.
    /// If it returns none, the outbox is empty.
    ///
    /// Events with nothing but decisions between them are stored together.
    pub(crate) async fn flush(
        &mut self,
        sink: &mut OutputSink<'_>,
    ) -> Result<Vec<PlanDecision>, Error> {
        let turn = self.turn;
        let (mut events, mut decisions) = (Vec::new(), Vec::new());
        loop {
            let output = match self.pending.pop_front() {
                Some(PendingOutput::Event(event)) => {
                    events.push(event);
                    continue;
                }
                Some(PendingOutput::Decision(decision)) => {
                    decisions.push(decision);
                    continue;
                }
                output => output,
            };
            sink.emit(turn, std::mem::take(&mut events)).await?;
            let place = sink.log.place(turn);
            if !decisions.is_empty() {
                if let Some(output) = output {
                    self.pending.push_front(output);
                }
                return Ok(decisions);
            }
            match output {
                Some(PendingOutput::Text { kind, part, text }) => {
                    let piece = TextFragment { kind, part, text: &text };
                    sink.show(RunEventRef::Text(piece, place));
                }
                Some(PendingOutput::CallText { call, name, text }) => {
                    let piece = CallTextFragment { call, name: name.as_deref(), text: &text };
                    sink.show(RunEventRef::CallText(piece, place));
                }
                Some(PendingOutput::Inner(entry)) => sink.pass_entry(&entry),
                Some(PendingOutput::Grant { id, scope }) => {
                    sink.log.grant(turn, &id, &scope).await?;
                }
                // Taken above.
                Some(PendingOutput::Event(_) | PendingOutput::Decision(_)) => {}
                None => return Ok(decisions),
            }
        }
    }
}
