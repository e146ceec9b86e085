//! A text in the encoding and with the line ends of the file that it replaces.
//!
//! This module handles bytes and text, without files.

use std::borrow::Cow;

use crate::encoding::TextEncoding;
use crate::line_ends::LineEnds;

/// A text as it is written.
pub(crate) struct StyledText<'t> {
    /// The text with its line ends.
    pub(crate) text: Cow<'t, str>,
    pub(crate) bytes: Cow<'t, [u8]>,
    /// The text that is replaced, if all of it is text.
    pub(crate) before: Option<String>,
    /// The name of the encoding that the file loses, because it does not have the text.
    pub(crate) lost: Option<&'static str>,
}

impl<'t> StyledText<'t> {
    /// Makes the text that replaces a file. It gets the encoding of the file, and its line ends if
    /// they are `\r\n`. A text that the encoding does not have is UTF-8.
    pub(crate) fn new(old: Option<&[u8]>, text: &'t str) -> Self {
        let encoding = old.and_then(|old| TextEncoding::detect(old, false).ok());
        let (Some(old), Some(encoding)) = (old, encoding) else {
            let bytes = Cow::Borrowed(text.as_bytes());
            return Self { text: text.into(), bytes, before: None, lost: None };
        };
        let (before, text) = with_line_ends(encoding, old, text);
        match encode(encoding, &text) {
            Ok((text, bytes)) => Self { text, bytes: bytes.into(), before, lost: None },
            Err(_) => {
                let bytes = text.as_bytes().to_vec().into();
                Self { text, bytes, before, lost: encoding.name() }
            }
        }
    }

    /// Makes the text that replaces a file in an encoding, or returns the first character that it does
    /// not have. A byte order mark stays, and a new file in UTF-16 gets one.
    pub(crate) fn in_encoding(
        old: Option<&[u8]>,
        text: &'t str,
        encoding: TextEncoding,
    ) -> Result<Self, char> {
        let encoding = old.map_or(encoding, |old| encoding.with_mark_of(old));
        let (before, text) = match old {
            Some(old) => with_line_ends(encoding, old, text),
            None => (None, Cow::Borrowed(text)),
        };
        let (text, bytes) = encode(encoding, &text)?;
        Ok(Self { text, bytes: bytes.into(), before, lost: None })
    }
}

/// Returns the text of a file if all of it is text, and the new text with the file's line ends.
fn with_line_ends<'t>(
    encoding: TextEncoding,
    old: &[u8],
    text: &'t str,
) -> (Option<String>, Cow<'t, str>) {
    let (before, wrong) = encoding.decode(old);
    let text = LineEnds::detect(&before).apply(text);
    ((wrong == 0).then_some(before), text)
}

/// Returns a text without a byte order mark, and its bytes.
fn encode<'t>(encoding: TextEncoding, text: &str) -> Result<(Cow<'t, str>, Vec<u8>), char> {
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok((unmarked.to_owned().into(), encoding.encode(unmarked)?))
}
