//! An agent's offer to a client: methods, modes and options.

use serde_json::{Value, json};

use crate::host::{AcpChoice, AcpHost, AcpSession};
use crate::message::RpcError;

/// Returns the answer to `initialize`. A client of a newer version gets ours.
pub(crate) fn initialized<H: AcpHost + ?Sized>(host: &H) -> Value {
    json!({
        "protocolVersion": 1,
        "agentInfo": {
            "name": "silcrow",
            "title": "silcrow",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
            "mcpCapabilities": {"http": host.starts_servers(), "sse": false},
            "sessionCapabilities": {"list": {}, "delete": {}, "resume": {}, "close": {}},
        },
        "authMethods": [],
        "_meta": {"steering": {"supported": true}},
    })
}

/// Returns the modes and the options of a session, if the host has any.
pub(crate) fn choices<H: AcpHost + ?Sized>(host: &H, session: &AcpSession) -> Value {
    let mut answer = json!({});
    if !host.modes().is_empty() {
        let modes = host
            .modes()
            .iter()
            .map(|mode| json!({"id": mode.id, "name": mode.name, "description": mode.description}));
        answer["modes"] = json!({
            "currentModeId": session.mode,
            "availableModes": modes.collect::<Vec<_>>(),
        });
    }
    if !host.options().is_empty() {
        answer["configOptions"] = options(host, session);
    }
    answer
}

/// Returns the options of a session with their values.
pub(crate) fn options<H: AcpHost + ?Sized>(host: &H, session: &AcpSession) -> Value {
    let options = host.options().iter().map(|option| {
        let values = option.choices.iter().map(|choice| {
            json!({"value": choice.id, "name": choice.name, "description": choice.description})
        });
        json!({
            "id": option.id,
            "name": option.name,
            "type": "select",
            "currentValue": session.options.get(&option.id),
            "options": values.collect::<Vec<_>>(),
        })
    });
    options.collect()
}

/// Checks that a value is one of the choices for `what`.
pub(crate) fn check(choices: &[AcpChoice], value: &str, what: &str) -> Result<(), RpcError> {
    if choices.iter().any(|choice| choice.id == value) {
        return Ok(());
    }
    let ids: Vec<_> = choices.iter().map(|choice| &*choice.id).collect();
    let ids = ids.join(", ");
    Err(RpcError::params(format!("unknown value `{value}` for `{what}`; use one of {ids}")))
}
