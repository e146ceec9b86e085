//! Notices of the program to the model, between the steps of a run.
//!
//! It writes the text of a notice. The module `with_notices` decides how long it stays.

use std::borrow::Cow;

use silcrow_parser::{Options, escape_user};

use crate::cap::{cut, with_note};

/// A text of the program that ends a request, with its origin and a cap.
///
/// It is not in the log, and it counts as the program's own words. The words of a tool or a file
/// are the result of a call instead, which is marked as data. [`WithNotices`](crate::WithNotices)
/// adds notices to the requests of a run.
///
/// ```
/// use silcrow_context::ContextNotice;
///
/// let notice = ContextNotice::new("the\nclock", "It is noon.\nLunch is ready.").with_cap(12);
/// assert_eq!(notice.origin(), "the clock", "an origin is one line");
/// // It is cut after a line.
/// assert_eq!(notice.omitted(), "\nLunch is ready.".len());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextNotice {
    origin: String,
    text: String,
    cap: usize,
}

impl ContextNotice {
    /// Creates a notice. The origin names the speaker, such as `the clock`.
    pub fn new(origin: impl Into<String>, text: impl Into<String>) -> Self {
        let origin: String = origin.into();
        let origin = origin.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.into();
        Self { origin, text: text.trim().to_owned(), cap: NOTICE_CAP }
    }

    /// Sets the number of bytes that the model reads at most, [`NOTICE_CAP`] by default.
    #[must_use]
    pub fn with_cap(self, bytes: usize) -> Self {
        Self { cap: bytes, ..self }
    }

    /// Returns the speaker, on one line.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the number of bytes that are left out.
    pub fn omitted(&self) -> usize {
        cut(&self.text, self.cap).1
    }

    /// Returns the text between two lines, with its delimiters escaped.
    pub(crate) fn to_text(&self, options: Options) -> String {
        let (text, omitted) = cut(&self.text, self.cap);
        let text: Cow<'_, str> = with_note(text, omitted, None);
        let notice = format!("[Notice from {}]\n{text}\n[End of the notice]", self.origin);
        escape_user(&notice, options).into_owned()
    }
}

/// The number of bytes of a notice that a model reads, unless another cap is set: 4 KiB.
pub const NOTICE_CAP: usize = 4 << 10;
