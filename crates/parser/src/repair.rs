//! The repair of JSON with raw control characters.
//!
//! This module reads strings and escapes, and does not check whether the rest is valid JSON.

/// Escapes the raw control characters in the strings of JSON (P-8). Returns `None` if there are
/// none.
pub(crate) fn repair(json: &str) -> Option<String> {
    let mut repaired = String::with_capacity(json.len() + 16);
    let (mut in_string, mut escaped, mut found) = (false, false, false);
    for char in json.chars() {
        if in_string && char < ' ' {
            found = true;
            if escaped {
                // Before a raw character, the backslash is a character itself.
                repaired.push('\\');
            }
            escaped = false;
            match char {
                '\n' => repaired.push_str("\\n"),
                '\r' => repaired.push_str("\\r"),
                '\t' => repaired.push_str("\\t"),
                _ => repaired.push_str(&format!("\\u{:04x}", u32::from(char))),
            }
            continue;
        }
        match char {
            _ if escaped => escaped = false,
            '"' => in_string = !in_string,
            '\\' if in_string => escaped = true,
            _ => {}
        }
        repaired.push(char);
    }
    found.then_some(repaired)
}
