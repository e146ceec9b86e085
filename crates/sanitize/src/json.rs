//! Hidden characters in JSON.
//!
//! This module finds their spellings in JSON. It does not parse JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::hidden::Context;

/// Returns `json` with the hidden characters in its strings written as `\uXXXX`; beyond U+FFFF they
/// are two such escapes. The value stays the same, and so does all other spelling.
///
/// `json` may hold several values, such as one a line. Joiners and variation selectors stay if
/// [`sanitize`](crate::sanitize) keeps them. Outside of strings JSON has no hidden characters
/// except white space, so text that is not JSON is escaped as well.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let mut context = Context::default();
    let mut out = String::new();
    let mut rest = 0;
    for (at, char) in json.char_indices() {
        // In JSON, these three occur only between tokens.
        if !context.hides(char) || matches!(char, '\t' | '\n' | '\r') {
            continue;
        }
        out.push_str(&json[rest..at]);
        for unit in char.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").expect("a string takes everything");
        }
        rest = at + char.len_utf8();
    }
    if rest == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[rest..]);
    Cow::Owned(out)
}
