//! Messages that a client sends, with the whole conversation or with a new prompt.

use serde_json::Value;

use super::error::OpenAiError;
use super::request_body::RequestBody;

/// A message that a client sends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a message has an author and a text")]
pub struct ClientMessage {
    /// The author of the message.
    pub role: ClientRole,
    /// The text. The texts of several parts have a line break between them.
    pub text: String,
}

/// The author of a [`ClientMessage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientRole {
    /// The client's author: `system` or `developer`.
    Instructions,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool of the client.
    Tool,
}

impl ClientMessage {
    /// Reads a message.
    pub(crate) fn read(message: &RequestBody<'_>) -> Result<Self, OpenAiError> {
        let role = match message.required_text("role")? {
            "system" | "developer" => ClientRole::Instructions,
            "user" => ClientRole::User,
            "assistant" => ClientRole::Assistant,
            "tool" | "function" => ClientRole::Tool,
            other => {
                let text = format!(
                    "`{}` is `{other}`; it has to be `user`, `assistant`, `system`, `developer` or `tool`.",
                    message.at("role"),
                );
                return Err(message.invalid("role", text));
            }
        };
        // A message of the model that made a call may have no content.
        let text = match message.get("content") {
            Some(content) => text_of(content, message)?,
            None if role == ClientRole::Assistant => String::new(),
            None => return Err(message.missing("content")),
        };
        Ok(Self { role, text })
    }
}

/// Returns the texts of the client's author.
pub(crate) fn instructions<'a>(messages: impl Iterator<Item = &'a ClientMessage>) -> String {
    let own = messages.filter(|message| message.role == ClientRole::Instructions);
    own.map(|message| message.text.trim()).collect::<Vec<_>>().join("\n\n")
}

fn text_of(content: &Value, message: &RequestBody<'_>) -> Result<String, OpenAiError> {
    let parts = match content {
        Value::String(text) => return Ok(text.clone()),
        Value::Array(parts) => parts,
        _ => return Err(message.wrong("content", "a string or an array of parts", content)),
    };
    let mut texts = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let key = format!("content[{number}]");
        let part = RequestBody::of(part, &message.at(&key))?;
        match part.required_text("type")? {
            "text" | "input_text" | "output_text" => texts.push(part.required_text("text")?),
            "refusal" => texts.push(part.required_text("refusal")?),
            other => {
                let text = format!(
                    "`{}` is `{other}`, which is not supported; send text.",
                    part.at("type")
                );
                return Err(part.invalid("type", text).with_code("unsupported_content"));
            }
        }
    }
    Ok(texts.join("\n"))
}
