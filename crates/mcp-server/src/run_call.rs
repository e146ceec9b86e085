//! One call of a tool: it begins a run or answers its questions, reports progress, and ends with a
//! result, a question or a task.
//!
//! ```text
//!              ┌──────────── answers (before 2026-07-28) ◄─────────┐
//! a call ─► the run ─► progress … ─► it waits for a person ─► a form at the client
//!              │                              └────► `input_required`, or how to answer
//!              ├─► the end: a result
//!              ├─► cancelled, or the client is gone: the run is stopped
//!              └─► it takes long, and the client knows tasks: a task
//! ```

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateTaskResult, ErrorData,
    InputRequiredResult, InputResponses, JsonObject, ProgressNotificationParam,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use silcrow_agent::{ParkedQuestion, QuestionGroup};
use silcrow_event::{Entry, Event};
use silcrow_front::RunEnd;
use silcrow_server::{Error, ErrorKind, RunOutput, RunPlace, ServedRun, Server, ServerUser};
use tokio::time::{Instant, sleep_until};

use crate::abilities::{elicits, is_stateless, takes_tasks};
use crate::answers::{continued, decisions};
use crate::declared::OfferedTool;
use crate::offer::McpOffer;
use crate::progress::RunProgress;
use crate::question;
use crate::stored_run::{StoredRun, refused};
use crate::task;
use crate::written_call::making;

/// One call of a client.
pub(crate) struct RunCall {
    offer: McpOffer,
    user: ServerUser,
    context: RequestContext<RoleServer>,
    /// The number of progress notifications so far.
    told: u32,
}

/// The reason why the wait for a run ended.
enum Watched {
    End(RunEnd),
    Cancelled,
    /// The client gets a task instead.
    Long,
}

impl RunCall {
    pub(crate) const fn new(
        offer: McpOffer,
        user: ServerUser,
        context: RequestContext<RoleServer>,
    ) -> Self {
        Self { offer, user, context, told: 0 }
    }

    /// Carries out a call.
    pub(crate) async fn run(
        self,
        request: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.offer.tools.iter().find(|tool| tool.definition.name == request.name);
        let Some(tool) = tool.cloned() else {
            let why = format!("unknown tool {:?}; tools/list lists the tools", request.name);
            return Err(ErrorData::invalid_params(why, None));
        };
        let begun = match &request.request_state {
            Some(conversation) => {
                self.answered(conversation, request.input_responses.clone().unwrap_or_default())
                    .await
            }
            None => self.begin(&tool, request.arguments.clone().unwrap_or_default()).await?,
        };
        match begun {
            Ok(run) => self.follow(run).await,
            Err(error) if request.request_state.is_some() && is_unknown(&error) => {
                let why = "this server has not given you that requestState";
                Err(ErrorData::invalid_params(why, None))
            }
            Err(error) => Ok(refused(&error).into()),
        }
    }

    /// Begins the run of a call. The outer error is one of the client.
    async fn begin(
        &self,
        tool: &OfferedTool,
        arguments: JsonObject,
    ) -> Result<Result<ServedRun, Error>, ErrorData> {
        let server = &self.offer.server;
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let new = || server.new_conversation("mcp-");
        let Some((kind, name)) = &tool.calls else {
            let prompt = text("prompt").ok_or_else(|| missing("prompt"))?;
            let conversation = match text("conversation") {
                Some(conversation) => conversation.to_owned(),
                None => match new() {
                    Ok(conversation) => conversation,
                    Err(error) => return Ok(Err(error)),
                },
            };
            return Ok(server.start(self.place(&conversation), prompt).await);
        };
        let args = Value::Object(arguments).to_string();
        let making = making(*kind, name, &args);
        let making = making
            .ok_or_else(|| ErrorData::invalid_params("no call can have these arguments", None))?;
        let prompt = format!("{} {name} {args}", kind.as_str());
        let conversation = match new() {
            Ok(conversation) => conversation,
            Err(error) => return Ok(Err(error)),
        };
        Ok(server.start_with(self.place(&conversation), prompt, making).await)
    }

    /// Takes the answers that a client sends with a repeated call.
    async fn answered(
        &self,
        conversation: &str,
        responses: InputResponses,
    ) -> Result<ServedRun, Error> {
        let place = self.place(conversation);
        let server = &self.offer.server;
        let answers = decisions(server, &place, &responses).await?;
        continued(server, place, &answers).await
    }

    /// Follows a run to its end, or to the end of this call.
    async fn follow(mut self, mut run: ServedRun) -> Result<CallToolResponse, ErrorData> {
        let server = self.offer.server.clone();
        let place = self.place(run.conversation());
        let mut long = Instant::now() + self.offer.options.task_after;
        let mut progress = RunProgress::new(run.conversation());
        if run.began_after() > 0 {
            let before = server.entries(&place, 0).await.unwrap_or_default();
            let is_before = |entry: &&Entry| entry.seq.is_some_and(|seq| seq <= run.began_after());
            before.iter().filter(is_before).for_each(|entry| progress.skip(entry));
        }
        loop {
            let mut stop = StopsRun(Some(run.clone()));
            let watched = self.watch(&run, &mut progress, long).await;
            match watched {
                Watched::Cancelled => {
                    return Err(ErrorData::internal_error("the call was cancelled", None));
                }
                Watched::Long => {
                    let task = task::from_run(&server, &place, &run).await;
                    let task = task.map_err(|error| internal(&error))?;
                    stop.0 = None;
                    // A task is a place in the log, which is there in a moment.
                    let Some(task) = task else {
                        long = Instant::now() + SOON;
                        continue;
                    };
                    return Ok(CreateTaskResult::new(task).into());
                }
                Watched::End(_) => stop.0 = None,
            }
            let Watched::End(end) = watched else { continue };
            let asked = match end {
                RunEnd::Waiting => server.open_questions(&place).await,
                _ => Ok(Vec::new()),
            };
            let asked = asked.map_err(|error| internal(&error))?;
            if !asked.is_empty() && elicits(&self.context) {
                if is_stateless(&self.context) {
                    return Ok(wanted(&place, &asked).into());
                }
                if let Some(next) = self.ask(&server, &place, &asked).await {
                    run = next;
                    continue;
                }
            }
            let asked = match end {
                // A person may have answered some of them.
                RunEnd::Waiting => server.open_questions(&place).await.unwrap_or(asked),
                _ => asked,
            };
            return Ok(result(&server, &place, &end, &asked).await.into());
        }
    }

    /// Waits for the end of a run, and reports its progress to the client.
    async fn watch(
        &mut self,
        run: &ServedRun,
        progress: &mut RunProgress,
        long: Instant,
    ) -> Watched {
        let takes_tasks = takes_tasks(&self.context);
        let mut events = run.events();
        let cancelled = self.context.ct.clone();
        let mut long = pin!(sleep_until(long));
        loop {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Watched::Cancelled,
                () = &mut long, if takes_tasks => return Watched::Long,
                output = events.next() => match output {
                    Some(RunOutput::Event(event)) => {
                        for line in progress.push(event.as_ref()) {
                            tokio::select! {
                                biased;
                                () = cancelled.cancelled() => return Watched::Cancelled,
                                () = self.tell(line) => {}
                            }
                        }
                    }
                    Some(RunOutput::End(end)) => return Watched::End(end),
                    None => return Watched::End(run.ended().unwrap_or(RunEnd::Stopped)),
                },
            }
        }
    }

    /// Notifies a client that asked for progress.
    async fn tell(&mut self, line: String) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        self.told += 1;
        let told = ProgressNotificationParam::new(token, f64::from(self.told)).with_message(line);
        // A client that is gone is noticed elsewhere.
        let _ = self.context.peer.notify_progress(told).await;
    }

    /// Asks the person at a client whose revision has requests of servers. Returns the run that
    /// continues, if everything is answered.
    async fn ask(
        &self,
        server: &Server,
        place: &RunPlace,
        asked: &[ParkedQuestion],
    ) -> Option<ServedRun> {
        let mut answers = Vec::new();
        for group in QuestionGroup::all(asked) {
            let answer = tokio::select! {
                biased;
                () = self.context.ct.cancelled() => return None,
                answer = self.context.peer.create_elicitation(question::params(&group)) => answer,
            };
            answers.extend(question::decisions(&group, &answer.ok()?)?);
        }
        continued(server, place.clone(), &answers).await.ok()
    }

    fn place(&self, conversation: &str) -> RunPlace {
        RunPlace::new(conversation).with_user(self.user.name.clone())
    }
}

/// Returns the question that a client has to answer before it repeats its call.
fn wanted(place: &RunPlace, asked: &[ParkedQuestion]) -> InputRequiredResult {
    // The state gives no right: the user of the repeated call is checked, and so is each question.
    InputRequiredResult::new(Some(question::requests(asked)), Some(place.conversation.clone()))
}

/// Returns the result of the last run of a conversation.
async fn result(
    server: &Server,
    place: &RunPlace,
    end: &RunEnd,
    asked: &[ParkedQuestion],
) -> CallToolResult {
    let entries = match server.entries(place, 0).await {
        Ok(entries) => entries,
        Err(error) => return refused(&error),
    };
    let is_prompt = |entry: &Entry| matches!(entry.event, Event::User { steer: false, .. });
    let prompt = entries.iter().rposition(is_prompt).unwrap_or_default();
    let stored = StoredRun::read(entries.get(prompt..).unwrap_or_default()).unwrap_or_default();
    stored.result(&place.conversation, end, asked)
}

/// Returns whether a user has not got the conversation, or no run waits there.
fn is_unknown(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Malformed | ErrorKind::Stale)
}

/// The time after which a run without a stored prompt is checked again.
const SOON: Duration = Duration::from_millis(20);

fn missing(key: &str) -> ErrorData {
    ErrorData::invalid_params(format!("the argument `{key}` is missing or not a string"), None)
}

fn internal(error: &Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Stops a run when the call that waits for it is dropped.
struct StopsRun(Option<ServedRun>);

impl Drop for StopsRun {
    fn drop(&mut self) {
        if let Some(run) = &self.0 {
            run.stop();
        }
    }
}
