//! A message of the person, with the files that go with it.

use serde_json::Value;
use silcrow_event::{Content, ContentPart, Json};

use super::{AiSdkRequestError, text, wrong};
use crate::client_file::{ClientFile, read_base64};

/// A message of the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AiSdkUserMessage {
    /// The id that the client has given it.
    pub id: String,
    /// The content. A file with text is its text; another one that is only named by its address is a line
    /// about it.
    pub content: Content,
    /// The other files, such as pictures.
    pub files: Vec<ClientFile>,
}

impl AiSdkUserMessage {
    pub(super) fn read(message: &Value) -> Result<Self, AiSdkRequestError> {
        let id = text(message, "message.", "id")?.to_owned();
        let parts = || message["parts"].as_array().into_iter().flatten();
        let content: Content = parts().filter_map(content).collect();
        let files: Vec<_> = parts().filter_map(file_of).collect();
        if content.is_empty() && files.is_empty() {
            return Err(wrong(format!("The message `{id}` has no text, file or data.")));
        }
        Ok(Self { id, content, files })
    }
}

/// Returns the content of a part; `None` for a part that is not of a person.
fn content(part: &Value) -> Option<ContentPart> {
    match part["type"].as_str()? {
        "text" => Some(ContentPart::Text(part["text"].as_str()?.to_owned())),
        "file" if file_of(part).is_none() => Some(ContentPart::Text(text_file(part))),
        name if name.starts_with("data-") => {
            Json::parse(&part["data"].to_string()).map(ContentPart::Json)
        }
        _ => None,
    }
}

/// Returns a file that has bytes which are not text.
fn file_of(part: &Value) -> Option<ClientFile> {
    let url = part["url"].as_str().filter(|_| part["type"] == "file")?;
    let name = part["filename"].as_str().unwrap_or_default();
    ClientFile::of_data_url(name, url).filter(|_| read_data_url(url).is_none())
}

/// Returns the text of a file, below a line with its name.
fn text_file(part: &Value) -> String {
    let kind = part["mediaType"].as_str().unwrap_or("unknown type");
    let url = part["url"].as_str().unwrap_or_default();
    let name = part["filename"].as_str().unwrap_or("without a name");
    match read_data_url(url) {
        Some(text) => format!("The file {name} ({kind}):\n{text}"),
        None if url.starts_with("data:") => {
            format!("The file {name} ({kind}) is not text, and was left out.")
        }
        None => format!("The file {name} ({kind}) is at {url}"),
    }
}

/// Returns the text in a `data:` address; `None` if it has none.
fn read_data_url(url: &str) -> Option<String> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let bytes = match head.strip_suffix(";base64") {
        Some(_) => read_base64(data)?,
        None => read_percent(data)?,
    };
    let text = String::from_utf8(bytes).ok()?;
    // Binary data may be valid UTF-8 by chance, and is not text.
    (!text.contains('\0')).then_some(text)
}

fn read_percent(data: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some((plain, escaped)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let (digits, after) = escaped.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}
