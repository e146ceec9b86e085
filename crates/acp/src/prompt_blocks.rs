//! The content blocks of a prompt as the content of a message.
//!
//! The words of the person come first. Texts that go with them are data, and stand between two marks
//! (P-41). Pictures, documents and sounds are media.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use silcrow_event::{Content, ContentPart, DataKey, MediaRef};
use silcrow_media::{DocumentText, FitLimits, MediaDecoder};
use url::Url;

use crate::message::RpcError;

/// Reads the blocks of a prompt, and decodes its pictures. It blocks the thread.
pub(crate) fn content(blocks: &Value, decoder: &dyn MediaDecoder) -> Result<Content, RpcError> {
    let Some(blocks) = blocks.as_array() else {
        return Err(RpcError::params("`prompt` is not an array of content blocks"));
    };
    let (mut words, mut attached, mut media) = (String::new(), Vec::new(), Vec::new());
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => words.push_str(member(block, "text")?),
            Some("resource_link") => {
                // The agent reads the file by its tools.
                words.push_str(&format!("@{}", path(member(block, "uri")?)));
            }
            Some("resource") => {
                let resource = &block["resource"];
                let name = path(member(resource, "uri")?);
                if resource["blob"].is_string() {
                    media.push(medium_of(member(resource, "blob")?, &name, decoder)?);
                    continue;
                }
                let text = member(resource, "text")?;
                words.push_str(&format!("@{name}"));
                attached.push(format!("the file {name}\n{text}"));
            }
            Some("image" | "audio") => {
                let name = block["uri"].as_str().map(path).unwrap_or_default();
                media.push(medium_of(member(block, "data")?, &name, decoder)?);
            }
            Some(other) => {
                let why = format!("a block of type `{other}` cannot go with a prompt; send text");
                return Err(RpcError::params(why));
            }
            None => return Err(RpcError::params("a content block has no `type`")),
        }
    }
    if words.trim().is_empty() && media.is_empty() {
        return Err(RpcError::params("the prompt is empty; say what you want"));
    }
    let mut content = Content::from(&*words);
    for text in attached {
        // No text contains its own mark, because a mark within it is changed.
        let key = DataKey::default().with_bytes(words.as_bytes()).with_bytes(text.as_bytes());
        content.push(ContentPart::Text(format!("\n{}", key.mark().wrap(&text))));
    }
    media.into_iter().for_each(|medium| content.push(ContentPart::Media(Box::new(medium))));
    Ok(content)
}

/// Returns a file as a medium. Its first bytes decide its type.
fn medium_of(base64: &str, name: &str, decoder: &dyn MediaDecoder) -> Result<MediaRef, RpcError> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let refused = |why: &str| {
        let shown = if file.is_empty() { "a file of the prompt" } else { file };
        RpcError::params(format!("{shown} cannot be sent: {why}"))
    };
    let bytes = STANDARD.decode(base64).map_err(|_| refused("its data are not base64"))?;
    let decoded = decoder.medium(&bytes, file, &FitLimits::default());
    let medium = decoded.map_err(|why| refused(&why.to_string()))?;
    Ok(DocumentText::added(medium, decoder))
}

fn member<'a>(block: &'a Value, key: &str) -> Result<&'a str, RpcError> {
    let why = || RpcError::params(format!("a content block lacks the string `{key}`"));
    block[key].as_str().ok_or_else(why)
}

/// Returns the path of a file, or another address as it is.
fn path(uri: &str) -> String {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file");
    let path = url.and_then(|url| url.to_file_path().ok());
    path.map_or_else(|| uri.to_owned(), |path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use silcrow_event::Content;
    use silcrow_media::DirectDecoder;

    use crate::message::RpcError;

    fn content(blocks: &serde_json::Value) -> Result<Content, RpcError> {
        super::content(blocks, &DirectDecoder)
    }

    #[test]
    fn words_come_first_and_files_are_data() {
        let blocks = json!([
            {"type": "text", "text": "Explain "},
            {"type": "resource", "resource": {"uri": "file:///work/a.rs", "text": "fn main() {}"}},
            {"type": "text", "text": " and "},
            {"type": "resource_link", "uri": "file:///work/b.rs", "name": "b.rs"},
        ]);
        let content = content(&blocks).unwrap();
        assert_eq!(content.parts()[0].text(), "Explain @/work/a.rs and @/work/b.rs");
        let file = content.parts()[1].text();
        assert!(
            file.starts_with("\n[data ")
                && file.contains("the file /work/a.rs\nfn main() {}\n[end ")
        );
    }

    #[test]
    fn files_are_media_by_their_bytes() {
        let blocks = json!([
            {"type": "text", "text": "Sum up."},
            // `%PDF-1.7`, regardless of the type that the client gives.
            {"type": "image", "data": "JVBERi0xLjc=", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///work/a.pdf", "blob": "JVBERi0xLjc="}},
        ]);
        let content = content(&blocks).unwrap();
        assert_eq!(content.text(), "Sum up.\n[document: PDF, 1 kB]\n[document: a.pdf, PDF, 1 kB]");
    }

    #[test]
    fn invalid_prompt_blocks_are_explained() {
        let why = |blocks| format!("{:?}", content(&blocks).unwrap_err());
        assert!(why(json!([])).contains("the prompt is empty"));
        assert!(why(json!([{"type": "video", "data": ""}])).contains("type `video`"));
        assert!(why(json!([{"type": "image", "data": "?"}])).contains("not base64"));
        let text = json!([{"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}]);
        assert!(why(text).contains("cannot be sent: the file is no picture"));
        assert!(why(json!([{"type": "text"}])).contains("lacks the string `text`"));
        let blob = json!([{"type": "resource", "resource": {"uri": "file:///a", "blob": ""}}]);
        assert!(why(blob).contains("a cannot be sent: the file is no picture"));
        assert!(why(json!("text")).contains("not an array"));
    }
}
