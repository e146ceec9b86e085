//! Messages that a client sends, with the whole conversation or with a new prompt.

use serde_json::Value;

use super::error::OpenAiError;
use super::request_body::RequestBody;
use crate::client_file::ClientFile;

/// A message that a client sends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a message has an author, a text and files")]
pub struct ClientMessage {
    /// The author of the message.
    pub role: ClientRole,
    /// The text. The texts of several parts have a line break between them.
    pub text: String,
    /// The files that go with a message of the person.
    pub files: Vec<ClientFile>,
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
        let mut files = Vec::new();
        let text = match message.get("content") {
            Some(content) => {
                let takes_files = role == ClientRole::User;
                text_of(content, message, takes_files.then_some(&mut files))?
            }
            None if role == ClientRole::Assistant => String::new(),
            None => return Err(message.missing("content")),
        };
        Ok(Self { role, text, files })
    }
}

/// Returns the texts of the client's author.
pub(crate) fn instructions<'a>(messages: impl Iterator<Item = &'a ClientMessage>) -> String {
    let own = messages.filter(|message| message.role == ClientRole::Instructions);
    own.map(|message| message.text.trim()).collect::<Vec<_>>().join("\n\n")
}

/// Reads the texts of a content, and adds its files.
fn text_of(
    content: &Value,
    message: &RequestBody<'_>,
    mut files: Option<&mut Vec<ClientFile>>,
) -> Result<String, OpenAiError> {
    let parts = match content {
        Value::String(text) => return Ok(text.clone()),
        Value::Array(parts) => parts,
        _ => return Err(message.wrong("content", "a string or an array of parts", content)),
    };
    let mut texts = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let key = format!("content[{number}]");
        let part = RequestBody::read(part, &message.at(&key))?;
        match part.required_text("type")? {
            "text" | "input_text" | "output_text" => texts.push(part.required_text("text")?),
            "refusal" => texts.push(part.required_text("refusal")?),
            other => match (file_of(other, &part)?, &mut files) {
                (Some(file), Some(files)) => files.push(file),
                (Some(_), None) => {
                    let text = format!(
                        "`{}` is `{other}`; only a message of the person may have files.",
                        part.at("type")
                    );
                    return Err(unsupported(&part, "type", text));
                }
                (None, _) => {
                    let text = format!(
                        "`{}` is `{other}`, which is not supported; send text, or a picture, a document or a sound.",
                        part.at("type")
                    );
                    return Err(unsupported(&part, "type", text));
                }
            },
        }
    }
    Ok(texts.join("\n"))
}

/// Reads a part that is a file; `None` if its type is none of a file.
fn file_of(kind: &str, part: &RequestBody<'_>) -> Result<Option<ClientFile>, OpenAiError> {
    let inner = |key| match part.get(key) {
        Some(inner) => RequestBody::read(inner, &part.at(key)),
        None => Err(part.missing(key)),
    };
    Ok(Some(match kind {
        // Some clients send the address itself.
        "image_url" if part.get("image_url").is_some_and(Value::is_string) => {
            addressed(part, "image_url", "")?
        }
        "image_url" => addressed(&inner("image_url")?, "url", "")?,
        "input_image" => addressed(part, "image_url", "")?,
        "file" => file_with_name(&inner("file")?)?,
        "input_file" => file_with_name(part)?,
        "input_audio" => ClientFile::new("", inner("input_audio")?.required_text("data")?),
        _ => return Ok(None),
    }))
}

fn file_with_name(file: &RequestBody<'_>) -> Result<ClientFile, OpenAiError> {
    let name = file.text("filename")?.unwrap_or_default();
    match file.text("file_data")? {
        Some(data) if !data.starts_with("data:") => Ok(ClientFile::new(name, data)),
        _ => addressed(file, "file_data", name),
    }
}

/// Reads a file in an address, which may be no other address, because the server fetches nothing.
fn addressed(part: &RequestBody<'_>, key: &str, name: &str) -> Result<ClientFile, OpenAiError> {
    let Some(url) = part.text(key)? else {
        let text = format!("`{}` is missing; send the file itself in it, in base64.", part.at(key));
        return Err(unsupported(part, key, text));
    };
    ClientFile::of_data_url(name, url).ok_or_else(|| {
        let text = format!(
            "`{}` has to be the file itself, as `data:TYPE;base64,…`: this server fetches no files.",
            part.at(key)
        );
        unsupported(part, key, text)
    })
}

fn unsupported(part: &RequestBody<'_>, key: &str, text: String) -> OpenAiError {
    part.invalid(key, text).with_code("unsupported_content")
}
