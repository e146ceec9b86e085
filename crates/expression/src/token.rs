//! The tokens of an expression.
//!
//! They are numbers, strings, words and signs.

use std::borrow::Cow;

use crate::error::Fault;
use crate::value::ExpressionValue;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExpressionToken<'a> {
    /// A number or a string.
    Literal(ExpressionValue),
    /// A word, without a `$` before it.
    Word(&'a str),
    /// A sign, such as `==`.
    Sign(&'static str),
    End,
}

/// Reads the token at a position, after white space. Returns it with its own position and the one
/// after it.
pub(crate) fn next(source: &str, at: usize) -> Result<(ExpressionToken<'_>, usize, usize), Fault> {
    let rest = source[at..].trim_ascii_start();
    let at = source.len() - rest.len();
    let Some(first) = rest.bytes().next() else { return Ok((ExpressionToken::End, at, at)) };
    let (token, len) = match first {
        b'0'..=b'9' => number(rest, at)?,
        b'"' | b'\'' => string(rest, at)?,
        b'$' if rest[1..].starts_with(begins_word) => {
            let len = 1 + word_len(&rest[1..]);
            (ExpressionToken::Word(&rest[1..len]), len)
        }
        _ if rest.starts_with(begins_word) => {
            let len = word_len(rest);
            (ExpressionToken::Word(&rest[..len]), len)
        }
        _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            Some(sign) => (ExpressionToken::Sign(sign), sign.len()),
            None => return Err(Fault::new(at, unexpected(rest))),
        },
    };
    Ok((token, at, at + len))
}

/// Returns whether a word may begin with this character.
pub(crate) fn begins_word(char: char) -> bool {
    char.is_ascii_alphabetic() || char == '_'
}

fn word_len(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn unexpected(rest: &str) -> String {
    match rest.chars().next() {
        Some('=') => "a value is compared with `==`".to_owned(),
        Some('&') => "use `&&` or `and`".to_owned(),
        Some('|') => "use `||` or `or`".to_owned(),
        Some(char) => format!("`{}` is not expected", char.escape_debug()),
        None => "something is missing".to_owned(),
    }
}

/// The signs, longer ones before those that they begin with.
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}",
];

fn number(rest: &str, at: usize) -> Result<(ExpressionToken<'_>, usize), Fault> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut len = digits(rest);
    let mut is_double = false;
    if rest[len..].starts_with('.') && digits(&rest[len + 1..]) > 0 {
        len += 1 + digits(&rest[len + 1..]);
        is_double = true;
    }
    if rest[len..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[len + 1..].starts_with(['+', '-']));
        let exponent = digits(&rest[len + 1 + sign..]);
        if exponent > 0 {
            len += 1 + sign + exponent;
            is_double = true;
        }
    }
    if rest[len..].starts_with(begins_word) {
        return Err(Fault::new(at, "a number ends with a letter"));
    }
    let too_large = || Fault::new(at, "the number is too large");
    let value = if is_double {
        let value = rest[..len].parse::<f64>().ok().filter(|value| value.is_finite());
        ExpressionValue::Double(value.ok_or_else(too_large)?)
    } else {
        ExpressionValue::Int(rest[..len].parse::<u64>().map_err(|_| too_large())?.into())
    };
    Ok((ExpressionToken::Literal(value), len))
}

fn string(rest: &str, at: usize) -> Result<(ExpressionToken<'_>, usize), Fault> {
    let quote = &rest[..1];
    let mut text = String::new();
    let mut from = 1;
    loop {
        let open = || Fault::new(at, "a string is not closed");
        let end = from + rest[from..].find([quote.as_bytes()[0].into(), '\\']).ok_or_else(open)?;
        text.push_str(&rest[from..end]);
        if rest[end..].starts_with(quote) {
            return Ok((ExpressionToken::Literal(ExpressionValue::text(text)), end + 1));
        }
        let (char, len) = escape(&rest[end + 1..]).ok_or_else(|| {
            Fault::new(at + end, "unknown escape; use one of JSON, such as `\\n`")
        })?;
        text.push_str(&char);
        from = end + 1 + len;
    }
}

/// Returns the character of an escape, and its length after the backslash.
fn escape(rest: &str) -> Option<(Cow<'static, str>, usize)> {
    let plain = match rest.bytes().next()? {
        b'n' => "\n",
        b'r' => "\r",
        b't' => "\t",
        b'b' => "\u{8}",
        b'f' => "\u{c}",
        b'\\' => "\\",
        b'/' => "/",
        b'"' => "\"",
        b'\'' => "'",
        b'`' => "`",
        b'?' => "?",
        b'u' => {
            let code = u32::from_str_radix(rest.get(1..5)?, 16).ok()?;
            return Some((char::from_u32(code)?.to_string().into(), 5));
        }
        _ => return None,
    };
    Some((plain.into(), 1))
}
