//! Runs as tasks, for clients that support the extension.
//!
//! A task is a position in a log: the id has the conversation and the position before the prompt. So
//! nothing is kept for it, and it outlives the process.

use jiff::Timestamp;
use rmcp::model::{
    CallToolResult, DetailedTask, ErrorData, GetTaskResult, InputResponses, Task, TaskPayload,
    TaskStatus,
};
use serde_json::Value;
use silcrow_front::RunEnd;
use silcrow_server::{Error, ErrorKind, RunPlace, ServedRun, Server, ServerUser};

use crate::answers::{continued, decisions};
use crate::question;
use crate::stored_run::StoredRun;

/// Returns a run as a task; `None` if its prompt is not stored yet.
pub(crate) async fn from_run(
    server: &Server,
    place: &RunPlace,
    run: &ServedRun,
) -> Result<Option<Task>, Error> {
    let entries = match server.entries(place, 0).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // A run that continues after answers has the prompt of the one before.
    let prompt = entries.iter().rfind(|entry| {
        matches!(entry.event, silcrow_event::Event::User { steer: false, .. })
            && entry.seq.is_some_and(|seq| seq <= run.began_after() + 1)
    });
    let Some(prompt) = prompt else { return Ok(None) };
    let seq = prompt.seq.unwrap_or(1) - 1;
    let stored = StoredRun::read(std::slice::from_ref(prompt)).unwrap_or_default();
    Ok(Some(described(format!("{}:{seq}", place.conversation), &stored, TaskStatus::Working)))
}

/// Returns the state of a task.
pub(crate) async fn get(
    server: &Server,
    user: ServerUser,
    id: &str,
    elicits: bool,
) -> Result<GetTaskResult, ErrorData> {
    let (place, seq) = place(user, id)?;
    let entries = server.entries(&place, seq).await.map_err(|error| refused(id, &error))?;
    let stored = StoredRun::read(&entries).ok_or_else(|| unknown(id))?;
    let payload = payload(server, &place, seq, &stored, elicits).await;
    let payload = payload.map_err(|error| refused(id, &error))?;
    let task = described(id.to_owned(), &stored, payload.status());
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Takes answers to the questions of a task.
pub(crate) async fn update(
    server: &Server,
    user: ServerUser,
    id: &str,
    responses: InputResponses,
) -> Result<(), ErrorData> {
    let (place, seq) = place(user, id)?;
    let entries = server.entries(&place, seq).await.map_err(|error| refused(id, &error))?;
    let stored = StoredRun::read(&entries).ok_or_else(|| unknown(id))?;
    if stored.is_past {
        return Ok(());
    }
    let answers = decisions(server, &place, &responses).await;
    let answers = answers.map_err(|error| refused(id, &error))?;
    if answers.is_empty() {
        return Ok(());
    }
    match continued(server, place, &answers).await {
        Ok(_) => Ok(()),
        // Somebody else has answered.
        Err(error) if error.kind() == ErrorKind::Stale => Ok(()),
        Err(error) => Err(refused(id, &error)),
    }
}

/// Stops the run of a task.
pub(crate) async fn cancel(server: &Server, user: ServerUser, id: &str) -> Result<(), ErrorData> {
    let (place, seq) = place(user, id)?;
    let entries = server.entries(&place, seq).await.map_err(|error| refused(id, &error))?;
    let stored = StoredRun::read(&entries).ok_or_else(|| unknown(id))?;
    let run = server.run(&place).await.map_err(|error| refused(id, &error))?;
    if let Some(run) = run.filter(|_| !stored.is_past) {
        run.stop();
    }
    Ok(())
}

async fn payload(
    server: &Server,
    place: &RunPlace,
    seq: u64,
    stored: &StoredRun,
    elicits: bool,
) -> Result<TaskPayload, Error> {
    let conversation = &*place.conversation;
    let over = |end: &RunEnd| match end {
        RunEnd::Stopped => TaskPayload::Cancelled,
        end => completed(&stored.result(conversation, end, &[])),
    };
    let by_log = || match (stored.is_answered(), stored.is_stopped) {
        (true, _) => over(&RunEnd::Answered),
        (false, true) => TaskPayload::Cancelled,
        (false, false) => over(&RunEnd::Failed {
            code: "no_answer".to_owned(),
            message: "the run ended without an answer; continue its conversation".to_owned(),
        }),
    };
    if stored.is_past {
        return Ok(by_log());
    }
    let run = server.run(place).await?.filter(|run| run.began_after() >= seq);
    if let Some(run) = &run
        && run.ended().is_none()
    {
        return Ok(TaskPayload::Working);
    }
    let asked = server.open_questions(place).await?;
    if !asked.is_empty() {
        if elicits {
            let input_requests = question::requests(&asked);
            return Ok(TaskPayload::InputRequired { input_requests });
        }
        return Ok(completed(&stored.result(conversation, &RunEnd::Waiting, &asked)));
    }
    match run.and_then(|run| run.ended()) {
        // It has continued elsewhere.
        Some(RunEnd::Waiting) | None => match server.other_process(place).await {
            Some(_) => Ok(TaskPayload::Working),
            None => Ok(by_log()),
        },
        Some(end) => Ok(over(&end)),
    }
}

fn completed(result: &CallToolResult) -> TaskPayload {
    let result = match serde_json::to_value(result) {
        Ok(Value::Object(result)) => result,
        _ => rmcp::model::JsonObject::new(),
    };
    TaskPayload::Completed { result }
}

fn described(id: String, stored: &StoredRun, status: TaskStatus) -> Task {
    let text = |time: Option<silcrow_event::Timestamp>| {
        let nanos = time.unwrap_or(silcrow_event::Timestamp::UNIX_EPOCH).as_nanos();
        Timestamp::from_nanosecond(nanos.into()).unwrap_or_default().to_string()
    };
    Task::new(id, status, text(stored.began), text(stored.last)).with_poll_interval_ms(POLL)
}

fn place(user: ServerUser, id: &str) -> Result<(RunPlace, u64), ErrorData> {
    let (conversation, seq) = id.rsplit_once(':').ok_or_else(|| unknown(id))?;
    let seq = seq.parse().map_err(|_| unknown(id))?;
    Ok((RunPlace::new(conversation).with_user(user.name), seq))
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("you have no task {id:?}"), None)
}

fn refused(id: &str, error: &Error) -> ErrorData {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::Malformed => unknown(id),
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}

/// The time in milliseconds after which a client should ask again.
const POLL: u64 = 1_000;
