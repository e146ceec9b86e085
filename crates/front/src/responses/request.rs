//! The body of a request for a response.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::client_tools::{ClientCallId, ClientResult, ClientTools};
use crate::openai::{
    ClientMessage, ClientRole, ClientWishes, OpenAiError, RequestBody, client_tools, instructions,
};

/// The parts of a request for a response that an agent uses. [`ClientWishes::unused`] names its
/// other members.
///
/// ```
/// use silcrow_front::{ResponseInput, ResponseRequest};
///
/// let request = ResponseRequest::parse(br#"{"model": "silcrow", "input": "2 + 2?"}"#)?;
/// assert!(matches!(&request.input[..], [ResponseInput::Message(sent)] if sent.text == "2 + 2?"));
///
/// let error = ResponseRequest::parse(br#"{"input": 4}"#).unwrap_err();
/// assert_eq!(error.to_string(), "`input` has to be a string or an array of items, but is a number.");
/// # Ok::<(), silcrow_front::OpenAiError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResponseRequest {
    /// The name of the model.
    pub model: Option<String>,
    /// The prompt, answers to questions, and all other input from the client.
    pub input: Vec<ResponseInput>,
    /// The response that this one continues.
    pub previous_response_id: Option<String>,
    /// The conversation that the response is a part of.
    pub conversation: Option<String>,
    /// Instructions that hold for this response.
    pub instructions: Option<String>,
    /// Whether the events are requested as a stream.
    pub stream: bool,
    /// Whether the run continues if the client leaves.
    pub background: bool,
    /// Whether the response can be requested again.
    pub store: bool,
    /// Data of the client, which the response repeats.
    pub metadata: BTreeMap<String, String>,
    /// The person, as the client names them.
    pub user: Option<String>,
    /// The tools that the client has, and runs itself.
    pub tools: ClientTools,
    /// The client's wishes about the form of the answer.
    pub wishes: ClientWishes,
}

/// An item of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseInput {
    /// A message.
    Message(ClientMessage),
    /// The answer to a question.
    Approval(ApprovalAnswer),
    /// The result of a call of one of the client's tools. The conversation already has the results
    /// of other calls.
    Result(ClientResult),
    /// An item of this type that says nothing new, such as a call that a response had.
    Other(String),
}

/// The answer to a question whether a call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a question is answered by yes or no")]
pub struct ApprovalAnswer {
    /// The id of the question, such as `3/a1`.
    pub question: String,
    /// Whether the call may run.
    pub approve: bool,
    /// The reason in the person's own words.
    pub reason: Option<String>,
}

impl ResponseRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    ///
    /// The error names the member that is missing or wrong.
    pub fn parse(body: &[u8]) -> Result<Self, OpenAiError> {
        let body = RequestBody::parse(body)?;
        let body = RequestBody::read(&body, "")?;
        let text = |key| Ok(body.text(key)?.map(str::to_owned));
        Ok(Self {
            model: text("model")?,
            tools: client_tools(&body)?,
            input: input(&body)?,
            previous_response_id: text("previous_response_id")?,
            conversation: conversation(&body)?,
            instructions: text("instructions")?,
            stream: body.bool("stream")?.unwrap_or(false),
            background: body.bool("background")?.unwrap_or(false),
            store: body.bool("store")?.unwrap_or(true),
            metadata: body.texts("metadata")?,
            user: text("safety_identifier")?.or(text("user")?),
            wishes: ClientWishes::of_response(&body, &READ)?,
        })
    }

    /// Returns whether this is one message of the person, without a stream: maybe a
    /// [background task](crate::ChatHeaders::is_background_task).
    pub fn is_single(&self) -> bool {
        !self.stream && self.user_texts().count() == 1
    }

    /// Returns the instructions of the client's program: its `instructions`, and its messages
    /// `system` and `developer`.
    pub fn all_instructions(&self) -> String {
        let messages = self.input.iter().filter_map(|item| match item {
            ResponseInput::Message(message) => Some(message),
            _ => None,
        });
        let parts = [self.instructions.clone().unwrap_or_default(), instructions(messages)];
        let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the texts of the messages of the person.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.user_messages().map(|message| &*message.text)
    }

    /// Returns the messages of the person.
    pub fn user_messages(&self) -> impl Iterator<Item = &ClientMessage> {
        self.input.iter().filter_map(|item| match item {
            ResponseInput::Message(sent) if sent.role == ClientRole::User => Some(sent),
            _ => None,
        })
    }

    /// Returns the results of calls.
    pub fn results(&self) -> impl Iterator<Item = &ClientResult> {
        self.input.iter().filter_map(|item| match item {
            ResponseInput::Result(result) => Some(result),
            _ => None,
        })
    }

    /// Returns the conversation of the last call whose result the input has, if its id names one.
    pub fn called_in(&self) -> Option<&str> {
        let calls = self.results().filter_map(|result| ClientCallId::parse(&result.call));
        calls.last().map(|call| call.conversation)
    }

    /// Returns the answers to questions.
    pub fn approvals(&self) -> impl Iterator<Item = &ApprovalAnswer> {
        self.input.iter().filter_map(|item| match item {
            ResponseInput::Approval(answer) => Some(answer),
            _ => None,
        })
    }
}

/// The members that are read here.
const READ: [&str; 12] = [
    "tools",
    "model",
    "input",
    "previous_response_id",
    "conversation",
    "instructions",
    "stream",
    "background",
    "store",
    "metadata",
    "safety_identifier",
    "user",
];

fn input(body: &RequestBody<'_>) -> Result<Vec<ResponseInput>, OpenAiError> {
    let items = match body.get("input") {
        None => return Err(body.missing("input")),
        Some(Value::String(text)) => {
            let message =
                ClientMessage { role: ClientRole::User, text: text.clone(), files: Vec::new() };
            return Ok(vec![ResponseInput::Message(message)]);
        }
        Some(Value::Array(items)) => items,
        Some(other) => return Err(body.wrong("input", "a string or an array of items", other)),
    };
    let item = |(number, item)| item_of(&RequestBody::read(item, &format!("input[{number}]"))?);
    items.iter().enumerate().map(item).collect()
}

fn item_of(item: &RequestBody<'_>) -> Result<ResponseInput, OpenAiError> {
    let kind = match item.text("type")? {
        // A message needs no type.
        None if item.get("role").is_some() => "message",
        None => return Err(item.missing("type")),
        Some(kind) => kind,
    };
    Ok(match kind {
        "message" => ResponseInput::Message(ClientMessage::read(item)?),
        "mcp_approval_response" => ResponseInput::Approval(ApprovalAnswer {
            question: item.required_text("approval_request_id")?.to_owned(),
            approve: item.bool("approve")?.ok_or_else(|| item.missing("approve"))?,
            reason: item.text("reason")?.map(str::to_owned),
        }),
        "function_call_output" => ResponseInput::Result(result(item)?),
        other => ResponseInput::Other(other.to_owned()),
    })
}

/// Reads the output of a function call: a text, or a list of parts with texts.
fn result(item: &RequestBody<'_>) -> Result<ClientResult, OpenAiError> {
    let call = item.required_text("call_id")?.to_owned();
    let content = match item.get("output") {
        None => return Err(item.missing("output")),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(other) => return Err(item.wrong("output", "a string or an array of parts", other)),
    };
    Ok(ClientResult { call, content, has_failed: false })
}

/// Reads the id of a conversation, which may be in an object.
fn conversation(body: &RequestBody<'_>) -> Result<Option<String>, OpenAiError> {
    match body.get("conversation") {
        Some(object @ Value::Object(_)) => {
            let object = RequestBody::read(object, "conversation")?;
            Ok(Some(object.required_text("id")?.to_owned()))
        }
        _ => Ok(body.text("conversation")?.map(str::to_owned)),
    }
}
