//! Writes strings as JSON, and reads the few spellings of JSON that a value may have.
//!
//! This module implements the grammar of numbers and strings, without schemas.

use std::fmt::Write as _;

/// Appends a text as the inside of a JSON string, without the quotes around it.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        plain = at + 1;
        if short.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(short);
        }
    }
    out.push_str(&text[plain..]);
}

/// Appends a text as a JSON string, with its quotes.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    escape(text, out);
    out.push('"');
}

/// Returns whether a text is a number of JSON that a double can represent.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if whole == 0 || (whole > 1 && digits.starts_with('0')) {
        return false;
    }
    let mut rest = &digits[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == fraction.len() {
            return false;
        }
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        rest = "";
    }
    rest.is_empty() && text.parse().is_ok_and(f64::is_finite)
}

/// Returns a whole number without underscores and without a fraction of zeros, or `None` if the
/// text is not a whole number. Every digit is kept.
pub(crate) fn integer(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_zero = text.len() == whole.len()
        || (!fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0'));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_grouped = digits
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    let plain: String = whole.chars().filter(|c| *c != '_').collect();
    let bare = plain.strip_prefix('-').unwrap_or(&plain);
    (is_zero && is_grouped && (bare.len() == 1 || !bare.starts_with('0'))).then_some(plain)
}
