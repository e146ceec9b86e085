//! The part that is left out of a result's content.
//!
//! This module describes a gap in JSON and in text.

use crate::fields::Fields;
use crate::json::Object;

/// A description of the part that is left out of a result's content, and of how to read it.
///
/// The default has no field set: it says only that the content is not complete.
///
/// ```
/// use silcrow_event::Truncation;
///
/// let truncated = Truncation::default().with_omitted_bytes(8).with_tail("the end");
/// assert_eq!(truncated.join("the start"), "the start\n[8 bytes are left out here]\nthe end");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truncation {
    /// The number of bytes that are left out.
    pub omitted_bytes: Option<u64>,
    /// The number of lines that are left out, for content that is a list of lines.
    pub omitted_lines: Option<u64>,
    /// The offset with which the same call reads on after this content.
    pub next_offset: Option<u64>,
    /// The name under which the whole can be read.
    pub full_output: Option<String>,
    /// The end of the output, if the gap is in its middle.
    pub tail: Option<String>,
}

impl Truncation {
    /// Sets the number of bytes that are left out.
    #[must_use]
    pub fn with_omitted_bytes(self, bytes: u64) -> Self {
        Self { omitted_bytes: Some(bytes), ..self }
    }

    /// Sets the number of lines that are left out.
    #[must_use]
    pub fn with_omitted_lines(self, lines: u64) -> Self {
        Self { omitted_lines: Some(lines), ..self }
    }

    /// Sets the offset with which the same call reads on.
    #[must_use]
    pub fn with_next_offset(self, offset: u64) -> Self {
        Self { next_offset: Some(offset), ..self }
    }

    /// Sets the name under which the whole can be read.
    #[must_use]
    pub fn with_full_output(self, name: impl Into<String>) -> Self {
        Self { full_output: Some(name.into()), ..self }
    }

    /// Sets the end of the output.
    #[must_use]
    pub fn with_tail(self, tail: impl Into<String>) -> Self {
        Self { tail: Some(tail.into()), ..self }
    }

    /// Joins content and tail to one text, with a line between them that describes the gap. Content
    /// may contain the same line, so this is only for places that take one text and no fields.
    pub fn join(&self, content: &str) -> String {
        let mut text = content.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let omitted = match (self.omitted_bytes, self.omitted_lines) {
            (Some(1), _) => "1 byte is".to_owned(),
            (Some(bytes), _) => format!("{bytes} bytes are"),
            (None, Some(1)) => "1 line is".to_owned(),
            (None, Some(lines)) => format!("{lines} lines are"),
            (None, None) => "something is".to_owned(),
        };
        text.push_str(&format!("[{omitted} left out here]"));
        if let Some(tail) = &self.tail {
            text.push('\n');
            text.push_str(tail);
        }
        text
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        self.write_head(to);
        if let Some(tail) = &self.tail {
            to.string("tail", tail);
        }
    }

    /// Writes everything except the tail.
    pub(crate) fn write_head(&self, to: &mut Object<'_>) {
        let numbers = [
            ("omitted_bytes", self.omitted_bytes),
            ("omitted_lines", self.omitted_lines),
            ("next_offset", self.next_offset),
        ];
        for (key, number) in numbers {
            if let Some(number) = number {
                to.integer(key, number);
            }
        }
        if let Some(name) = &self.full_output {
            to.string("full_output", name);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        Self {
            omitted_bytes: fields.number("omitted_bytes"),
            omitted_lines: fields.number("omitted_lines"),
            next_offset: fields.number("next_offset"),
            full_output: fields.maybe("full_output"),
            tail: fields.maybe("tail"),
        }
    }
}
