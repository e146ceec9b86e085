//! The content of a message: texts, and files of a person.

use serde_json::Value;

use super::{AgUiRequestError, not, text};
use crate::client_file::ClientFile;

/// Returns the texts of a content that may have nothing else.
pub(super) fn text_content(value: &Value, place: &str) -> Result<String, AgUiRequestError> {
    let mut files = Vec::new();
    let text = content(value, place, &mut files)?;
    match files.is_empty() {
        true => Ok(text),
        false => {
            let why = format!("`{place}` has a file; only a message of the person may have one");
            Err(AgUiRequestError::new("invalid_request", why))
        }
    }
}

/// Returns the texts of a content, with a line break between two of them, and adds its files.
pub(super) fn content(
    content: &Value,
    place: &str,
    files: &mut Vec<ClientFile>,
) -> Result<String, AgUiRequestError> {
    let parts = match content {
        Value::String(text) => return Ok(text.clone()),
        Value::Array(parts) => parts,
        _ => return Err(not(place, "a string or a list of parts")),
    };
    let mut texts = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let place = format!("{place}[{n}]");
        match text(part, "type", &format!("{place}.type"))? {
            "text" => texts.push(text(part, "text", &format!("{place}.text"))?),
            "image" | "audio" | "document" | "binary" => files.push(file(part)),
            other => {
                let why = format!(
                    "`{place}` is of the type `{other}`; this agent reads text, pictures, documents and \
                     sounds"
                );
                return Err(AgUiRequestError::new("invalid_request", why));
            }
        }
    }
    Ok(texts.join("\n"))
}

/// Reads a part that is a file: one with a source, or `binary` as before version 1.0.
fn file(part: &Value) -> ClientFile {
    let name = part["filename"].as_str().or_else(|| part["metadata"]["filename"].as_str());
    let data = match &part["source"] {
        Value::Null => part["data"].as_str(),
        source if source["type"] == "data" => source["value"].as_str(),
        _ => None,
    };
    let name = name.unwrap_or_default();
    // A message of the history may name a file that was sent before.
    let Some(data) = data else { return ClientFile::new(name, "") };
    // Some clients send the data with its type before it.
    ClientFile::of_data_url(name, data).unwrap_or_else(|| ClientFile::new(name, data))
}
