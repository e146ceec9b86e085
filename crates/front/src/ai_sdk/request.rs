//! The request that a client sends when a person has written something or answered a question.
//!
//! A client sends the messages that it has. The log is authoritative: of the messages only the last
//! one of the person is read, the answers to questions, and the results of the client's own tools.

mod user_message;

use std::fmt;

use serde_json::Value;

use crate::client_tools::{ClientResult, ClientTools};
use crate::short_reason::short_reason;

pub use user_message::AiSdkUserMessage;

/// A request for a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AiSdkRequest {
    /// The id of the chat, which is the id of the conversation.
    pub chat: String,
    /// The action that the client asks for.
    pub action: AiSdkAction,
    /// The answers to questions about calls, each once. A client repeats an answer until its message
    /// has the call's output, so a question may be answered already.
    pub approvals: Vec<AiSdkApproval>,
    /// The tools that the client has, and runs itself, as assistant-ui sends them: an object by name,
    /// or an array.
    pub tools: ClientTools,
    /// The results of calls of these tools that the last message of the assistant has. Most of them
    /// are known already.
    pub results: Vec<ClientResult>,
    /// The number of messages of the person that the client has sent; `None` if it has sent the last
    /// message only.
    pub prompts: Option<usize>,
    /// The instructions of the client's program (`system`), if there are any.
    pub system: Option<String>,
}

/// The action that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AiSdkAction {
    /// A run for a new message.
    Send(AiSdkUserMessage),
    /// A run for a message that replaces an earlier one with the same id, and all that followed.
    Edit(AiSdkUserMessage),
    /// Another answer in place of one.
    Regenerate {
        /// The id of the message that is to be replaced; the last answer without one.
        replaced: Option<String>,
    },
    /// The continuation of a run, whose questions are answered now.
    Continue,
}

/// An answer to the question whether a call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AiSdkApproval {
    /// The id of the question in the conversation, such as `3/a1`.
    pub id: String,
    /// Whether the call may run.
    pub is_approved: bool,
    /// Whether the answer covers all calls of the question's scope in the conversation. Clients have
    /// nothing for it; a page says so in the data of the question.
    pub for_conversation: bool,
    /// The number of the question's wider scope that the answer covers, from 0, if it covers one.
    pub wider: Option<usize>,
    /// The reason in the person's own words.
    pub reason: Option<String>,
}

/// The error that a body is not a request, with the reason.
///
/// ```
/// use silcrow_front::AiSdkRequest;
///
/// let error = AiSdkRequest::parse(br#"{"id":"c1"}"#).unwrap_err();
/// assert!(error.to_string().contains("messages"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AiSdkRequestError(String);

impl fmt::Display for AiSdkRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AiSdkRequestError {}

impl AiSdkRequest {
    /// Reads the body of a request: `{id, messages, trigger, messageId}`, which is the client's
    /// default, or `{id, message}` with the last message only.
    ///
    /// # Errors
    ///
    /// Returns the error and its place, if the body is not such a request.
    ///
    /// ```
    /// use silcrow_front::{AiSdkAction, AiSdkRequest};
    ///
    /// let body = r#"{"id": "sums", "message":
    ///     {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "2 + 2?"}]}}"#;
    /// let request = AiSdkRequest::parse(body.as_bytes()).unwrap();
    /// assert_eq!(request.chat, "sums");
    /// assert!(matches!(request.action, AiSdkAction::Send(message) if message.content == "2 + 2?"));
    /// ```
    pub fn parse(body: &[u8]) -> Result<Self, AiSdkRequestError> {
        let body: Value = serde_json::from_slice(body)
            .map_err(|why| wrong(format!("The body is not JSON: {why}")))?;
        let chat = text(&body, "", "id")?.to_owned();
        let (messages, place) = match (&body["messages"], &body["message"]) {
            (Value::Null, Value::Null) => {
                return Err(wrong("The body has neither `messages` nor `message`."));
            }
            (Value::Null, message) => (std::slice::from_ref(message), "message"),
            (Value::Array(messages), _) => (&**messages, "messages"),
            _ => return Err(wrong("`messages` is not an array.")),
        };
        let mut approvals = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            let place =
                if place == "message" { place.to_owned() } else { format!("{place}[{index}]") };
            read_approvals(message, &place, &mut approvals)?;
        }
        let action = action(&body, messages)?;
        let tools = ClientTools::read(&body["tools"]).map_err(|why| wrong(format!("{why}.")))?;
        let is_prompt = |message: &&Value| message["role"] == "user";
        let prompts = (place == "messages").then(|| messages.iter().filter(is_prompt).count());
        let last = messages.iter().rev().find(|message| message["role"] == "assistant");
        let results = last.map(results).unwrap_or_default();
        let system = body["system"].as_str().map(str::to_owned);
        Ok(Self { chat, action, approvals, tools, results, prompts, system })
    }
}

fn action(body: &Value, messages: &[Value]) -> Result<AiSdkAction, AiSdkRequestError> {
    let named = body["messageId"].as_str();
    match body["trigger"].as_str() {
        None | Some("submit-message") => {}
        Some("regenerate-message") => {
            return Ok(AiSdkAction::Regenerate { replaced: named.map(str::to_owned) });
        }
        Some(other) => {
            let known = "`submit-message` or `regenerate-message`";
            return Err(wrong(format!("The trigger is `{other}`, and not {known}.")));
        }
    }
    let is_of = |message: &&Value, role: &str| message["role"] == *role;
    let is_named = |message: &&Value| named.is_some() && message["id"].as_str() == named;
    let continued = messages.iter().find(is_named).is_some_and(|one| is_of(&one, "assistant"));
    match messages.last() {
        None => Err(wrong("`messages` is empty.")),
        Some(last) if continued || is_of(&last, "assistant") => Ok(AiSdkAction::Continue),
        Some(last) if is_of(&last, "user") => {
            let action = if is_named(&last) { AiSdkAction::Edit } else { AiSdkAction::Send };
            AiSdkUserMessage::read(last).map(action)
        }
        Some(_) => Err(wrong("The last message is neither of the role `user` nor of `assistant`.")),
    }
}

/// Reads the answers in a message. A page may also set `approved` in the data of a question, because
/// clients of version 5 have no approvals, and no client has one for a whole conversation.
fn read_approvals(
    message: &Value,
    place: &str,
    approvals: &mut Vec<AiSdkApproval>,
) -> Result<(), AiSdkRequestError> {
    let Value::Array(parts) = &message["parts"] else {
        return Err(wrong(format!("`{place}.parts` is not an array.")));
    };
    for (index, part) in parts.iter().enumerate() {
        let (answer, id, at) = match part["type"].as_str() {
            Some("data-approval") if !part["data"]["approved"].is_null() => {
                (&part["data"], &part["id"], "data")
            }
            _ if part["state"] == "approval-responded" => {
                (&part["approval"], &part["approval"]["id"], "approval")
            }
            _ => continue,
        };
        let (Some(id), Some(is_approved)) = (id.as_str(), answer["approved"].as_bool()) else {
            let wanted = "an answer with an id and `approved`, which is true or false";
            return Err(wrong(format!("`{place}.parts[{index}].{at}` is not {wanted}.")));
        };
        if approvals.iter().all(|known| known.id != id) {
            let reason = answer["reason"].as_str().map(str::to_owned);
            let (id, for_conversation) = (id.to_owned(), answer["scope"] == "conversation");
            let wider = (answer["scope"] == "wider").then(|| answer["index"].as_u64().unwrap_or(0));
            let wider = wider.map(|index| index.try_into().unwrap_or(usize::MAX));
            approvals.push(AiSdkApproval { id, is_approved, for_conversation, wider, reason });
        }
    }
    Ok(())
}

/// Returns the results of calls that a message has.
fn results(message: &Value) -> Vec<ClientResult> {
    let parts = message["parts"].as_array().into_iter().flatten();
    let results = parts.filter_map(|part| {
        let call = part["toolCallId"].as_str()?.to_owned();
        let (content, has_failed) = match (part["state"].as_str()?, &part["output"]) {
            ("output-available", Value::String(text)) => (text.clone(), false),
            ("output-available", output) => (output.to_string(), false),
            ("output-error", _) => {
                (part["errorText"].as_str().unwrap_or_default().to_owned(), true)
            }
            _ => return None,
        };
        Some(ClientResult { call, content, has_failed })
    });
    results.collect()
}

/// Returns a member that has to be a string which is not empty.
fn text<'a>(value: &'a Value, place: &str, key: &str) -> Result<&'a str, AiSdkRequestError> {
    let text = value[key].as_str().filter(|text| !text.is_empty());
    text.ok_or_else(|| wrong(format!("`{place}{key}` is missing, or not a string.")))
}

fn wrong(why: impl Into<String>) -> AiSdkRequestError {
    AiSdkRequestError(short_reason(why.into()))
}
