//! The turns of a log (section 9 of the protocol).
//!
//! The log is read once, in order. At most one turn of the model is open at a time: it collects the
//! model's texts and the results of its calls, and is written when the next turn or a message of
//! the person begins. Then it is closed, and no later event changes its messages. A message that
//! the person sent during a turn does not close it: it follows the turn's results. The module
//! `transcript` writes the messages.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use silcrow_event::{Call, CallMode, CallResult, Content, DataKey, Entry, Event, Timestamp};
use silcrow_parser::{Dialect, Options};

use crate::logged::LoggedEvent;
use crate::media_parts::shown_earlier;
use crate::pair::{self, WrittenCall};
use crate::passed_on::without_passed_on;
use crate::silent::{is_blank, is_silent};
use crate::transcript::{ModelView, Transcript};
use crate::view::{EventView, shorten};

/// The messages of the turns that are closed, and of the person between them.
#[derive(Clone)]
pub(crate) struct ClosedTurns {
    talk: Transcript,
    /// The key of the marks around results, if they have any. It is made of the words and the times of
    /// the log, so that no later event changes an earlier mark.
    key: Option<DataKey>,
    /// The person's messages that were sent before the first words of the open turn, and follow it.
    early: Vec<Content>,
    /// The ids of calls whose results the model does not read, by turn.
    unawaited: BTreeMap<Option<u32>, BTreeSet<String>>,
}

impl ClosedTurns {
    pub(crate) fn new(options: Options, data_marks: bool, model: ModelView<'_>) -> Self {
        let talk = Transcript::new(options, model);
        let key = data_marks.then(DataKey::default);
        Self { talk, key, early: Vec::new(), unawaited: BTreeMap::new() }
    }

    /// Creates the turns of a conversation that is over. Their numbers say nothing about the turns
    /// of the log that follows.
    pub(crate) fn after(
        examples: &[Entry],
        options: Options,
        data_marks: bool,
        model: ModelView<'_>,
    ) -> Self {
        let mut turns = Self::new(options, data_marks, model);
        let mut open = OpenTurn::default();
        for entry in examples {
            turns.push(entry.into(), &mut open);
        }
        turns.close(&mut open, TurnEnd::Person);
        turns.unawaited.clear();
        turns
    }

    pub(crate) const fn options(&self) -> Options {
        self.talk.options()
    }

    /// Returns whether messages are for the vendor's own calls of this model, or for none, and for a
    /// model that takes the same media.
    pub(crate) fn is_for(&self, model: ModelView<'_>) -> bool {
        let is_same = match (self.talk.native(), model.native) {
            (Some(turns), Some(model)) => turns.is_for(model),
            (turns, native) => turns.is_none() && native.is_none(),
        };
        is_same && self.talk.senses() == model.senses
    }

    /// Returns the messages so far.
    pub(crate) const fn talk(&self) -> &Transcript {
        &self.talk
    }

    /// Continues after turns for which the messages of `talk` stand. Later marks depend on the summary
    /// of these turns in place of their words.
    pub(crate) fn skip(&mut self, replaced: &[Entry], summary: &Entry, talk: Transcript) {
        for entry in replaced {
            if let Event::Call(call) = &entry.event
                && !is_awaited(call)
            {
                self.unawaited.entry(entry.turn).or_default().insert(call.id().to_owned());
            }
        }
        if let Event::Summary(summarized) = &summary.event {
            let words = summarized.content.as_bytes();
            self.key = self.key.map(|key| with_time(key.with_bytes(words), summary.timestamp));
        }
        self.talk = talk;
    }

    /// Returns whether results have marks.
    pub(crate) const fn data_marks(&self) -> bool {
        self.key.is_some()
    }

    /// Reads the next event of the log, which joins or closes the open turn.
    pub(crate) fn push<'a>(&mut self, logged: LoggedEvent<'a>, open: &mut OpenTurn<'a>) {
        self.push_as(logged, EventView::Whole, open);
    }

    /// Reads the next event of the log, of which the model reads as much as the view says.
    pub(crate) fn push_as<'a>(
        &mut self,
        logged: LoggedEvent<'a>,
        view: EventView<'_>,
        open: &mut OpenTurn<'a>,
    ) {
        let LoggedEvent { event, turn: number, time } = logged;
        if number.is_some() && number == open.number && !matches!(event, Event::User { .. }) {
            open.adopt_steers();
        }
        match event {
            Event::User { content, .. } if is_blank(&content.text()) => {}
            // Without a number, the text that the model had written by then is unknown.
            Event::User { content, steer: true } if number.is_some() => {
                open.steers.push((number, content));
            }
            Event::User { content, .. } => {
                self.close(open, TurnEnd::Person);
                self.key =
                    self.key.map(|key| with_time(key.with_bytes(content.text().as_bytes()), time));
                match view {
                    EventView::Lines => self.talk.person(&shown_earlier(content)),
                    _ => self.talk.person(content),
                }
            }
            Event::Cancelled { .. } => self.tell(open, STOPPED),
            Event::Notice { content } => self.tell(open, content),
            Event::PersonCommand(ran) => self.tell(open, &ran.to_model_text()),
            Event::Think(_) if matches!(view, EventView::Short { .. }) => {}
            Event::Think(_) | Event::Respond(_) | Event::Call(_)
                if is_silent(event)
                    && !self.talk.native().is_some_and(|native| native.keeps(event)) => {}
            Event::Think(_) | Event::Respond(_) | Event::Call(_) | Event::Block(_) => {
                if open.is_over(number) {
                    // The model reads messages that were sent before the first words of its new
                    // turn only after that turn.
                    let is_early = |(turn, _): &mut (Option<u32>, _)| *turn == number;
                    let early = open.steers.extract_if(.., is_early);
                    let early = early.map(|(_, content)| content.clone()).collect();
                    self.close(open, TurnEnd::Other);
                    self.early = early;
                }
                open.number = number;
                if let Event::Call(call) = event
                    && !is_awaited(call)
                {
                    open.unawaited.insert((number, call.id()));
                }
                open.said.push(event);
            }
            // The result of a call in the background, in this turn or an earlier one.
            Event::Result(outcome)
                if outcome.id.as_deref().is_some_and(|id| self.is_unawaited(number, id, open)) => {}
            Event::Execute => open.executed = open.has_calls(),
            // The run found messages that were sent before its next request, regardless of that
            // request's number.
            Event::Summary(_) => open.adopt_steers(),
            Event::Result(outcome) => open.results.push(match view {
                EventView::Whole => Cow::Borrowed(outcome),
                EventView::Lines => {
                    Cow::Owned(outcome.clone().with_content(shown_earlier(&outcome.content)))
                }
                EventView::Short { full_output } => Cow::Owned(shorten(outcome, full_output)),
            }),
            Event::Batch(batch) => {
                open.results.extend(batch.unfold().into_iter().map(Cow::Owned));
            }
            _ => {}
        }
        if open.events == 0 && !open.is_empty() {
            open.begun = time;
        }
        open.events = if open.is_empty() { 0 } else { open.events + 1 };
    }

    /// Returns the messages of a log that ends with the open turn.
    pub(crate) fn finish(mut self, open: OpenTurn<'_>) -> Transcript {
        open.write(TurnEnd::Open, &self.early, self.key, &mut self.talk);
        self.talk
    }

    /// Returns the last message and the messages of the open turn, and keeps that turn open. The
    /// turn may add to the last message, and to none before.
    pub(crate) fn end_with(&self, open: OpenTurn<'_>) -> Transcript {
        let mut end = self.talk.end();
        open.write(TurnEnd::Open, &self.early, self.key, &mut end);
        end
    }

    fn tell(&mut self, open: &mut OpenTurn<'_>, text: &str) {
        self.close(open, TurnEnd::Other);
        self.talk.notice(text);
    }

    /// Writes the open turn and begins an empty one.
    fn close(&mut self, open: &mut OpenTurn<'_>, end: TurnEnd) {
        let turn = std::mem::take(open);
        for (number, id) in &turn.unawaited {
            self.unawaited.entry(*number).or_default().insert((*id).to_owned());
        }
        let begun = turn.begun;
        turn.write(end, &std::mem::take(&mut self.early), self.key, &mut self.talk);
        self.key = self.key.map(|key| with_time(key, begun));
    }

    /// Returns whether the model does not read the result of the call with this turn and id.
    fn is_unawaited(&self, number: Option<u32>, id: &str, open: &OpenTurn<'_>) -> bool {
        open.unawaited.contains(&(number, id))
            || self.unawaited.get(&number).is_some_and(|ids| ids.contains(id))
    }
}

/// The kind of entry that follows a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnEnd {
    /// A message of the person.
    Person,
    /// A notice, a stop or another turn of the model.
    Other,
    /// Nothing: the log ends.
    Open,
}

/// The model's words before an execution point or an end, and the results of its calls.
///
/// It is empty until the model's words or results begin it.
#[derive(Default)]
pub(crate) struct OpenTurn<'a> {
    number: Option<u32>,
    said: Vec<&'a Event>,
    results: Vec<Cow<'a, CallResult>>,
    /// The person's messages since the turn began, and the turn in which each was sent.
    steers: Vec<(Option<u32>, &'a Content)>,
    /// Whether the log has an event for the execution point.
    executed: bool,
    /// The calls of this turn whose results the model does not read, by turn and id.
    unawaited: BTreeSet<(Option<u32>, &'a str)>,
    /// The number of events of the log since the turn began.
    events: usize,
    /// The time of its first event.
    begun: Option<Timestamp>,
}

impl<'a> OpenTurn<'a> {
    /// Returns the number of events of the log since the turn began, all kinds counted.
    pub(crate) const fn events(&self) -> usize {
        self.events
    }

    const fn is_empty(&self) -> bool {
        self.said.is_empty() && self.results.is_empty() && self.steers.is_empty()
    }

    /// Returns whether an event with this number belongs to another turn.
    fn is_over(&self, number: Option<u32>) -> bool {
        match (self.number, number) {
            (Some(this), Some(other)) => this != other,
            _ => self.executed || !self.results.is_empty(),
        }
    }

    /// Makes the person's messages part of this turn: the model reads them with its next request.
    fn adopt_steers(&mut self) {
        for (number, _) in &mut self.steers {
            *number = self.number;
        }
    }

    fn has_calls(&self) -> bool {
        self.said.iter().any(|event| is_call(event))
    }

    /// Writes the turn and the person's messages during it, the `early` ones first.
    fn write(
        mut self,
        end: TurnEnd,
        early: &[Content],
        key: Option<DataKey>,
        talk: &mut Transcript,
    ) {
        let own = self.steers.iter().map(|(_, content)| *content);
        let steers: Vec<&Content> = early.iter().chain(own).collect();
        let is_last = end != TurnEnd::Other || !steers.is_empty();
        let has_calls = self.has_calls();
        let calls: Vec<_> = self.said.iter().copied().filter_map(WrittenCall::from_event).collect();
        let results = pair::by_call(&calls, self.results);
        let has_blocks = talk.options().dialect == Dialect::Action && talk.native().is_none();
        let is_answered = end == TurnEnd::Person;
        let results = without_passed_on(&self.said, results, is_answered, has_blocks);
        let answered = matches!(self.said.last(), Some(Event::Respond(_)));
        if has_calls {
            if talk.options().dialect == Dialect::Phase && talk.native().is_none() {
                // In `phase` the calls of a turn are one list right before the execution point.
                self.said.sort_by_key(|event| is_call(event));
            }
            self.said.push(&Event::Execute);
        } else if answered && results.is_empty() && is_last {
            self.said.push(&Event::End);
        }
        // The model wrote the blocks of its turn, and not the instances that they became; in a dialect
        // without blocks the instances stand for both.
        self.said.retain(|event| match event {
            Event::Call(call) => !(takes_back(call) || has_blocks && call.is_instance()),
            Event::Block(_) => has_blocks,
            _ => true,
        });
        if !self.said.is_empty() {
            talk.model(self.said);
        }
        if !results.is_empty() {
            let mark = key.map(|key| with_time(key, self.begun).mark());
            talk.results(results.iter().map(AsRef::as_ref), mark);
        }
        for content in steers {
            talk.person(content);
        }
    }
}

/// Returns the key with the time of an event, which is in microseconds in a log.
fn with_time(key: DataKey, time: Option<Timestamp>) -> DataKey {
    key.with_bytes(&time.unwrap_or_default().as_nanos().to_le_bytes())
}

/// Returns whether an event is a call, or the text of a malformed one.
fn is_call(event: &Event) -> bool {
    match event {
        Event::Call(_) => true,
        Event::Respond(respond) => respond.malformed.is_some(),
        _ => false,
    }
}

/// Returns whether the model reads the result of a call (P-24).
fn is_awaited(call: &Call) -> bool {
    call.action().is_none_or(|action| action.mode != CallMode::FireAndForget) && !takes_back(call)
}

/// Returns whether a call takes another one back. The result of its transaction reports its
/// outcome.
fn takes_back(call: &Call) -> bool {
    call.action().is_some_and(|action| action.undoes.is_some())
}

/// The line for a run that was stopped.
const STOPPED: &str = "[The run was stopped here.]";
