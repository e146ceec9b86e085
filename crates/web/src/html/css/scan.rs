//! The characters of a style sheet: texts, brackets, comments and escapes.

/// Returns the place of the first of these characters that is in no text and in no brackets, or the
/// length.
pub(super) fn until(css: &str, ends: &[u8]) -> usize {
    let bytes = css.as_bytes();
    let (mut at, mut brackets, mut quote) = (0, 0_usize, None);
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', _) => at += 1,
            (b'\n', Some(_)) => quote = None,
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => quote = Some(bytes[at]),
            (byte, None) if brackets == 0 && ends.contains(&byte) => return at,
            (b'(' | b'[', None) => brackets += 1,
            (b')' | b']', None) => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Splits a text at the characters that are in no text and in no brackets.
pub(super) fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let end = until(rest, &[at as u8]);
        parts.push(rest[..end].trim());
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => return parts,
        }
    }
}

/// Replaces each comment by a space.
pub(super) fn without_comments(css: &str) -> String {
    let mut clean = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = next_comment(rest) {
        clean.push_str(&rest[..at]);
        clean.push(' ');
        let comment = &rest[at + 2..];
        rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
    }
    clean + rest
}

/// Returns the place of the first comment that is not within a text.
fn next_comment(css: &str) -> Option<usize> {
    let bytes = css.as_bytes();
    let (mut at, mut quote) = (0, None);
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', _) => at += 1,
            (b'/', None) if bytes.get(at + 1) == Some(&b'*') => return Some(at),
            (b'"' | b'\'', None) => quote = Some(bytes[at]),
            (b'\n', Some(_)) => quote = None,
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Replaces escapes, such as `\6e` and `\:`, by their characters.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let (char, after) = escaped(escape);
        plain.extend(char);
        rest = after;
    }
    plain + rest
}

/// Takes the text after a backslash: the escaped character, and the rest.
pub(super) fn escaped(text: &str) -> (Option<char>, &str) {
    let digits = text.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(&text[..digits], 16).ok();
        let after = &text[digits..];
        let after = after.strip_prefix(|char: char| char.is_ascii_whitespace()).unwrap_or(after);
        return (code.and_then(char::from_u32), after);
    }
    let mut chars = text.chars();
    let char = chars.next().filter(|char| *char != '\n');
    (char, chars.as_str())
}
