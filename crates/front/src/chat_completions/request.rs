//! The body of a request for a completion.

use std::collections::BTreeMap;

use crate::client_tools::{ClientCallId, ClientResult, ClientTools};
use crate::openai::{
    ClientMessage, ClientRole, ClientWishes, OpenAiError, RequestBody, client_tools, instructions,
};

/// The parts of a request for a completion that an agent uses. [`ClientWishes::unused`] names its
/// other members.
///
/// ```
/// use silcrow_front::CompletionRequest;
///
/// let body = br#"{"model": "silcrow", "messages": [{"role": "user", "content": "2 + 2?"}]}"#;
/// let request = CompletionRequest::parse(body)?;
/// assert_eq!(request.user_texts().collect::<Vec<_>>(), ["2 + 2?"]);
/// # Ok::<(), silcrow_front::OpenAiError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// The name of the model.
    pub model: String,
    /// The whole conversation as the client has it, with the new prompt at its end.
    pub messages: Vec<ClientMessage>,
    /// Whether chunks are requested as a stream.
    pub stream: bool,
    /// Whether the stream ends with the usage of the run.
    pub include_usage: bool,
    /// Data of the client.
    pub metadata: BTreeMap<String, String>,
    /// The person, as the client names them.
    pub user: Option<String>,
    /// The tools that the client has, and runs itself.
    pub tools: ClientTools,
    /// The results of calls after the last message of the model.
    pub results: Vec<ClientResult>,
    /// The conversation that the ids of earlier calls name, if there are any.
    pub called_in: Option<String>,
    /// The client's wishes about the form of the answer.
    pub wishes: ClientWishes,
}

impl CompletionRequest {
    /// Reads the body of a request.
    ///
    /// # Errors
    ///
    /// The error names the member that is missing or wrong.
    pub fn parse(body: &[u8]) -> Result<Self, OpenAiError> {
        let body = RequestBody::parse(body)?;
        let body = RequestBody::read(&body, "")?;
        let text = |key| Ok(body.text(key)?.map(str::to_owned));
        let model = body.required_text("model")?.to_owned();
        let messages = messages(&body)?;
        let (results, called_in) = results(&body)?;
        Ok(Self {
            model,
            messages,
            tools: client_tools(&body)?,
            results,
            called_in,
            stream: body.bool("stream")?.unwrap_or(false),
            include_usage: include_usage(&body)?,
            metadata: body.texts("metadata")?,
            user: text("safety_identifier")?.or(text("user")?),
            wishes: ClientWishes::of_completion(&body, &READ)?,
        })
    }

    /// Returns whether this is one message of the person, without a stream: maybe a
    /// [background task](crate::ChatHeaders::is_background_task).
    pub fn is_single(&self) -> bool {
        !self.stream && self.user_texts().count() == 1
    }

    /// Returns the instructions of the client's program: its messages `system` and `developer`.
    ///
    /// ```
    /// use silcrow_front::CompletionRequest;
    ///
    /// let body = br#"{"model": "silcrow", "messages": [
    ///     {"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}]}"#;
    /// assert_eq!(CompletionRequest::parse(body)?.instructions(), "Be brief.");
    /// # Ok::<(), silcrow_front::OpenAiError>(())
    /// ```
    pub fn instructions(&self) -> String {
        instructions(self.messages.iter())
    }

    /// Returns the person's texts since the last message of the model.
    pub fn new_texts(&self) -> Vec<&str> {
        self.new_messages().map(|message| &*message.text).collect()
    }

    /// Returns the messages of the person since the last one of the model.
    pub fn new_messages(&self) -> impl Iterator<Item = &ClientMessage> {
        let is_old = |message: &ClientMessage| message.role == ClientRole::Assistant;
        let from = self.messages.iter().rposition(is_old).map_or(0, |at| at + 1);
        self.messages[from..].iter().filter(|one| one.role == ClientRole::User)
    }

    /// Returns the texts of the messages of the person.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.user_messages().map(|message| &*message.text)
    }

    /// Returns the messages of the person.
    pub fn user_messages(&self) -> impl Iterator<Item = &ClientMessage> {
        self.messages.iter().filter(|message| message.role == ClientRole::User)
    }
}

/// The members that are read here.
const READ: [&str; 8] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "metadata",
    "safety_identifier",
    "user",
    "tools",
];

/// Reads the results of calls after the last message of the model, and the conversation of the last
/// call that names one.
fn results(body: &RequestBody<'_>) -> Result<(Vec<ClientResult>, Option<String>), OpenAiError> {
    let (mut results, mut called_in) = (Vec::new(), None);
    for (number, message) in body.required_array("messages")?.iter().enumerate() {
        let place = RequestBody::read(message, &format!("messages[{number}]"))?;
        match place.text("role")? {
            Some("assistant") => results.clear(),
            Some("tool") => {
                let call = place.required_text("tool_call_id")?.to_owned();
                if let Some(id) = ClientCallId::parse(&call) {
                    called_in = Some(id.conversation.to_owned());
                }
                let content = ClientMessage::read(&place)?.text;
                results.push(ClientResult { call, content, has_failed: false });
            }
            _ => {}
        }
    }
    Ok((results, called_in))
}

fn messages(body: &RequestBody<'_>) -> Result<Vec<ClientMessage>, OpenAiError> {
    let messages = body.required_array("messages")?;
    if messages.is_empty() {
        return Err(body.invalid("messages", "`messages` is empty; it needs a prompt."));
    }
    let message = |(number, message)| {
        ClientMessage::read(&RequestBody::read(message, &format!("messages[{number}]"))?)
    };
    messages.iter().enumerate().map(message).collect()
}

fn include_usage(body: &RequestBody<'_>) -> Result<bool, OpenAiError> {
    let Some(options) = body.get("stream_options") else { return Ok(false) };
    Ok(RequestBody::read(options, "stream_options")?.bool("include_usage")?.unwrap_or(false))
}
