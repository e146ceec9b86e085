//! Reads a line of an event log.
//!
//! This module reads our JSON of every event, and the forms of older logs and other programs.

use crate::action::{ActionAttributes, CallKind, CallMode, Compensation, OnError};
use crate::approval::{Approval, ApprovalState};
use crate::batch::ResultBatch;
use crate::block_mark::BlockMark;
use crate::call::Call;
use crate::call_changes::CallChanges;
use crate::call_result::CallResult;
use crate::content::Content;
use crate::context_summary::ContextSummary;
use crate::entry::{Entry, RunOpening};
use crate::event::{
    ErrorEvent, ErrorOrigin, Event, Metric, Progress, Respond, Think, ThoughtOrigin,
};
use crate::fields::{Fields, ReadEntryError};
use crate::grant::Grants;
use crate::hook_run::HookRun;
use crate::opaque::OpaqueData;
use crate::origin::ConversationOrigin;
use crate::parked::Parked;
use crate::person_command::PersonCommand;
use crate::spending::Balances;
use crate::trace_parent::TraceParent;
use crate::usage::Usage;

/// Reads one line of an event log. It reads every line of [`Entry::to_json`] back exactly.
///
/// It also accepts unknown members, events without ids, times and positions, `metrics` instead of
/// `metric`, results with only a payload or only a content, and the batch form of a result.
///
/// ```
/// use silcrow_event::{Event, read_entry};
///
/// let entry = read_entry(r#"{"type":"user","content":"2 + 2?","turn":1,"seq":7}"#).unwrap();
/// assert_eq!((entry.event, entry.turn, entry.seq), (Event::user("2 + 2?"), Some(1), Some(7)));
/// ```
///
/// # Errors
///
/// Returns the reason if the line is not a JSON object, or not an event.
pub fn read_entry(line: &str) -> Result<Entry, ReadEntryError> {
    let fields = Fields::read(line)?;
    let opening = fields.maybe("conversation").zip(fields.maybe("run"));
    Ok(Entry {
        event: event(&fields)?,
        timestamp: fields.number("timestamp"),
        turn: fields.number("turn"),
        seq: fields.number("seq"),
        opening: opening.map(|(conversation, run)| {
            let caller = fields.maybe("traceparent");
            let caller = caller.and_then(|header| TraceParent::parse(&header));
            RunOpening { conversation, run, caller }
        }),
        origin: ConversationOrigin::read(&fields),
        agent_path: fields.maybe("agent_path"),
        user: fields.maybe("user"),
        folder: fields.maybe("folder"),
    })
}

fn event(fields: &Fields<'_>) -> Result<Event, ReadEntryError> {
    let name = fields.chars("type")?;
    Ok(match &*name {
        "user" => Event::User {
            content: match Content::read_parts(fields) {
                Some(parts) => parts,
                None => fields.text("content")?.into(),
            },
            steer: fields.get("steer") == Some("true"),
        },
        "think" => Event::Think(Think {
            content: fields.text("content")?,
            origin: match fields.maybe("origin").as_deref() {
                Some("provider") => ThoughtOrigin::Provider,
                _ => ThoughtOrigin::Model,
            },
            opaque: OpaqueData::read(fields),
        }),
        "call" => Event::Call(call(fields)?),
        "block" => Event::Block(BlockMark::read(fields, call)?),
        "execute" => Event::Execute,
        "result" => result(fields)?,
        "respond" => Event::Respond(respond(fields)?),
        "end" => Event::End,
        "metric" | "metrics" => Event::Metric(Metric {
            step: Usage::read(fields.object("step")),
            total: Usage::read(fields.object("total")),
            all: fields.object("all").map(|all| Box::new(Usage::read(Some(all)))),
            budget: fields.object("budget").map(|budget| Box::new(Balances::read(&budget))),
            window: fields.number("window"),
        }),
        "error" => Event::Error(error(fields)?),
        "failed" => Event::Failed(ErrorEvent { at: None, ..error(fields)? }),
        "interrupt" => Event::Interrupt { reason: fields.maybe("reason").unwrap_or_default() },
        "cancelled" => Event::Cancelled { content: fields.maybe("content").unwrap_or_default() },
        "title" => Event::Title { content: fields.text("content")? },
        "notice" => Event::Notice { content: fields.text("content")? },
        "summary" => Event::Summary(ContextSummary::read(fields)?),
        "progress" => Event::Progress(Progress {
            id: fields.text("id")?,
            channel: fields.maybe("channel").unwrap_or_default(),
            n: fields.number("n").unwrap_or_default(),
            content: fields.text("content")?,
        }),
        "changes" => Event::Changes(CallChanges::read(fields)?),
        "approval" => Event::Approval(Approval {
            id: fields.text("id")?,
            state: fields.word("state", ApprovalState::Asked)?,
            args_sha256: fields.maybe("args_sha256"),
            target: fields.maybe("target"),
            risk: fields.maybe("risk"),
            scope: fields.maybe("scope"),
            grants: Grants::read(fields)?,
            reason: fields.maybe("reason"),
        }),
        "parked" => Event::Parked(Parked::read(fields)?),
        "mode" => Event::Mode { mode: fields.text("mode")? },
        "person_command" => Event::PersonCommand(PersonCommand::read(fields)?),
        "hook" => Event::Hook(HookRun::read(fields)?),
        other => {
            return Err(ReadEntryError::new(format!("`type` is `{other}`, which is not an event")));
        }
    })
}

fn error(fields: &Fields<'_>) -> Result<ErrorEvent, ReadEntryError> {
    Ok(ErrorEvent {
        code: fields.maybe("code").unwrap_or_default(),
        content: fields.text("content")?,
        origin: fields.word("scope", ErrorOrigin::Caller)?,
        retry: fields.get("retry") == Some("true"),
        at: fields.number("at"),
    })
}

fn respond(fields: &Fields<'_>) -> Result<Respond, ReadEntryError> {
    let is_malformed = fields.get("malformed") == Some("true");
    Ok(Respond {
        content: fields.text("content")?,
        wire: fields.maybe("wire"),
        last: !is_malformed && fields.get("final") != Some("false"),
        malformed: is_malformed.then(|| fields.maybe("id").unwrap_or_default()),
    })
}

fn call(fields: &Fields<'_>) -> Result<Call, ReadEntryError> {
    let call = Call::stored(fields.maybe("id").unwrap_or_default(), fields.text("content")?)
        .map_err(|why| ReadEntryError::new(format!("`content` is not a call: {why}")))?;
    let is_instance = fields.get("instance") == Some("true");
    let call = if is_instance { call.as_instance() } else { call };
    let call = call.with_opaque(OpaqueData::read(fields));
    let Some(action) = fields.get("action") else { return Ok(call) };
    let action = Fields::read(action)
        .map_err(|_| ReadEntryError::new("`action` is not an object".to_owned()))?;
    let on_error = match action.get("on_error") {
        Some(_) => Some(action.word("on_error", OnError::Skip)?),
        None => None,
    };
    Ok(call.with_action(ActionAttributes {
        kind: action.word("type", CallKind::Tool)?,
        mode: action.word("mode", CallMode::Sync)?,
        depends_on: action
            .get("depends_on")
            .and_then(|ids| serde_json::from_str(ids).ok())
            .unwrap_or_default(),
        output_key: action.maybe("output_key"),
        timeout: action.duration("timeout"),
        retry: action.number("retry"),
        on_error,
        compensate: match action.get("compensate") {
            Some(json) => Some(Box::new(Compensation::parse(json).map_err(|why| {
                ReadEntryError::new(format!("`compensate` is not a call: {why}"))
            })?)),
            None => None,
        },
        show: action.get("show") == Some("true"),
        transactions: action.strings("transactions"),
        undoes: action.maybe("undoes"),
    }))
}

fn result(fields: &Fields<'_>) -> Result<Event, ReadEntryError> {
    if let Some(batch) = fields.object("payload")
        && batch.number::<u64>("tools_executed").is_some()
    {
        return Ok(Event::Batch(ResultBatch {
            content: fields.text("content")?,
            success_count: batch.number("success_count").unwrap_or_default(),
            failure_count: batch.number("failure_count").unwrap_or_default(),
        }));
    }
    CallResult::read(fields)
        .map(Event::Result)
        .ok_or_else(|| ReadEntryError::new("neither `content` nor `payload` is there".to_owned()))
}
