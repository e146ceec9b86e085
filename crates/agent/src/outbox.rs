//! Output of a turn that waits until everything before it is stored.
//!
//! Text goes to the sink at once, unless something is pending. Everything else is pending until
//! [`Outbox::flush`], which stores and shows it in order. Decisions of the plan are pending too: a
//! call starts after its own event is stored and before later text is shown. Reports of the plan
//! keep their place among the events and are never stored.
//!
//! While a turn is read again, events that the log holds are only shown, or not even that.

use std::collections::VecDeque;

use silcrow_event::{CallTextFragment, Entry, Event, RunEventRef, TextFragment, TextKind};
use silcrow_plan::{Plan, PlanDecision, PlanUpdate};

use crate::error::Error;
use crate::sink::{OutputSink, SinkOutput};
use crate::stored_turn::StoredTurn;
use crate::transition::reported;

/// The pending output of one turn.
pub(crate) struct Outbox {
    turn: u32,
    pending: VecDeque<PendingOutput>,
    /// The part of the turn that the log holds.
    pub(crate) stored: StoredTurn,
    /// Whether nothing that is stored is shown.
    pub(crate) is_quiet: bool,
}

enum PendingOutput {
    Event(Event),
    Text {
        kind: TextKind,
        part: u32,
        id: Option<String>,
        text: String,
    },
    CallText {
        call: u32,
        id: Option<String>,
        name: Option<String>,
        text: String,
    },
    /// A report of the plan, which is only shown.
    Report(PlanUpdate),
    /// A decision about a call, which is carried out once everything before it is stored.
    Decision(PlanDecision),
    /// An entry of another log, or one that is stored already, which is only shown.
    Shown(Box<Entry>),
    /// A person's approval for the whole conversation: the id of the call, and the scope.
    Grant {
        id: String,
        scope: String,
    },
}

impl Outbox {
    /// Creates an empty outbox for a turn.
    pub(crate) fn new(turn: u32) -> Self {
        let stored = StoredTurn::default();
        Self { turn, pending: VecDeque::new(), stored, is_quiet: false }
    }

    /// Returns the number of the turn.
    pub(crate) const fn turn(&self) -> u32 {
        self.turn
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns whether everything is stored and shown, and was read again if it is. Later events
    /// are new.
    pub(crate) fn has_settled(&mut self) -> bool {
        let has_settled = self.is_empty() && self.stored.is_over();
        self.is_quiet &= !has_settled;
        has_settled
    }

    /// Takes an event, which is stored if events of its type are.
    pub(crate) fn event(&mut self, event: Event) {
        match self.stored.take(&event) {
            Some(_) if self.is_quiet => {}
            None if self.is_quiet && !event.is_stored() => {}
            None => self.pending.push_back(PendingOutput::Event(event)),
            Some(entry) => self.show(Box::new(entry)),
        }
    }

    /// Takes a piece of text.
    pub(crate) fn text(&mut self, piece: TextFragment<'_>, sink: &mut OutputSink<'_>) {
        if self.is_quiet {
            return;
        }
        if self.pending.is_empty() {
            return sink.show(RunEventRef::Text(piece, sink.log.place(self.turn)));
        }
        let TextFragment { kind, part, id, text } = piece;
        let (id, text) = (id.map(str::to_owned), text.to_owned());
        self.pending.push_back(PendingOutput::Text { kind, part, id, text });
    }

    /// Takes a piece of a call that is being written.
    pub(crate) fn call_text(&mut self, piece: CallTextFragment<'_>, sink: &mut OutputSink<'_>) {
        if self.is_quiet {
            return;
        }
        if self.pending.is_empty() {
            return sink.show(RunEventRef::CallText(piece, sink.log.place(self.turn)));
        }
        let CallTextFragment { call, id, name, text } = piece;
        let (id, name) = (id.map(str::to_owned), name.map(str::to_owned));
        self.pending.push_back(PendingOutput::CallText { call, id, name, text: text.to_owned() });
    }

    /// Takes a report of the plan.
    pub(crate) fn report(&mut self, update: PlanUpdate) {
        if self.is_quiet {
            return;
        }
        self.pending.push_back(PendingOutput::Report(update));
    }

    /// Takes a decision of the plan.
    pub(crate) fn decision(&mut self, decision: PlanDecision) {
        self.pending.push_back(PendingOutput::Decision(decision));
    }

    /// Takes an entry that is only shown.
    pub(crate) fn show(&mut self, entry: Box<Entry>) {
        self.pending.push_back(PendingOutput::Shown(entry));
    }

    /// Takes a person's approval for the whole conversation.
    pub(crate) fn grant(&mut self, id: String, scope: String) {
        self.pending.push_back(PendingOutput::Grant { id, scope });
    }

    /// Stores and shows everything up to the next decisions, in order, and returns those decisions.
    /// If it returns none, the outbox is empty. The plan holds the reasons of calls that failed.
    ///
    /// Events with nothing but reports and decisions between them are stored together.
    pub(crate) async fn flush(
        &mut self,
        plan: &Plan,
        sink: &mut OutputSink<'_>,
    ) -> Result<Vec<PlanDecision>, Error> {
        let turn = self.turn;
        let (mut outputs, mut decisions) = (Vec::new(), Vec::new());
        loop {
            let output = match self.pending.pop_front() {
                Some(PendingOutput::Event(event)) => {
                    outputs.push(SinkOutput::Event(event));
                    continue;
                }
                // Decisions that precede the report are shown first.
                Some(PendingOutput::Report(update)) if decisions.is_empty() => {
                    outputs.extend(reported(update, plan).map(SinkOutput::Call));
                    continue;
                }
                Some(PendingOutput::Decision(decision)) => {
                    decisions.push(decision);
                    continue;
                }
                output => output,
            };
            sink.emit(turn, std::mem::take(&mut outputs)).await?;
            let place = sink.log.place(turn);
            if !decisions.is_empty() {
                if let Some(output) = output {
                    self.pending.push_front(output);
                }
                return Ok(decisions);
            }
            match output {
                Some(PendingOutput::Text { kind, part, id, text }) => {
                    let piece = TextFragment { kind, part, id: id.as_deref(), text: &text };
                    sink.show(RunEventRef::Text(piece, place));
                }
                Some(PendingOutput::CallText { call, id, name, text }) => {
                    let (id, name) = (id.as_deref(), name.as_deref());
                    let piece = CallTextFragment { call, id, name, text: &text };
                    sink.show(RunEventRef::CallText(piece, place));
                }
                Some(PendingOutput::Shown(entry)) => sink.pass_entry(&entry),
                Some(PendingOutput::Grant { id, scope }) => {
                    sink.log.grant(turn, &id, &scope).await?;
                }
                // Taken above.
                Some(
                    PendingOutput::Event(_) | PendingOutput::Report(_) | PendingOutput::Decision(_),
                ) => {}
                None => return Ok(decisions),
            }
        }
    }
}
