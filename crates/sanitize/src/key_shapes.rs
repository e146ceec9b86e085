//! Texts that look like keys, whoever owns them.
//!
//! This module has the prefixes of common keys. It masks them only in messages: in other text,
//! something that looks like a key may be anything.

use std::borrow::Cow;

/// Returns the text with everything that looks like a key replaced by `[key]`: words that begin as
/// keys of well-known services do, web tokens, and private keys in PEM.
///
/// ```
/// use silcrow_sanitize::mask_key_shapes;
///
/// let message = "Incorrect API key: sk-abcdefghijklmnop1234.";
/// assert_eq!(mask_key_shapes(message), "Incorrect API key: [key].");
/// assert_eq!(mask_key_shapes("task-abcdefghijklmnop1234"), "task-abcdefghijklmnop1234");
/// ```
pub fn mask_key_shapes(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut written = 0;
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        at = match key_end(text, start) {
            Some(end) => {
                out.push_str(&text[written..start]);
                out.push_str("[key]");
                written = end;
                end
            }
            None => word_end(text, start),
        };
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[written..]);
    Cow::Owned(out)
}

/// Returns the beginning of the next word.
fn next_word(text: &str, from: usize) -> Option<usize> {
    Some(from + text[from..].find(is_key_char)?)
}

/// Returns the end of the word that begins at `start`.
fn word_end(text: &str, start: usize) -> usize {
    text[start..].find(|char| !is_key_char(char)).map_or(text.len(), |length| start + length)
}

/// Returns the end of the key that begins at `start`, if one does.
fn key_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    if rest.starts_with(PEM_BEGIN)
        && rest[..rest.find('\n').unwrap_or(rest.len())].contains(PEM_KEY)
    {
        // Without its end, all that follows may belong to the key.
        let end = rest.find(PEM_END).map_or(rest.len(), |at| at + PEM_END.len());
        return Some(start + end + rest[end..].find('\n').unwrap_or(rest.len() - end));
    }
    let word = rest[..word_end(text, start) - start].trim_end_matches('.');
    let prefix = PREFIXES.iter().find(|prefix| word.starts_with(**prefix))?;
    (word.len() >= prefix.len() + LEAST).then_some(start + word.len())
}

fn is_key_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.')
}

/// The beginnings of keys.
const PREFIXES: [&str; 10] =
    ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "AKIA", "AIza", "xoxb-", "hf_", "eyJ"];

/// The minimum number of characters after the beginning of a key.
const LEAST: usize = 12;

const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_KEY: &str = "PRIVATE KEY-----";
const PEM_END: &str = "-----END ";
