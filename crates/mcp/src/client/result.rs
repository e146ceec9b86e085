//! The result of a call, as the model reads it.
//!
//! Texts, JSON, and media that models can see, hear or read are the content. Everything else is
//! stored as a file beside the conversation, and a remark names the file.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use silcrow_event::{Content, ContentPart, Json, MediaRef};
use silcrow_media::{ErrorKind, FitLimits, MediaDecoder};
use silcrow_tool::{CallContext, Spill, ToolError, ToolOutput};

/// Returns the output of a call, or its failure if the tool says that it failed.
pub(crate) async fn output(
    result: CallToolResult,
    spill: Option<&Arc<dyn Spill>>,
    decoder: &Arc<dyn MediaDecoder>,
    context: &CallContext,
) -> Result<ToolOutput, ToolError> {
    let mut gathered = Gathered::default();
    for block in result.content {
        gathered.add(block);
    }
    let value = result.structured_content.as_ref().map(Value::to_string);
    if let Some(value) = result.structured_content {
        gathered.add_json(value);
    }
    let Gathered { texts, binaries, mut notices } = gathered;
    let text = texts.join("\n");
    if result.is_error == Some(true) {
        let why = if text.is_empty() { "the tool failed and said nothing" } else { &*text };
        return Err(ToolError::new(why));
    }
    let mut content = Content::from(&*text);
    for binary in binaries {
        match binary.medium(decoder).await {
            Ok(medium) => content.push(ContentPart::Media(Box::new(medium))),
            Err(binary) => notices.push(binary.keep(spill, context).await),
        }
    }
    if content.is_empty() && notices.is_empty() {
        notices.push("the tool returned nothing".to_owned());
    }
    let output =
        ToolOutput::new(summary(&content.text()), content).with_value(value.and_then(kept_value));
    Ok(notices.into_iter().fold(output, ToolOutput::with_notice))
}

/// Returns the value of a name that is bound to the result. A value that is too long to be stored
/// beside the text is only in the text.
fn kept_value(json: String) -> Option<Json> {
    (json.len() <= MAX_VALUE).then(|| Json::parse(&json)).flatten()
}

/// The length of the longest value in bytes.
const MAX_VALUE: usize = 1 << 20;

/// Returns the text in a resource or a prompt, and remarks about the rest.
pub(crate) fn text_of(blocks: impl IntoIterator<Item = ContentBlock>) -> (String, Vec<String>) {
    let mut gathered = Gathered::default();
    blocks.into_iter().for_each(|block| gathered.add(block));
    let left_out = gathered.binaries.iter().map(|binary| format!("{} is left out", binary.what()));
    let notices = left_out.chain(gathered.notices).collect();
    (gathered.texts.join("\n"), notices)
}

/// The parts of a result by their use.
#[derive(Default)]
struct Gathered {
    texts: Vec<String>,
    binaries: Vec<BinaryPart>,
    notices: Vec<String>,
}

impl Gathered {
    fn add(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.texts.push(text.text),
            ContentBlock::Image(image) => {
                self.binaries.push(BinaryPart::new("an image", &image.mime_type, &image.data));
            }
            ContentBlock::Audio(audio) => {
                self.binaries.push(BinaryPart::new("a sound", &audio.mime_type, &audio.data));
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { text, .. } => self.texts.push(text),
                ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                    let kind = mime_type.unwrap_or_default();
                    self.binaries.push(BinaryPart::new("a file", &kind, &blob));
                }
                _ => self.notices.push("a part of the result is of an unknown kind".to_owned()),
            },
            ContentBlock::ResourceLink(link) => {
                let about = link.description.or(link.title).unwrap_or(link.name);
                self.texts.push(format!("{} ({about})", link.uri));
            }
            _ => self.notices.push("a part of the result is of an unknown kind".to_owned()),
        }
    }

    /// Adds JSON, unless a text is the same JSON, as the protocol recommends, or it only wraps the texts.
    fn add_json(&mut self, value: Value) {
        if !self.texts.iter().any(|text| is_json(text, &value)) && !self.are_wrapped_by(&value) {
            self.texts.push(value.to_string());
        }
    }

    /// Returns whether the one member of an object equals the texts. So libraries return results
    /// that are not objects.
    fn are_wrapped_by(&self, value: &Value) -> bool {
        let wrapped = value.as_object().filter(|members| members.len() == 1);
        let Some(wrapped) = wrapped.and_then(|members| members.values().next()) else {
            return false;
        };
        let is_same = |(text, value): (&String, &Value)| {
            value.as_str() == Some(text.as_str()) || is_json(text, value)
        };
        match (wrapped, &self.texts[..]) {
            (Value::String(whole), texts) => *whole == texts.join("\n"),
            (Value::Array(items), texts) if items.len() == texts.len() => {
                texts.iter().zip(items).all(is_same)
            }
            (value, [text]) => is_json(text, value),
            _ => false,
        }
    }
}

/// Returns whether a text is this JSON.
fn is_json(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|json| json == *value)
}

/// A part of a result that is not text.
struct BinaryPart {
    /// A word for its kind.
    kind: &'static str,
    mime_type: String,
    bytes: Option<Vec<u8>>,
    /// The reason why it is not shown, if it is of a type that may be.
    why: Option<String>,
}

impl BinaryPart {
    fn new(kind: &'static str, mime_type: &str, base64: &str) -> Self {
        let is_type = |c: char| c.is_ascii_alphanumeric() || "/+-._".contains(c);
        let mime_type = mime_type.chars().filter(|c| is_type(*c)).take(60).collect();
        Self { kind, mime_type, bytes: STANDARD.decode(base64).ok(), why: None }
    }

    /// Returns the part as a medium that a model may take, or the part itself. Its first bytes
    /// decide what it is, and not the server.
    async fn medium(mut self, decoder: &Arc<dyn MediaDecoder>) -> Result<MediaRef, Self> {
        let Some(bytes) = self.bytes.clone() else { return Err(self) };
        // A picture that is decoded keeps a thread busy.
        let decoder = Arc::clone(decoder);
        let read = move || decoder.medium(&bytes, "", &FitLimits::default());
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(medium)) => Ok(medium),
            Ok(Err(error)) => {
                self.why = (error.kind() != ErrorKind::NotAnImage).then(|| error.to_string());
                Err(self)
            }
            Err(_) => Err(self),
        }
    }

    fn what(&self) -> String {
        let size = self.bytes.as_ref().map_or(0, Vec::len);
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(", not shown: {why}"));
        format!("{} ({}, {size} bytes{why})", self.kind, self.mime_type)
    }

    /// Keeps the bytes, and returns the remark that says where.
    async fn keep(self, spill: Option<&Arc<dyn Spill>>, context: &CallContext) -> String {
        let what = self.what();
        let Some(bytes) = self.bytes else { return format!("{what} is left out: it is damaged") };
        let Some(spill) = spill else { return format!("{what} is left out") };
        match spill.keep_bytes(context, extension(&self.mime_type), &bytes).await {
            Ok(name) => format!("{what} is kept as {name}"),
            Err(why) => format!("{what} is left out: {why}"),
        }
    }
}

/// Returns the end of a file's name for a kind of content.
fn extension(mime_type: &str) -> &'static str {
    match mime_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        _ => "bin",
    }
}

/// Returns the first line, or the beginning of it.
fn summary(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    match line.char_indices().nth(80) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the texts beside JSON that the model reads.
    fn read(texts: &[&str], value: Value) -> String {
        let mut gathered = Gathered::default();
        texts.iter().for_each(|text| gathered.texts.push((*text).to_owned()));
        gathered.add_json(value);
        gathered.texts.join("\n")
    }

    #[test]
    fn structured_content_equal_to_text_appears_once() {
        assert_eq!(read(&["It rains."], json!({"result": "It rains."})), "It rains.");
        assert_eq!(read(&["a", "b"], json!({"result": "a\nb"})), "a\nb");
        assert_eq!(read(&["3"], json!({"result": 3})), "3");
        assert_eq!(read(&["a", "{\"n\":1}"], json!({"result": ["a", {"n": 1}]})), "a\n{\"n\":1}");
        assert_eq!(read(&["{\"n\": 1}"], json!({"n": 1})), "{\"n\": 1}");
    }

    #[test]
    fn structured_content_beyond_text_is_read_too() {
        let more = [
            (&["It rains."][..], json!({"result": "It snows."})),
            (&["It rains."], json!({"result": "It rains.", "degrees": 3})),
            (&["a"], json!({"result": ["a", "b"]})),
            (&["2 rows"], json!({"rows": [1, 2]})),
            (&[], json!({"result": "only here"})),
        ];
        for (texts, value) in more {
            let said = read(texts, value.clone());
            assert!(said.ends_with(&value.to_string()), "{said}");
        }
    }
}
