//! A run as Python reads it: its events, its requests, and its end.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::FutureExt as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use silcrow_agent::{
    ErrorKind, ParkedQuestion, ParkedRun, QuestionAnswer, RunHandle, RunOutcome, RunStream,
    StreamOptions,
};
use silcrow_event::{Event, RunEvent, error_chain};
use silcrow_session::{AgentSession, new_conversation};
use silcrow_tool::{CancellationToken, Scope};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::alarm::Alarm;
use crate::approval::decision;
use crate::desk::{Desk, DeskRequest};
use crate::runtime::runtime;
use crate::shared_agent::SharedAgent;

/// The task of a run, as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunWish {
    /// The prompt; `None` for a run that continues.
    prompt: Option<String>,
    conversation: Option<String>,
    /// Answers to questions, by the ids of the questions.
    answers: serde_json::Map<String, Value>,
    /// Whether texts come in pieces.
    chunks: bool,
    /// Whether the model is asked for its text while it writes.
    streams: bool,
}

/// A run at work, or at its end.
#[pyclass(module = "silcrow._silcrow", frozen)]
pub(crate) struct Run {
    events: Mutex<Receiver<String>>,
    shared: Arc<SharedRun>,
}

struct SharedRun {
    alarm: Alarm,
    desk: Arc<Desk>,
    cancellation: CancellationToken,
    conversation: String,
    handle: OnceLock<RunHandle>,
    end: OnceLock<String>,
}

impl RunWish {
    pub(crate) fn read(json: &str) -> PyResult<Self> {
        serde_json::from_str(json).map_err(|why| PyValueError::new_err(why.to_string()))
    }
}

#[pymethods]
impl Run {
    /// Takes the available events, or returns `None` after the last.
    fn take(&self) -> Option<Vec<String>> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = Vec::new();
        while taken.len() < AT_ONCE
            && let Ok(event) = events.try_recv()
        {
            taken.push(event);
        }
        (!taken.is_empty() || !events.is_closed() || !events.is_empty()).then_some(taken)
    }

    /// Has `callback` called once there is an event or the end. Returns whether it will be, or false if
    /// there is one already.
    fn wait(&self, callback: Py<PyAny>) -> bool {
        self.shared.alarm.set(callback, || {
            let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            !events.is_empty() || events.is_closed()
        })
    }

    /// Takes the available requests, or returns `None` after the last.
    fn requests(&self) -> Option<Vec<DeskRequest>> {
        let taken = self.shared.desk.take();
        (!taken.is_empty() || !self.shared.desk.is_over()).then_some(taken)
    }

    /// Has `callback` called once there is a request or the last was taken, as `wait` does.
    fn wait_for_requests(&self, callback: Py<PyAny>) -> bool {
        self.shared.desk.alarm.set(callback, || self.shared.desk.is_due())
    }

    /// Answers a request.
    fn answer(&self, number: u64, answer: String) {
        self.shared.desk.answer(number, answer);
    }

    /// Stops the run.
    fn cancel(&self) {
        self.shared.cancellation.cancel();
    }

    /// Stops the run; its events are not read any more.
    fn close(&self) {
        self.shared.cancellation.cancel();
        self.events.lock().unwrap_or_else(PoisonError::into_inner).close();
    }

    /// Sends a message to the run at work. A request `steered` reports the result of steering.
    fn steer(&self, number: u64, text: String) {
        let shared = Arc::clone(&self.shared);
        runtime().spawn(async move {
            let sent = match shared.handle.get() {
                Some(handle) => handle.steer(text).await.map_err(|why| error_chain(&why)),
                None => Err("the run has not begun".to_owned()),
            };
            shared.desk.tell("steered", json!([number, sent.err()]).to_string());
        });
    }

    /// The id of the conversation.
    #[getter]
    fn conversation(&self) -> &str {
        &self.shared.conversation
    }

    /// The end of the run as JSON, once there is one.
    #[getter]
    fn end(&self) -> Option<&str> {
        self.shared.end.get().map(String::as_str)
    }
}

impl Run {
    /// Begins a run on the runtime.
    pub(crate) fn begin(agent: Arc<SharedAgent>, order: RunWish) -> Self {
        let (sender, events) = channel(CAPACITY);
        let shared = Arc::new(SharedRun {
            alarm: Alarm::default(),
            desk: Arc::default(),
            cancellation: CancellationToken::new(),
            conversation: order.conversation.clone().unwrap_or_else(new_conversation),
            handle: OnceLock::new(),
            end: OnceLock::new(),
        });
        let run = Arc::clone(&shared);
        runtime().spawn(async move {
            let worked = AssertUnwindSafe(run.work(&agent, order, &sender)).catch_unwind().await;
            let end =
                worked.unwrap_or_else(|_| failed("panic", "the run panicked; this is a fault"));
            let _ = run.end.set(end.to_string());
            run.desk.close();
            drop(sender);
            run.alarm.ring();
        });
        Self { events: Mutex::new(events), shared }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.shared.cancellation.cancel();
    }
}

impl SharedRun {
    /// Runs, and returns the outcome.
    async fn work(&self, agent: &SharedAgent, order: RunWish, out: &Sender<String>) -> Value {
        let session = match agent.session().await {
            Ok(session) => session,
            Err(why) => return failed(why.kind().as_str(), why.message()),
        };
        // A conversation is claimed until its run has ended, so that no other process runs it meanwhile.
        let prompt = order.prompt.as_deref().unwrap_or_default();
        let _claim = match session.claim(&self.conversation, prompt) {
            Ok(claim) => claim,
            Err(why) => return failed(why.kind().as_str(), why.message()),
        };
        let stream = match self.stream(agent, session, &order).await {
            Ok(stream) => stream,
            Err(end) => return end,
        };
        let _ = self.handle.set(stream.handle());
        let end = self.pass_on(stream, order.chunks, out).await;
        if end["outcome"] == "answered" {
            agent.after_run(session, &self.conversation).await;
        }
        end
    }

    /// Begins the stream of events.
    async fn stream(
        &self,
        agent: &SharedAgent,
        session: &AgentSession,
        order: &RunWish,
    ) -> Result<RunStream, Value> {
        let made = agent.agent(session, &self.desk, order.streams);
        let made = made.map_err(|why| failed("session_given", &why))?;
        let scope = Scope::new(&*self.conversation).with_cancellation(self.cancellation.clone());
        let options = StreamOptions::default();
        if let Some(prompt) = &order.prompt {
            return Ok(made.stream_with(scope, prompt.as_str(), options));
        }
        let answers = self.answers(session, order).await?;
        Ok(made.stream_resumed(scope, answers, options))
    }

    /// Finds the questions that answers are about.
    async fn answers(
        &self,
        session: &AgentSession,
        order: &RunWish,
    ) -> Result<Vec<QuestionAnswer>, Value> {
        if order.answers.is_empty() {
            return Ok(Vec::new());
        }
        let (store, user) = (session.store(), session.user());
        let parked = ParkedRun::read(&*store, &self.conversation, user).await;
        let parked = parked.map_err(|why| failed(why.kind().as_str(), &error_chain(&why)))?;
        let mut answers = Vec::new();
        for (id, answer) in &order.answers {
            let question = parked.questions().iter().find(|question| question.id() == id);
            let question = question.ok_or_else(|| {
                failed("refused", &format!("the conversation has no open question `{id}`"))
            })?;
            let decided = decision(&answer.to_string());
            let decided = decided.ok_or_else(|| {
                failed("refused", &format!("the answer to `{id}` is not a decision"))
            })?;
            answers.push(question.answer(decided));
        }
        Ok(answers)
    }

    /// Passes the events of a run on, and returns its end.
    async fn pass_on(&self, mut stream: RunStream, chunks: bool, out: &Sender<String>) -> Value {
        let mut has_pieces = false;
        while let Some(event) = stream.next().await {
            let is_wanted = match &event {
                RunEvent::Text(_) => {
                    has_pieces = true;
                    chunks
                }
                RunEvent::CallText(_) => chunks,
                // With pieces, the whole text would come twice.
                RunEvent::Entry(entry) => match (&entry.event, &entry.agent_path) {
                    (Event::Think(_) | Event::Respond(_), None) => {
                        !(std::mem::take(&mut has_pieces) && chunks)
                    }
                    _ => true,
                },
                _ => true,
            };
            if let Some(line) = line(&event).filter(|_| is_wanted) {
                // If the events are not read any more, the run is stopped.
                if out.send(line).await.is_err() {
                    self.cancellation.cancel();
                }
                self.alarm.ring();
            }
        }
        match stream.outcome().await {
            Ok(RunOutcome::Answered) => json!({"outcome": "answered"}),
            Ok(RunOutcome::Interrupted) => json!({"outcome": "stopped"}),
            Ok(RunOutcome::Waiting(questions)) => {
                let questions: Vec<Value> = questions.iter().map(question_json).collect();
                json!({"outcome": "waiting", "questions": questions})
            }
            Err(why) => {
                let mut end = failed(why.kind().as_str(), &error_chain(&why));
                end["retry"] = why.is_retryable().into();
                end["provider"] = matches!(why.kind(), ErrorKind::Provider(_)).into();
                end
            }
        }
    }
}

/// Returns an event as JSON in the native stream's form, or `None` if the stream leaves it out.
fn line(event: &RunEvent) -> Option<String> {
    match event {
        RunEvent::Call(transition, place) => transition.to_json(place),
        event => event.as_ref().to_line(),
    }
}

/// Returns the data that a person needs for answering a question.
fn question_json(parked: &ParkedQuestion) -> Value {
    let asked = &parked.question;
    json!({
        "id": parked.id(),
        "conversation": parked.conversation,
        "turn": parked.turn,
        "item_of": asked.item_of,
        "tool": asked.tool,
        "args": asked.args,
        "target": asked.target,
        "effect": asked.effect,
        "scope": asked.scope,
        "wider_scopes": asked.wider_scopes,
        "risk": asked.risk,
        "why": asked.why,
    })
}

/// The end of a run that has failed.
fn failed(code: &str, content: &str) -> Value {
    json!({"outcome": "failed", "code": code, "content": content, "retry": false, "provider": false})
}

/// The number of events that a run may be ahead of its reader, besides the events of its stream.
const CAPACITY: usize = 64;

/// The number of events that are taken at once.
const AT_ONCE: usize = 256;
