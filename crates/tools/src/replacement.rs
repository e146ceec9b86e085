//! The replacement of every occurrence of a text, or of every match of a pattern, in a text.
//!
//! This module handles text, without files.

use std::borrow::Cow;

use grep_matcher::{Captures as _, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use silcrow_tool::ToolError;

use crate::line_ends::LineEnds;
use crate::text_edits::in_line_ends_of;

/// The text to find, and the text that takes its place.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    old: String,
    new: String,
    /// The pattern, unless the text is found as it is written.
    pattern: Option<RegexMatcher>,
}

impl Replacement {
    pub(crate) fn new(old: &str, new: &str, is_pattern: bool) -> Result<Self, ToolError> {
        if old.is_empty() {
            return Err(ToolError::new("`find` is empty; write the text to replace"));
        }
        if old == new && !is_pattern {
            return Err(ToolError::new("`find` and `replace` are the same"));
        }
        let build = || {
            let mut builder = RegexMatcherBuilder::new();
            builder.multi_line(true).size_limit(MAX_PROGRAM).build(old)
        };
        let pattern = is_pattern.then(build).transpose().map_err(|error| {
            let next = "leave out `regex` to replace the text as it is written";
            ToolError::new(format!("`find` is not a regular expression: {error}; {next}"))
        })?;
        Ok(Self { old: old.to_owned(), new: new.to_owned(), pattern })
    }

    /// Returns the text after the replacement, and the number of occurrences, or `None` if there are
    /// none. A text whose lines end with `\r\n` keeps these line ends.
    pub(crate) fn apply(&self, text: &str) -> Option<(String, usize)> {
        let Some(pattern) = &self.pattern else {
            let (old, new) = in_line_ends_of(text, &self.old, &self.new);
            let number = text.matches(&*old).count();
            return (number > 0).then(|| (text.replace(&*old, &new), number));
        };
        // Patterns only have `\n`.
        let ends = LineEnds::detect(text);
        let text = match ends {
            LineEnds::CrLf => Cow::Owned(text.replace("\r\n", "\n")),
            _ => Cow::Borrowed(text),
        };
        let (mut found, mut number) = (Vec::new(), 0);
        let mut captures = pattern.new_captures().ok()?;
        let bytes = text.as_bytes();
        pattern
            .replace_with_captures(bytes, &mut captures, &mut found, |captures, found| {
                number += 1;
                let name = |name: &str| pattern.capture_index(name);
                captures.interpolate(name, bytes, self.new.as_bytes(), found);
                true
            })
            .ok()?;
        let found = String::from_utf8(found).ok()?;
        let found = ends.apply(&found).into_owned();
        (number > 0).then_some((found, number))
    }
}

/// The largest compiled pattern, in bytes.
const MAX_PROGRAM: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_patterns_are_replaced_everywhere() {
        for (old, new, is_pattern, text, expected) in [
            ("a", "b", false, "a.a", Some(("b.b", 2))),
            (".", "b", false, "a.a", Some(("aba", 1))),
            ("x", "b", false, "a.a", None),
            (r"(\w+)=(?P<v>\d+)", "$v:${1}!", true, "one=1, two=22", Some(("1:one!, 22:two!", 2))),
            ("^x", "y", true, "x\nxx\n", Some(("y\nyx\n", 2))),
            ("x$", "y", true, "x\r\nxx\r\n", Some(("y\r\nxy\r\n", 2))),
            ("a", "b\nc", true, "a\r\na\r\n", Some(("b\r\nc\r\nb\r\nc\r\n", 2))),
            ("a\nb", "c\nd", false, "a\r\nb\r\n", Some(("c\r\nd\r\n", 1))),
            ("a\\s+b", "c", true, "a\n  b", Some(("c", 1))),
            ("é", "€", true, "café", Some(("caf€", 1))),
            ("zz", "b", true, "a.a", None),
        ] {
            let found = Replacement::new(old, new, is_pattern).unwrap().apply(text);
            let expected = expected.map(|(text, number)| (text.to_owned(), number));
            assert_eq!(found, expected, "{old:?} in {text:?}");
        }
        assert!(Replacement::new("(", "", true).is_err());
        assert!(Replacement::new("", "x", false).is_err());
    }
}
