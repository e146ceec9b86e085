//! The line ends of a text, and texts with other ones.
//!
//! This module handles text, without files.

use std::borrow::Cow;

/// The line ends of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// The text has no line end.
    None,
    Lf,
    CrLf,
    /// There are both.
    Mixed,
}

impl LineEnds {
    pub(crate) fn detect(text: &str) -> Self {
        let all = text.bytes().filter(|byte| *byte == b'\n').count();
        match text.matches("\r\n").count() {
            _ if all == 0 => Self::None,
            0 => Self::Lf,
            windows if windows == all => Self::CrLf,
            _ => Self::Mixed,
        }
    }

    /// Returns the text with these line ends, if they are `\r\n`; otherwise the text as it is.
    pub(crate) fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::CrLf => with_cr_lf(text),
            _ => Cow::Borrowed(text),
        }
    }
}

/// Returns the text with all line ends as `\r\n`.
pub(crate) fn with_cr_lf(text: &str) -> Cow<'_, str> {
    match LineEnds::detect(text) {
        LineEnds::None | LineEnds::CrLf => Cow::Borrowed(text),
        LineEnds::Lf | LineEnds::Mixed => {
            Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_recognized_and_applied() {
        for (text, ends, with) in [
            ("", LineEnds::None, ""),
            ("a", LineEnds::None, "a"),
            ("a\nb", LineEnds::Lf, "a\r\nb"),
            ("a\r\nb\r\n", LineEnds::CrLf, "a\r\nb\r\n"),
            ("a\r\nb\n", LineEnds::Mixed, "a\r\nb\r\n"),
            ("a\rb", LineEnds::None, "a\rb"),
        ] {
            assert_eq!(LineEnds::detect(text), ends, "{text:?}");
            assert_eq!(with_cr_lf(text), with);
            assert_eq!(LineEnds::Lf.apply(text), text);
        }
    }
}
