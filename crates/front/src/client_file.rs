//! A file that goes with a message of a person.

use std::fmt;

use silcrow_event::{Content, ContentPart};

/// A picture, a document or a sound that a client sends with a message. Its bytes decide its kind.
///
/// ```
/// use silcrow_front::CompletionRequest;
///
/// let body = br#"{"model": "silcrow", "messages": [{"role": "user", "content": [
///     {"type": "text", "text": "What is this?"},
///     {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}]}"#;
/// let request = CompletionRequest::parse(body)?;
/// let file = &request.messages[0].files[0];
/// assert_eq!(file.bytes().as_deref(), Some(&b"\x89PNG\r\n\x1a\n"[..]));
/// # Ok::<(), silcrow_front::OpenAiError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientFile {
    /// The name of the file; empty if the client gave none.
    pub name: String,
    base64: String,
}

impl ClientFile {
    /// Creates a file of its name, which may be empty, and its bytes in base64.
    ///
    /// ```
    /// use silcrow_front::ClientFile;
    ///
    /// assert_eq!(ClientFile::new("a.txt", "aGk=").bytes().as_deref(), Some(&b"hi"[..]));
    /// assert_eq!(ClientFile::new("a.txt", "?").bytes(), None);
    /// ```
    pub fn new(name: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { name: name.into(), base64: base64.into() }
    }

    /// Reads an address that has the file in it: `data:TYPE;base64,BYTES`.
    pub(crate) fn of_data_url(name: &str, url: &str) -> Option<Self> {
        let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
        head.ends_with(";base64").then(|| Self::new(name, data))
    }

    /// Decodes the bytes of the file. Returns `None` if the client has not sent them, or not in base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        read_base64(&self.base64)
    }
}

impl fmt::Debug for ClientFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, base64 } = self;
        f.debug_struct("ClientFile").field("name", name).field("base64", &base64.len()).finish()
    }
}

/// Returns the words of a prompt, without the lines that stand for its files. A client that sends its
/// history again has them so.
///
/// ```
/// use silcrow_event::{Content, ContentPart, MediaRef};
/// use silcrow_front::prompt_words;
///
/// let mut prompt = Content::from("What is this?");
/// prompt.push(ContentPart::Media(Box::new(MediaRef::new("image/png", vec![1, 2, 3]))));
/// assert_eq!(prompt.text(), "What is this?\n[image: PNG, 1 kB]");
/// assert_eq!(prompt_words(&prompt), "What is this?");
/// ```
pub fn prompt_words(content: &Content) -> String {
    let is_word = |part: &&ContentPart| !matches!(part, ContentPart::Media(_));
    let words: Content = content.parts().iter().take_while(is_word).cloned().collect();
    words.text().into_owned()
}

/// Decodes base64 in its usual alphabet.
pub(crate) fn read_base64(data: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in data.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Encodes bytes as base64 in its usual alphabet.
pub(crate) fn write_base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = bits >> (18 - 6 * place) & 63;
            text.push(if place <= group.len() {
                char::from(ALPHABET[digit as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{read_base64, write_base64};

    #[test]
    fn base64_is_written_as_it_is_read() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(write_base64(bytes.as_bytes()), text);
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(read_base64(&write_base64(&all)), Some(all));
    }
}
