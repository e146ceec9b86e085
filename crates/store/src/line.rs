//! An entry as the line of text that a store keeps, and back again without losing a byte.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use silcrow_event as event;

use crate::error::{Error, ErrorKind};

/// The entry as one JSON object on one line.
pub fn write(entry: &event::Entry) -> String {
    entry.to_json()
}

/// The entry whose line this is: [`write()`] of it is the line again.
///
/// [`event::read_entry`] reads logs that others wrote, and takes numbers and a tool's output
/// through values; here times keep their last bit and a tool's output its own bytes, however deep.
///
/// # Errors
///
/// [`Damaged`](ErrorKind::Damaged) where it is no line of [`write()`].
pub fn read(line: &str) -> Result<event::Entry, Error> {
    let fields = members(line)?;
    let payload = fields.get("payload").map(|payload| members(payload.get())).transpose()?;
    let output = payload.as_ref().and_then(|payload| payload.get("content"));
    let mut entry = match output {
        // A tool's output may nest deeper than values may.
        Some(output) => event::read_entry(&without(line, output.get())),
        None => event::read_entry(line),
    }
    .map_err(damaged)?;
    entry.timestamp = fields.get("timestamp").and_then(|time| time.get().parse().ok());
    if let event::Event::Result(outcome) = &mut entry.event
        && let (Some(payload), Some(output)) = (&mut outcome.payload, output)
        && let Some(output) = event::Json::parse(output.get())
    {
        payload.content = output;
    }
    if let event::Event::Call(call) = &mut entry.event
        && let Some(action) = fields.get("action")
        && let Some(timeout) = members(action.get())?.get("timeout")
        && let Some(exact) = call.action().cloned()
    {
        let timeout = timeout.get().parse().ok();
        *call = call.clone().with_action(event::Action { timeout, ..exact });
    }
    Ok(entry)
}

fn members(object: &str) -> Result<BTreeMap<String, &RawValue>, Error> {
    serde_json::from_str(object).map_err(damaged)
}

/// `line` with `null` in the place of `part`, a slice of it.
fn without(line: &str, part: &str) -> String {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    [&line[..start], "null", &line[start + part.len()..]].concat()
}

fn damaged(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let cause = cause.into();
    Error::new(ErrorKind::Damaged, format!("a stored line is no event: {cause}")).caused_by(cause)
}
