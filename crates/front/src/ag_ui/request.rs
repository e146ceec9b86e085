//! The request of a client, `RunAgentInput`.
//!
//! It reads the fields that silcrow uses. A client also sends its state, which is accepted and not
//! read.

mod answer;
mod content;

use std::fmt;

use serde_json::Value;

use crate::client_file::ClientFile;
use crate::client_tools::{ClientResult, ClientTools};
use crate::encoder::RunEnd;
use crate::short_reason::short_reason;

pub use answer::{AgUiAnswer, AgUiDecision};
use content::{content, text_content};

/// A request for a run.
///
/// ```
/// use silcrow_front::{AgUiRequest, AgUiRole};
///
/// let body = r#"{"threadId":"sums","runId":"1","protocolVersion":"1.0","tools":[],"context":[],
///     "messages":[{"id":"m1","role":"user","content":"2 + 2?"}]}"#;
/// let request = AgUiRequest::parse(body.as_bytes()).unwrap();
/// assert_eq!((&*request.thread, request.messages[0].role), ("sums", AgUiRole::User));
/// let error = AgUiRequest::parse(br#"{"threadId":"sums","runId":7,"messages":[]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "`runId` is not a string");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgUiRequest {
    /// The id of the thread, which is the client's name of the conversation.
    pub thread: String,
    /// The id of the run, which the client has made.
    pub run: String,
    /// The version of the protocol that the client speaks; none before 1.0.
    pub protocol_version: Option<String>,
    /// The messages of the thread as the client has them.
    pub messages: Vec<AgUiMessage>,
    /// The contents and facts of the client's page, each with a description.
    pub context: Vec<AgUiContext>,
    /// Whether the last message of the person is to be answered again
    /// (`forwardedProps.regenerate`). A client that only joins sends the same messages.
    pub regenerates: bool,
    /// The tools that the client has, and runs itself.
    pub tools: ClientTools,
    /// The results of calls of these tools that the messages have. Most of them are known already.
    pub results: Vec<ClientResult>,
    /// Answers to the interrupts with which the last run ended.
    pub answers: Vec<AgUiAnswer>,
    /// The messages as they came.
    pub(super) sent: Vec<Value>,
}

/// A value from the client's page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgUiContext {
    /// The description of the value.
    pub description: String,
    /// Its value, which is often JSON.
    pub value: String,
}

/// A message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgUiMessage {
    /// The id, which the party has given that has written the message.
    pub id: String,
    /// The author of the message.
    pub role: AgUiRole,
    /// The text of a message of the person, or of the developer or the operator of the client's program;
    /// of others it is empty, because the log has them.
    pub text: String,
    /// The files that go with a message of the person.
    pub files: Vec<ClientFile>,
}

/// The author of a message of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol names them all")]
pub enum AgUiRole {
    /// The developer of the client's program.
    Developer,
    /// The operator of the client's program.
    System,
    /// The model.
    Assistant,
    /// The person.
    User,
    /// A tool, whose result the message is.
    Tool,
    /// The framework, which shows progress.
    Activity,
    /// The model, which thinks.
    Reasoning,
}

/// The reason why a request cannot be answered.
///
/// ```
/// use silcrow_front::AgUiRequest;
///
/// let error = AgUiRequest::parse(b"[]").unwrap_err();
/// // The sentence goes into the answer of a server, with the status 400.
/// assert!(!error.to_string().is_empty() && !error.to_string().ends_with('.'), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgUiRequestError {
    code: &'static str,
    message: String,
}

impl AgUiRequest {
    /// Reads the body of a request.
    pub fn parse(body: &[u8]) -> Result<Self, AgUiRequestError> {
        let invalid = |why| AgUiRequestError::new("invalid_request", why);
        let body: Value = serde_json::from_slice(body)
            .map_err(|why| invalid(format!("the request is not JSON: {why}")))?;
        if !body.is_object() {
            return Err(invalid("the request is not a JSON object".to_owned()));
        }
        let messages = list(&body, "messages")?
            .ok_or_else(|| invalid("`messages` is missing".to_owned()))?
            .iter()
            .enumerate()
            .map(|(n, message)| AgUiMessage::read(message, &format!("messages[{n}]")));
        let answers = list(&body, "resume")?.unwrap_or_default().iter().enumerate();
        let answers = answers.map(|(n, answer)| AgUiAnswer::read(answer, &format!("resume[{n}]")));
        Ok(Self {
            thread: text(&body, "threadId", "threadId")?.to_owned(),
            run: text(&body, "runId", "runId")?.to_owned(),
            protocol_version: optional_text(&body, "protocolVersion", "protocolVersion")?
                .map(str::to_owned),
            messages: messages.collect::<Result<_, _>>()?,
            context: AgUiContext::read_all(&body)?,
            regenerates: body["forwardedProps"]["regenerate"] == true,
            tools: ClientTools::read(&body["tools"]).map_err(invalid)?,
            results: results(&body),
            answers: answers.collect::<Result<_, _>>()?,
            sent: list(&body, "messages")?.unwrap_or_default().to_vec(),
        })
    }

    /// Returns the instructions of the client's program: the messages of its developer and its
    /// operator, and the context.
    ///
    /// ```
    /// use silcrow_front::AgUiRequest;
    ///
    /// let body = r#"{"threadId":"sums","runId":"1","context":[{"description":"the order","value":"7"}],
    ///     "messages":[{"id":"m1","role":"system","content":"Be brief."},
    ///         {"id":"m2","role":"user","content":"2 + 2?"}]}"#;
    /// let request = AgUiRequest::parse(body.as_bytes()).unwrap();
    /// assert_eq!(request.instructions(), "Be brief.\n\nthe order: 7");
    /// ```
    pub fn instructions(&self) -> String {
        let is_said =
            |message: &&AgUiMessage| matches!(message.role, AgUiRole::Developer | AgUiRole::System);
        let said =
            self.messages.iter().filter(is_said).map(|message| message.text.trim().to_owned());
        let known = self.context.iter().map(|AgUiContext { description, value }| {
            format!("{}: {}", description.trim(), value.trim())
        });
        said.chain(known).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

impl AgUiContext {
    fn read_all(body: &Value) -> Result<Vec<Self>, AgUiRequestError> {
        let all = list(body, "context")?.unwrap_or_default().iter().enumerate();
        let read = |(number, one): (usize, &Value)| {
            let description = text(one, "description", &format!("context[{number}].description"))?;
            let value = match &one["value"] {
                Value::String(value) => value.clone(),
                Value::Null => return Err(not(&format!("context[{number}].value"), "a string")),
                // Some clients send the value itself.
                value => value.to_string(),
            };
            Ok(Self { description: description.to_owned(), value })
        };
        all.map(read).collect()
    }
}

impl AgUiMessage {
    fn read(message: &Value, place: &str) -> Result<Self, AgUiRequestError> {
        let role = text(message, "role", &format!("{place}.role"))?;
        let role =
            AgUiRole::ALL.into_iter().find(|known| known.as_str() == role).ok_or_else(|| {
                let why = format!("`{place}.role` is `{role}`, which the protocol does not have");
                AgUiRequestError::new("invalid_request", why)
            })?;
        let id = text(message, "id", &format!("{place}.id"))?.to_owned();
        let mut files = Vec::new();
        let text = match role {
            AgUiRole::User => {
                content(&message["content"], &format!("{place}.content"), &mut files)?
            }
            AgUiRole::Developer | AgUiRole::System => {
                text_content(&message["content"], &format!("{place}.content"))?
            }
            _ => String::new(),
        };
        Ok(Self { id, role, text, files })
    }
}

impl AgUiRole {
    const ALL: [Self; 7] = [
        Self::Developer,
        Self::System,
        Self::Assistant,
        Self::User,
        Self::Tool,
        Self::Activity,
        Self::Reasoning,
    ];

    /// Returns the word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::System => "system",
            Self::Assistant => "assistant",
            Self::User => "user",
            Self::Tool => "tool",
            Self::Activity => "activity",
            Self::Reasoning => "reasoning",
        }
    }
}

impl AgUiRequestError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: short_reason(message.into()) }
    }

    /// Returns the code, which programs can compare: `invalid_request`, `edited_history`,
    /// `open_interrupts` or `unknown_interrupt`.
    pub const fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for AgUiRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AgUiRequestError {}

impl From<AgUiRequestError> for RunEnd {
    /// Returns the end of a run that has not begun, because its request cannot be answered.
    fn from(error: AgUiRequestError) -> Self {
        Self::Failed { code: error.code.to_owned(), message: error.message }
    }
}

/// Returns the results of calls that the messages have.
fn results(body: &Value) -> Vec<ClientResult> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let results = messages.filter(|message| message["role"] == "tool").filter_map(|message| {
        let call = message["toolCallId"].as_str()?.to_owned();
        let error = message["error"].as_str().filter(|error| !error.is_empty());
        let sent = match &message["content"] {
            Value::String(text) => text.clone(),
            parts => text_content(parts, "content").ok()?,
        };
        let content = error.map_or(sent, str::to_owned);
        Some(ClientResult { call, content, has_failed: error.is_some() })
    });
    results.collect()
}

fn list<'a>(object: &'a Value, key: &str) -> Result<Option<&'a [Value]>, AgUiRequestError> {
    match &object[key] {
        Value::Null => Ok(None),
        Value::Array(list) => Ok(Some(list)),
        _ => Err(not(key, "a list")),
    }
}

fn text<'a>(object: &'a Value, key: &str, place: &str) -> Result<&'a str, AgUiRequestError> {
    let missing = || AgUiRequestError::new("invalid_request", format!("`{place}` is missing"));
    optional_text(object, key, place)?.ok_or_else(missing)
}

fn optional_text<'a>(
    object: &'a Value,
    key: &str,
    place: &str,
) -> Result<Option<&'a str>, AgUiRequestError> {
    match &object[key] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(not(place, "a string")),
    }
}

fn not(place: &str, what: &str) -> AgUiRequestError {
    AgUiRequestError::new("invalid_request", format!("`{place}` is not {what}"))
}
