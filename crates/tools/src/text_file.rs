//! A whole text file that is about to be changed.
//!
//! This module reads text and writes it back in the encoding of its file. It does not change the
//! text.

use silcrow_tool::ToolError;

use crate::encoding::TextEncoding;
use crate::exact_text::ExactText;
use crate::known_files::{KnownContent, MAX_HASHED};
use crate::messages;
use crate::write_target::WriteTarget;

/// The text of a file, and the data for replacing it.
pub(crate) struct TextFile {
    exact: ExactText,
    encoding: TextEncoding,
    /// The content that the file must still have when it is replaced.
    pub(crate) known: KnownContent,
}

impl TextFile {
    /// Reads a file that exists, in the encoding that the call names or that is found.
    pub(crate) fn read(
        path: &str,
        target: &WriteTarget<'_>,
        encoding: Option<TextEncoding>,
    ) -> Result<Self, ToolError> {
        let quoted = messages::quoted(path);
        if target.old_len().is_none() {
            return Err(target.missing());
        }
        let (known, bytes) = target.read_old()?;
        let Some(bytes) = bytes else {
            let why = format!("{quoted} is too long to be edited: it has more than {MAX_MIB} MiB");
            return Err(ToolError::new(why));
        };
        let refused = |kind| ToolError::new(format!("{quoted} is {kind}, not text to edit"));
        let encoding = match encoding {
            Some(named) => named.with_mark_of(&bytes),
            None => TextEncoding::detect(&bytes, false).map_err(refused)?,
        };
        match ExactText::decode(encoding, &bytes) {
            Ok(exact) => Ok(Self { exact, encoding, known }),
            Err(wrong) => {
                let wrong = messages::count(wrong, "byte is not text", "bytes are not text");
                let why = "so its text cannot be written back unchanged";
                Err(ToolError::new(format!("{quoted} is not clean text: {wrong}, {why}")))
            }
        }
    }

    /// Returns the text. Invalid bytes are in it as characters that no text has.
    pub(crate) fn text(&self) -> &str {
        &self.exact.text
    }

    /// Returns a text as a person reads it.
    pub(crate) fn shown(&self, text: &str) -> String {
        self.exact.shown(text)
    }

    /// Returns the notice about an encoding from before Unicode.
    pub(crate) fn notice(&self) -> Option<String> {
        let TextEncoding::Legacy(encoding) = self.encoding else { return None };
        Some(format!("the file is text in {}, and stays in it", encoding.name()))
    }

    /// Returns a text in the encoding of the file.
    pub(crate) fn encode(&self, path: &str, text: &str) -> Result<Vec<u8>, ToolError> {
        self.exact.encode(text).map_err(|char| {
            let (quoted, name) = (messages::quoted(path), self.encoding.name().unwrap_or("UTF-8"));
            let why = format!("{quoted} is in {name}, which does not have `{char}`");
            ToolError::new(format!("{why}; nothing was changed: write it without this character"))
        })
    }
}

const MAX_MIB: u64 = MAX_HASHED >> 20;

/// Returns the risk of changing a part of a file, because the output shows the text around it.
pub(crate) fn edit_risk(target: &WriteTarget<'_>) -> Result<Option<String>, ToolError> {
    let reading = target.risk_of_reading()?;
    Ok(match (target.risk(), reading) {
        (Some(writing), Some(reading)) => Some(format!("{writing}; {reading}")),
        (writing, reading) => writing.map(str::to_owned).or(reading),
    })
}
