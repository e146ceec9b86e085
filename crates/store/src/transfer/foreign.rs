//! Checks of a log from a foreign export.
//!
//! A foreign log may fill only some fields, within bounds.

use silcrow_event as event;
use silcrow_event::{CallResult, Event};
use silcrow_sanitize::is_hidden;

use crate::imported;

/// Checks an entry. The error names the field and the correction.
pub(super) fn check(conversation: &str, entry: &event::Entry) -> Result<(), String> {
    imported::check(conversation).map_err(|error| error.to_string())?;
    name("the conversation id", conversation)?;
    if let Some(opening) = &entry.opening {
        name("the field `conversation` of its event", &opening.conversation)?;
        name("the run id", &opening.run)?;
    }
    if let Some(origin) = &entry.origin {
        name("the id of the conversation that it comes from", &origin.point().conversation)?;
    }
    for (what, text) in [("the agent path", &entry.agent_path), ("the user", &entry.user)] {
        text.as_deref().map_or(Ok(()), |text| name(what, text))?;
    }
    match &entry.event {
        Event::Call(call) => name("the call id", call.id()),
        Event::Result(CallResult { id: Some(id), .. }) => name("the call id", id),
        Event::Approval(approval) => name("the call id", &approval.id),
        Event::Parked(parked) => {
            let asked = parked.questions.iter().map(|asked| &asked.id);
            asked.chain(&parked.inside).try_for_each(|id| name("the call id", id))
        }
        _ => Ok(()),
    }
}

fn name(what: &str, text: &str) -> Result<(), String> {
    if text.len() > MAX_NAME {
        let length = text.len();
        return Err(format!("{what} is {length} bytes long; give it at most {MAX_NAME}"));
    }
    match text.chars().find(|char| is_hidden(*char)) {
        Some(char) => {
            let code = u32::from(char);
            Err(format!("{what} holds the character U+{code:04X}, which cannot be seen; rename it"))
        }
        None => Ok(()),
    }
}

/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 256;
