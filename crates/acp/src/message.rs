//! Messages of JSON-RPC 2.0, one object a line.

use serde_json::{Value, json};

/// A message of the client.
#[derive(Debug, PartialEq)]
pub(crate) enum EditorMessage {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours, or the error in its place.
    Answer {
        id: Value,
        result: Result<Value, String>,
    },
}

/// An error that answers a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RpcError {
    code: i32,
    message: String,
}

impl EditorMessage {
    /// Reads a line. An error is to be sent back under the id.
    pub(crate) fn parse(line: &str) -> Result<Self, (Value, RpcError)> {
        let message: Value = serde_json::from_str(line).map_err(|error| {
            (Value::Null, RpcError::new(PARSE_ERROR, format!("the line is not JSON: {error}")))
        })?;
        let invalid = |id: &Value, why: &str| (id.clone(), RpcError::new(INVALID_REQUEST, why));
        let Value::Object(mut message) = message else {
            return Err(invalid(&Value::Null, "the message is not one JSON object"));
        };
        let id = message.remove("id");
        match message.remove("method") {
            Some(Value::String(method)) => {
                let params = message.remove("params").unwrap_or_else(|| json!({}));
                Ok(match id {
                    Some(id) => Self::Request { id, method, params },
                    None => Self::Notification { method, params },
                })
            }
            Some(_) => Err(invalid(&id.unwrap_or_default(), "`method` is not a string")),
            None => {
                let Some(id) = id else {
                    return Err(invalid(&Value::Null, "the message has neither `method` nor `id`"));
                };
                let result = match (message.remove("result"), message.remove("error")) {
                    (_, Some(error)) => {
                        Err(error["message"].as_str().unwrap_or("it has no message").to_owned())
                    }
                    (Some(result), None) => Ok(result),
                    (None, None) => return Err(invalid(&id, "the message has no `method`")),
                };
                Ok(Self::Answer { id, result })
            }
        }
    }
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates the error of a request whose parameters are wrong.
    pub(crate) fn params(why: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, why)
    }

    pub(crate) fn method(name: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("unknown method `{name}`"))
    }

    /// Creates the error of something that failed here.
    pub(crate) fn internal(why: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, why)
    }

    pub(crate) fn unknown_session(id: &str) -> Self {
        Self::new(NOT_FOUND, format!("unknown session `{id}`; session/list lists the sessions"))
    }
}

/// Returns the line that answers a request.
pub(crate) fn answer(id: &Value, result: Result<Value, RpcError>) -> String {
    let message = match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(RpcError { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    };
    message.to_string()
}

/// Returns the line of a request.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Returns the line that tells the client about a session.
pub(crate) fn update(session: &str, update: &Value) -> String {
    let params = json!({"sessionId": session, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string()
}

const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const NOT_FOUND: i32 = -32002;

#[cfg(test)]
mod tests;
