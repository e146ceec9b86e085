//! Events of a run as lines of JSON, which one process passes to another one.
//!
//! Events that an event log or the native stream has are written as there. This module adds the
//! transitions of a call that have no form there, and reads everything.

use std::borrow::Cow;

use crate::call_transition::{CallEnd, CallTransition};
use crate::entry::LogPosition;
use crate::fields::{Fields, ReadEntryError};
use crate::fragment::TextKind;
use crate::json::Object;
use crate::read::read_entry;
use crate::run_event::{CallTextPiece, RunEvent, RunEventRef, TextPiece};

impl RunEventRef<'_> {
    /// Returns the event as a JSON object on one line, which [`read_run_event`] reads; `None` for a
    /// question, because only the reader of the run can answer it.
    ///
    /// ```
    /// use silcrow_event::{CallTransition, LogPosition, RunEventRef, read_run_event};
    ///
    /// let paused = CallTransition::Paused { id: "a1".into() };
    /// let paused = RunEventRef::Call(&paused, LogPosition::default());
    /// let line = paused.to_line().unwrap();
    /// assert_eq!(line, r#"{"type":"paused","id":"a1"}"#);
    /// assert_eq!(read_run_event(&line).unwrap(), paused.to_owned());
    /// ```
    pub fn to_line(&self) -> Option<String> {
        match self {
            Self::Text(text, place) => Some(text.to_json(place)),
            Self::CallText(text, place) => Some(text.to_json(place)),
            Self::Call(transition, place) => Some(transition_line(transition, place)),
            Self::Entry(entry) => Some(entry.to_json()),
            Self::Approval(_) => None,
        }
    }
}

fn transition_line(transition: &CallTransition<'_>, place: &LogPosition) -> String {
    if let Some(json) = transition.to_json(place) {
        return json;
    }
    let mut out = String::with_capacity(96);
    let mut object = Object::open(&mut out);
    match transition {
        CallTransition::Ready { id, attempt, args } => {
            object.string("type", "ready");
            object.string("id", id);
            object.integer("attempt", (*attempt).into());
            object.string("args", args);
        }
        CallTransition::Paused { id } => {
            object.string("type", "paused");
            object.string("id", id);
        }
        CallTransition::Ended { id, end, reason } => {
            object.string("type", "ended");
            object.string("id", id);
            object.string("end", end.as_str());
            if let Some(reason) = reason {
                object.string("reason", reason);
            }
        }
        CallTransition::Bound { name, value } => {
            object.string("type", "bound");
            object.string("name", name);
            object.raw("value", value.as_str());
        }
        CallTransition::Started { .. } | CallTransition::Recorded { .. } => {}
    }
    place.write(&mut object);
    object.close();
    out
}

/// Reads an event of a run that [`RunEventRef::to_line`] wrote.
///
/// ```
/// use silcrow_event::{RunEvent, read_run_event};
///
/// // A `part` makes it a piece of an answer that is still being written.
/// let piece = read_run_event(r#"{"type":"respond","content":"2 +","part":1}"#).unwrap();
/// assert!(matches!(piece, RunEvent::Text(text) if text.text == "2 +"));
/// let entry = read_run_event(r#"{"type":"respond","content":"2 + 2 is 4."}"#).unwrap();
/// assert!(matches!(entry, RunEvent::Entry(_)));
/// ```
///
/// # Errors
///
/// Returns the reason if the line is not an event of a run.
pub fn read_run_event(line: &str) -> Result<RunEvent, ReadEntryError> {
    let fields = Fields::read(line)?;
    let position = LogPosition {
        timestamp: fields.number("timestamp"),
        turn: fields.number("turn"),
        seq: fields.number("seq"),
    };
    let name = fields.chars("type")?;
    if let (Some(part), "think" | "respond") = (fields.number("part"), &*name) {
        let kind = match &*name {
            "think" => TextKind::Think,
            _ if fields.get("malformed") == Some("true") => TextKind::Malformed,
            _ => TextKind::Respond { last: fields.get("final") != Some("false") },
        };
        let (id, text) = (fields.maybe("id"), fields.text("content")?);
        return Ok(RunEvent::Text(TextPiece { kind, part, id, text, position }));
    }
    if name == "call_text" {
        let call = fields.number("call").ok_or_else(|| ReadEntryError::new("`call` is missing"))?;
        let (id, name, text) = (fields.maybe("id"), fields.maybe("name"), fields.text("content")?);
        return Ok(RunEvent::CallText(CallTextPiece { call, id, name, text, position }));
    }
    match transition(&name, &fields)? {
        Some(transition) => Ok(RunEvent::Call(transition, position)),
        None => Ok(RunEvent::Entry(Box::new(read_entry(line)?))),
    }
}

/// Reads a transition of a call; `None` if the name is not the name of one.
fn transition(
    name: &str,
    fields: &Fields<'_>,
) -> Result<Option<CallTransition<'static>>, ReadEntryError> {
    let text = |key| fields.text(key).map(Cow::Owned);
    let attempt = || fields.number("attempt").unwrap_or(1);
    Ok(Some(match name {
        "ready" => {
            CallTransition::Ready { id: text("id")?, attempt: attempt(), args: text("args")? }
        }
        "started" => {
            CallTransition::Started { id: text("id")?, attempt: attempt(), args: text("args")? }
        }
        "recorded" => CallTransition::Recorded { id: text("id")? },
        "paused" => CallTransition::Paused { id: text("id")? },
        "ended" => {
            let word = fields.chars("end")?;
            let ends = [CallEnd::Ok, CallEnd::Failed, CallEnd::Skipped, CallEnd::Cancelled];
            let end = ends.into_iter().find(|end| end.as_str() == word);
            let end =
                end.ok_or_else(|| ReadEntryError::new("`end` is not a way for a call to end"))?;
            CallTransition::Ended { id: text("id")?, end, reason: text("reason").ok() }
        }
        "bound" => {
            let value = fields.json("value");
            let value = value.ok_or_else(|| ReadEntryError::new("`value` is missing"))?;
            CallTransition::Bound { name: text("name")?, value: Cow::Owned(value) }
        }
        _ => return Ok(None),
    }))
}
