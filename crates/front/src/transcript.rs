//! The transcript of a run: its events as texts and calls that begin, grow and end.
//!
//! Protocols of front ends differ in their words, and have this in common: a text or a call begins
//! under an id, grows, and ends, and nothing stays open at the end. A log has whole texts and calls
//! without such ids, and a run emits pieces before them. This module makes one order of changes of
//! both.

mod change;
mod log_reading;
mod piecewise_call;

use silcrow_event::{CallTransition, Entry, RunEventRef};

use crate::client_tool_names::ClientToolNames;

pub use change::{CalledAgent, SectionKind, TranscriptChange};
use log_reading::LogReading;

/// Turns the events of a run, or a stored log, into the changes of a transcript.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{TranscriptChange, TranscriptReader};
///
/// let mut reader = TranscriptReader::new("sums");
/// let entry = Entry { turn: Some(1), seq: Some(2), ..Entry::from(Event::respond("Four.")) };
/// let mut changes = Vec::new();
/// reader.push(RunEventRef::Entry(&entry), &mut |_, change| changes.push(format!("{change:?}")));
/// assert_eq!(changes[1..3], [
///     r#"TextBegan { text: "t1-1", kind: Answer }"#,
///     r#"TextGrew { text: "t1-1", piece: "Four." }"#,
/// ]);
/// ```
#[derive(Debug)]
pub struct TranscriptReader {
    own: LogReading,
    /// The agents and workflows that calls run, in the order in which they began.
    called: Vec<LogReading>,
}

/// Receives changes, each with the agent that made it, or `None` for the run's own.
pub type ChangeReceiver<'a> = dyn FnMut(Option<&CalledAgent>, TranscriptChange<'_>) + 'a;

impl TranscriptReader {
    /// Creates a reader for the beginning of a conversation.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self { own: LogReading::new(conversation.into(), None), called: Vec::new() }
    }

    /// Sets the tools that the client has. Their calls wait for the client's results, and not for the
    /// answer to a question.
    #[must_use]
    pub fn with_client_tools(mut self, tools: ClientToolNames) -> Self {
        self.own.set_client_tools(tools);
        self
    }

    /// Lets texts that do not count be dropped, for a protocol that can take them back.
    #[must_use]
    pub fn with_dropped_turns(mut self) -> Self {
        self.own.drop_turns();
        self
    }

    /// Lets the answers of turns that do not count be dropped, even if the turn has other events,
    /// for a protocol that can take back single texts.
    #[must_use]
    pub fn with_dropped_answers(mut self) -> Self {
        self.own.drop_answers();
        self
    }

    /// Creates a reader of the same conversation that has read nothing.
    pub(crate) fn anew(&self) -> Self {
        Self::new(self.conversation()).with_client_tools(self.own.client_tools().clone())
    }

    /// Takes the next stored event without a change, because the client has it already. Later
    /// changes get the same ids as if all entries had been read.
    pub fn skip(&mut self, entry: &Entry) {
        self.push(RunEventRef::Entry(entry), &mut |_, _| ());
    }

    /// Takes the next event. An event of the log that was read before changes nothing.
    pub fn push(&mut self, event: RunEventRef<'_>, to: &mut ChangeReceiver<'_>) {
        match event {
            RunEventRef::Text(text, place) => self.own.text(text, place.turn, to),
            RunEventRef::CallText(text, place) => self.own.call_text(text, place.turn, to),
            RunEventRef::Call(CallTransition::Started { id, attempt, .. }, place) => {
                self.own.call_started(place.turn, id, *attempt, to);
            }
            RunEventRef::Entry(entry) => self.entry(entry, to),
            _ => {}
        }
    }

    /// Returns the id in the transcript of a call of a turn, while the call has no result.
    pub fn call(&self, conversation: &str, turn: u32, id: &str) -> Option<&str> {
        let mut logs = self.called.iter().chain([&self.own]);
        logs.find(|log| log.is_of(conversation))?.key(Some(turn), id)
    }

    /// Returns the conversation of the run.
    pub(crate) fn conversation(&self) -> &str {
        self.own.conversation()
    }

    /// Ends the texts that are open and forgets the calls that are half written, because the text
    /// after the last stored event is repeated.
    pub fn cut(&mut self, to: &mut ChangeReceiver<'_>) {
        for log in self.called.iter_mut().chain([&mut self.own]) {
            log.cut(to);
        }
    }

    /// Ends everything that is still open, because nothing follows.
    pub fn end(&mut self, to: &mut ChangeReceiver<'_>) {
        while let Some(mut called) = self.called.pop() {
            called.end(to);
        }
        self.own.end(to);
    }

    fn entry(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) {
        let called = entry.agent_path.is_some().then(|| self.find_called(entry, to));
        let log = called.map_or(&self.own, |at| &self.called[at]);
        if let Some(call) = log.ending(entry) {
            self.end_called(&call, to);
        }
        // Only agents that began later are over now.
        match called {
            Some(at) => self.called[at].entry(entry, to),
            None => self.own.entry(entry, to),
        }
    }

    /// Returns the position of the log that an entry of a called agent is from.
    fn find_called(&mut self, entry: &Entry, to: &mut ChangeReceiver<'_>) -> usize {
        let path = entry.agent_path.as_deref().unwrap_or_default();
        let conversation = entry.opening.as_ref().map_or(path, |opening| &opening.conversation);
        if let Some(at) = self.called.iter().position(|log| log.is_of(conversation)) {
            return at;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let mut called = self.called.iter().rev();
        let called = called.find_map(|log| log.called(conversation, name));
        let agent = called.or_else(|| self.own.called(conversation, name));
        let agent = agent.unwrap_or_else(|| CalledAgent {
            id: conversation.to_owned(),
            name: name.to_owned(),
            call: None,
            parent: None,
            path: String::new(),
        });
        to(Some(&agent), TranscriptChange::AgentBegan);
        self.called.push(LogReading::new(conversation.to_owned(), Some(agent)));
        self.called.len() - 1
    }

    /// Ends the agents that a call runs, and those that they run, the innermost first.
    fn end_called(&mut self, call: &str, to: &mut ChangeReceiver<'_>) {
        let Some(at) = self.called.iter().position(|log| log.runs_in(call)) else { return };
        let outer = self.called[at].conversation().to_owned();
        let mut at = self.called.len();
        while at > 0 {
            at -= 1;
            if self.called[at].is_within(&outer) {
                self.called.remove(at).end(to);
            }
        }
    }
}
