//! The commands of a session: their list for a client, and prompts that begin with one.

use serde_json::{Value, json};
use silcrow_event::{Content, ContentPart};

use crate::host::{AcpCommand, AcpHost, AcpSession};
use crate::message::RpcError;

/// Returns the update that lists the commands of a session, if it has any.
pub(crate) fn update<H: AcpHost + ?Sized>(host: &H, session: &AcpSession) -> Option<Value> {
    let commands = host.commands(session);
    let listed: Vec<_> = commands.iter().map(listed).collect();
    let update = json!({"sessionUpdate": "available_commands_update", "availableCommands": listed});
    (!commands.is_empty()).then_some(update)
}

/// Returns a prompt in which the text of the command replaces the words that call it. Files that go
/// with the prompt stay with it.
pub(crate) fn expand<H: AcpHost + ?Sized>(
    host: &H,
    session: &AcpSession,
    content: Content,
) -> Result<Content, RpcError> {
    let first = content.parts().first().map(ContentPart::text).unwrap_or_default();
    let Some(typed) = first.strip_prefix('/') else { return Ok(content) };
    let (name, words) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let Some(expanded) = host.expand(session, name, words.trim()) else { return Ok(content) };
    let mut expanded = expanded.map_err(RpcError::params)?;
    content.parts()[1..].iter().for_each(|part| expanded.push(part.clone()));
    Ok(expanded)
}

fn listed(command: &AcpCommand) -> Value {
    let mut listed = json!({"name": command.name, "description": command.description});
    if let Some(hint) = &command.hint {
        listed["input"] = json!({"hint": hint});
    }
    listed
}
