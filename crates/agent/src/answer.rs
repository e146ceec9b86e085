//! The answer of a run, collected from its events, for callers who do not stream.

use silcrow_event::{Call, CallResult, DiagnosticKind, Entry, Event, Respond, RunEventRef, Usage};
use silcrow_tool::Scope;

use crate::error::Error;
use crate::names::agent_path;
use crate::outcome::RunOutcome;

/// The result of a run: the answer's text, the calls that led to it, and the usage.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::Agent;
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
///
/// // The model calls a tool that it does not have, and then answers.
/// let script = "§call: {\"name\": \"add\"}\n§execute\n%%\n§respond: I cannot add.\n§end";
/// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new());
/// let answer = agent.ask("What is 2 + 2?").await.unwrap();
/// assert_eq!(answer.text, "I cannot add.");
/// let result = answer.calls[0].result.as_ref().unwrap();
/// assert!(result.failure_text().contains("unknown tool `add`"));
/// # });
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The text of the answer, without the model's thoughts. Blank lines separate its parts.
    pub text: String,
    /// The id of the conversation, which a later run may continue.
    pub conversation: String,
    /// The total usage of the run, including everything its calls ran.
    pub usage: Usage,
    /// The model's calls, in order. Calls made by other agents that it called are not included.
    pub calls: Vec<AnsweredCall>,
}

/// A call of the model with its result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnsweredCall {
    /// The call.
    pub call: Call,
    /// The result, or `None` if the run ended before there was one.
    pub result: Option<CallResult>,
}

impl Answer {
    /// Returns the answer, or the error of a run that ended without one.
    pub(crate) fn into_result(self, outcome: RunOutcome) -> Result<Self, Error> {
        match outcome {
            RunOutcome::Answered => Ok(self),
            RunOutcome::Interrupted => Err(Error::interrupted()),
            RunOutcome::Waiting(questions) => Err(Error::waiting(questions.len())),
        }
    }
}

/// Collects an answer from the events of a run.
#[derive(Default)]
pub(crate) struct AnswerCollector {
    /// The agent path in the entries of the agent whose answer is collected.
    agent_path: Option<String>,
    /// The turn in which the model wrote the responses.
    turn: Option<u32>,
    responses: Vec<String>,
    /// The turn that has several final responses, of which the last one is the answer (P-22).
    several: Option<u32>,
    usage: Usage,
    /// The calls with their turns.
    calls: Vec<(Option<u32>, AnsweredCall)>,
}

impl AnswerCollector {
    /// Creates a collector for the agent of a scope.
    pub(crate) fn new(scope: &Scope) -> Self {
        Self { agent_path: agent_path(scope), ..Self::default() }
    }

    pub(crate) fn apply(&mut self, event: RunEventRef<'_>) {
        let RunEventRef::Entry(entry) = event else { return };
        if let Event::Metric(metric) = &entry.event {
            self.usage += metric.step;
        }
        if entry.agent_path == self.agent_path {
            self.apply_own(entry);
        }
    }

    fn apply_own(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Respond(Respond { content, last: true, .. }) => {
                // Only the last turn that answers counts.
                if self.turn != entry.turn {
                    self.responses.clear();
                }
                self.turn = entry.turn;
                self.responses.push(content.clone());
            }
            // The run did not accept the text of that turn.
            Event::Notice { .. } if self.turn == entry.turn => self.responses.clear(),
            Event::Error(fault) if fault.code == DiagnosticKind::SecondResponse.as_str() => {
                self.several = entry.turn;
            }
            Event::Call(call) => {
                let call = AnsweredCall { call: call.clone(), result: None };
                self.calls.push((entry.turn, call));
            }
            Event::Result(result) => {
                let called = self.calls.iter_mut().rev().find(|(turn, called)| {
                    *turn == entry.turn && result.id.as_deref() == Some(called.call.id())
                });
                if let Some((_, called)) = called {
                    called.result = Some(result.clone());
                }
            }
            _ => {}
        }
    }

    /// Returns the answer. Its text is empty if the model gave none.
    pub(crate) fn into_answer(mut self, conversation: impl Into<String>) -> Answer {
        if self.turn.is_some() && self.several == self.turn {
            self.responses.drain(..self.responses.len().saturating_sub(1));
        }
        Answer {
            text: self.responses.join("\n\n"),
            conversation: conversation.into(),
            usage: self.usage,
            calls: self.calls.into_iter().map(|(_, call)| call).collect(),
        }
    }
}
