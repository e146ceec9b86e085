//! The end of a run that waits for answers, and the beginning of the run that continues it.
//!
//! A run parks when nothing is left to do but to answer questions. The text of each turn that waits
//! is stored with its questions in one write. The run that continues reads the text again: events
//! that the log holds are not stored again, and calls with a result do not run again (P-28).

use std::collections::BTreeSet;
use std::sync::Arc;

use silcrow_event::{Call, CallMode, Entry, Event, Respond, RunEventRef, TextFragment, TextKind};

mod changed_turns;

use super::AgentRun;
use crate::draft::failed_call;
use crate::error::{Error, ErrorKind};
use crate::given_answer::approvals;
use crate::interrupted_loop::interrupted_turn;
use crate::native_wire;
use crate::outcome::RunOutcome;
use crate::questions::{ParkedTurn, QuestionAnswer, parked_turns, questions};
use crate::runner::{give_answers, runner};
use crate::step_kind::StepKind;
use crate::stored_turn::StoredTurn;
use crate::turn::Turn;
use crate::turn_replay::TurnReplay;

/// The point from which a resumed run continues.
pub(super) struct Resumed {
    /// The turn whose calls wait for answers; `None` if the model is asked next.
    pub(super) turn: Option<Box<Turn>>,
    /// The number of requests that the run had made.
    pub(super) steps: u32,
    /// Whether the model had answered, so that only calls in the background are left.
    pub(super) is_over: bool,
}

impl AgentRun<'_> {
    /// Returns whether nothing is left to do but to answer questions.
    pub(super) fn is_parked(&self, turn: &Turn) -> bool {
        !turn.is_read()
            && turn.is_parked()
            && !self.connection.is_answering()
            && self.background.is_parked()
    }

    /// Stores the state that a later run needs, and ends the run.
    pub(super) async fn park(&mut self) -> Result<RunOutcome, Error> {
        let turns = self.background.take();
        let parked =
            turns.iter().map(|turn| (turn.number(), Event::Parked(turn.parked(self.parts))));
        self.sink.store_turns(parked.collect()).await?;
        Ok(RunOutcome::Waiting(questions(&self.sink.log).await?))
    }

    /// Stores the answers, and restores the turns that wait. Calls that an earlier run left open in
    /// other turns get results.
    pub(super) async fn resume(&mut self, answers: &[QuestionAnswer]) -> Result<Resumed, Error> {
        self.sink.log.owned()?;
        if self.sink.log.entries().is_empty() {
            let id = self.sink.log.conversation();
            let why = format!("unknown conversation `{id}`; send a prompt to begin it");
            return Err(Error::new(ErrorKind::Refused, why));
        }
        let parked = parked_turns(&self.sink.log).await?;
        self.check_dialect(&parked)?;
        let given = approvals(&questions(&self.sink.log).await?, answers)?;
        self.sink.store_answers(&given).await?;
        let mut parked = parked_turns(&self.sink.log).await?;
        let is_native = self.parts.options.calls.is_native();
        if !is_native && !parked.iter().any(|parked| parked.turn == self.turn) {
            let options = self.parts.options.dialect;
            parked.extend(interrupted_turn(&self.sink.log, self.tools.all(), options).await?);
        }
        let changed = self.remove_changed(&mut parked).await?;
        let numbers: BTreeSet<u32> = parked.iter().map(|parked| parked.turn).collect();
        self.recover(&parked).await?;
        self.notice_changed(&changed).await?;
        let begin = self.begin_of_last_turn();
        let entries = self.sink.log.entries();
        let last_turn = self.turn;
        let of_last = |entry: &&Entry| entry.turn == Some(last_turn);
        let is_parked = numbers.contains(&last_turn);
        let is_answered = is_answered(&entries[begin..]);
        if parked.is_empty() && is_answered && self.scope.agent_path.is_empty() {
            return Err(Error::new(
                ErrorKind::Refused,
                "the last prompt has an answer, so the conversation waits for nothing; send a prompt \
                 to continue it",
            ));
        }
        self.has_unread = entries[begin..].iter().any(|entry| is_steer(&entry.event));
        let before = steps_since_prompt(if is_parked { &entries[..begin] } else { entries });
        for number in &before {
            let own: Vec<_> = entries.iter().filter(|entry| entry.turn == Some(*number)).collect();
            // The run that wrote these has acted on it.
            let _ = self.repeated.push(&own);
            self.is_answered |= has_accepted_text(&own);
        }
        let is_over = !is_parked && is_answered;
        if is_over {
            let own: Vec<Entry> = entries[begin..].iter().filter(of_last).cloned().collect();
            self.show_again(&own);
        }
        let mut current = None;
        for waiting in parked {
            let is_current = waiting.turn == last_turn;
            // Only the current turn is shown again.
            let replay = if is_current { TurnReplay::Shown } else { TurnReplay::Quiet };
            let turn = self.restore(&waiting, replay).await?;
            if is_current {
                current = Some(Box::new(turn));
            } else if turn.is_running() {
                self.background.push(turn);
            }
        }
        let made = before.len() as u32 + 1;
        Ok(Resumed { steps: if current.is_some() { made } else { 0 }, turn: current, is_over })
    }

    /// Returns an error if the text of a turn that waits is in another dialect.
    fn check_dialect(&self, parked: &[ParkedTurn]) -> Result<(), Error> {
        let reads = native_wire::notation(self.parts);
        let Some(other) =
            parked.iter().find(|turn| (&*turn.parked.dialect, turn.parked.inline) != reads)
        else {
            return Ok(());
        };
        let (dialect, inline) = (&other.parked.dialect, other.parked.inline);
        let inline = if inline { ", with delimiters anywhere in a line" } else { "" };
        let why = format!("the run waits in the dialect `{dialect}`{inline}; resume it in that");
        Err(Error::new(ErrorKind::Refused, why))
    }

    /// Restores a turn that waits.
    async fn restore(&mut self, waiting: &ParkedTurn, replay: TurnReplay) -> Result<Turn, Error> {
        let mut turn = self.read_turn(waiting, replay).await?;
        turn.settle(StepKind::Ordinary, &mut self.sink).await?;
        Ok(turn)
    }

    /// Reads the text of a turn that waits. Nothing is stored or started yet.
    async fn read_turn(&mut self, waiting: &ParkedTurn, replay: TurnReplay) -> Result<Turn, Error> {
        let ParkedTurn { turn: number, parked, answers, .. } = waiting;
        let tools = self.tools.all();
        let mut runner = runner(self.parts, tools, self.scope, &self.sink.log, *number);
        // At another root the same target is another thing.
        if parked.root == self.parts.root_identity() {
            give_answers(&mut runner, answers);
        }
        for id in &parked.inside {
            runner.resume_call(id);
        }
        let entries = self.sink.log.entries().iter();
        let own = entries.filter(|entry| entry.turn == Some(*number)).cloned().collect();
        let unstarted = self.sink.log.unstarted(*number).await?;
        // A newer version may have parked the run, and may support more families.
        let families = parked.families.iter().filter_map(|name| name.parse().ok()).collect();
        let (tools, forms) = (Arc::clone(tools), self.native_forms(families));
        Ok(Turn::new(self.parts, &tools, runner, *number, forms).read_again(
            &parked.wire,
            StoredTurn::new(own).with_unstarted(unstarted),
            replay,
            &mut self.sink,
        ))
    }

    /// Returns the index of the first entry of the model's last turn.
    pub(super) fn begin_of_last_turn(&self) -> usize {
        let entries = self.sink.log.entries();
        let begins = |entry: &Entry| {
            entry.turn == Some(self.turn)
                && !matches!(entry.event, Event::User { steer: false, .. })
        };
        entries.iter().position(begins).unwrap_or(entries.len())
    }

    /// Shows the answer of an earlier run.
    fn show_again(&mut self, entries: &[Entry]) {
        for (entry, part) in entries.iter().zip(1..) {
            if let Event::Respond(Respond { content, last, malformed: None, .. }) = &entry.event
                && !content.is_empty()
            {
                let kind = TextKind::Respond { last: *last };
                let text = TextFragment { kind, part, id: None, text: content };
                self.sink.show(RunEventRef::Text(text, self.sink.log.place(self.turn)));
            }
            self.sink.pass_entry(entry);
        }
    }
}

/// Returns the turns since the last prompt.
fn steps_since_prompt(entries: &[Entry]) -> BTreeSet<u32> {
    let is_prompt = |entry: &Entry| matches!(entry.event, Event::User { steer: false, .. });
    let begin = entries.iter().rposition(is_prompt).map_or(0, |at| at + 1);
    entries[begin..].iter().filter_map(|entry| entry.turn).collect()
}

/// Returns whether the model wrote text for the person in a turn, and the run had no objection.
fn has_accepted_text(own: &[&Entry]) -> bool {
    let is_text = |event: &Event| matches!(event, Event::Respond(Respond { last: true, .. }));
    let is_notice = |event: &Event| matches!(event, Event::Notice { .. });
    own.iter().any(|entry| is_text(&entry.event))
        && !own.iter().any(|entry| is_notice(&entry.event))
        && failed_call(own.iter().map(|entry| &entry.event)).is_none()
}

/// Returns whether a turn ends with an answer that the run accepted, and that no message of the
/// person followed. The results of its calls and of earlier turns' calls may come later.
fn is_answered(entries: &[Entry]) -> bool {
    let is_behind =
        |call: &Call| call.action().is_some_and(|action| action.mode == CallMode::FireAndForget);
    let decides = |entry: &Entry| match &entry.event {
        Event::Respond(Respond { last, malformed, .. }) => Some(*last && malformed.is_none()),
        Event::Call(call) if is_behind(call) => None,
        // One that is about no turn, such as about an undo, takes no answer back.
        Event::Notice { .. } if entry.turn.is_none() => None,
        Event::Notice { .. } | Event::Cancelled { .. } | Event::Call(_) => Some(false),
        event if is_steer(event) => Some(false),
        _ => None,
    };
    // The model has not read the results of a batch in its turn.
    let is_batched = |entry: &Entry| match &entry.event {
        Event::Call(call) => call.action().is_none(),
        _ => false,
    };
    !entries.iter().any(is_batched)
        && entries.iter().rev().find_map(decides).unwrap_or(false)
        && failed_call(last_turn(entries)).is_none()
}

/// Returns the events of the last turn.
fn last_turn(entries: &[Entry]) -> impl Iterator<Item = &Event> + Clone {
    let last = entries.iter().filter_map(|entry| entry.turn).max();
    entries.iter().filter(move |entry| entry.turn == last).map(|entry| &entry.event)
}

const fn is_steer(event: &Event) -> bool {
    matches!(event, Event::User { steer: true, .. })
}
