//! JSON as text: a value that keeps its spelling, and a writer of objects.
//!
//! `fields` reads the members of objects.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde_json::value::RawValue;
use silcrow_sanitize::escape_json;

use crate::digits::write_digits;
use crate::plain_text::is_plain;

/// A complete JSON value as text. The order of members and the spelling of
/// numbers are kept, and the text is on one line.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Box<str>);

impl Json {
    /// Reads `text`, or returns `None` if it is not one JSON value. White space around the value is
    /// dropped. Line breaks can only be between its tokens, and become spaces.
    ///
    /// ```
    /// use silcrow_event::Json;
    ///
    /// // The number keeps its spelling, and the value is on one line.
    /// let price = Json::parse("{\"price\":\n1.50}").unwrap();
    /// assert_eq!(price.as_str(), r#"{"price": 1.50}"#);
    /// assert_eq!(Json::parse("{} {}"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self(raw.get().replace(['\n', '\r'], " ").into()))
    }

    /// Creates the JSON string with the characters of `text`.
    pub fn string(text: &str) -> Self {
        let mut quoted = String::with_capacity(text.len() + 2);
        write_string(&mut quoted, text);
        Self(quoted.into())
    }

    /// Appends the JSON string with the characters of `text`, as [`string`](Self::string) creates it.
    ///
    /// ```
    /// let mut line = "{\"delta\":".to_owned();
    /// silcrow_event::Json::write_string(&mut line, "one\n");
    /// assert_eq!(line, r#"{"delta":"one\n""#);
    /// ```
    pub fn write_string(out: &mut String, text: &str) {
        write_string(out, text);
    }

    /// Appends a number without a fraction, for which a formatter would take ten times as long.
    ///
    /// ```
    /// let mut line = "{\"part\":".to_owned();
    /// silcrow_event::Json::write_integer(&mut line, 10);
    /// assert_eq!(line, r#"{"part":10"#);
    /// ```
    pub fn write_integer(out: &mut String, number: u64) {
        if let Some(digit) = u32::try_from(number).ok().and_then(|one| char::from_digit(one, 10)) {
            return out.push(digit);
        }
        let mut digits = [0; 20];
        let digits = &mut digits[..number.ilog10() as usize + 1];
        write_digits(digits, number);
        out.push_str(str::from_utf8(digits).unwrap_or_default());
    }

    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.0.starts_with('"')
    }

    /// Returns the characters of a string, or the JSON of any other value.
    pub fn to_text(&self) -> String {
        serde_json::from_str::<String>(&self.0).unwrap_or_else(|_| self.0.to_string())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the characters of a JSON string, or `None` if the value is not a string or has an
/// unpaired surrogate.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    let plain = json.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') { serde_json::from_str(json).ok() } else { Some(Cow::Borrowed(plain)) }
}

/// Writes one JSON object, one member per call.
pub(crate) struct Object<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    pub(crate) fn close(self) {
        self.out.push('}');
    }

    pub(crate) fn string(&mut self, key: &'static str, value: &str) {
        self.key(key);
        write_string(self.out, value);
    }

    /// Writes a string or `null`.
    pub(crate) fn maybe_string(&mut self, key: &'static str, value: Option<&str>) {
        match value {
            Some(value) => self.string(key, value),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn integer(&mut self, key: &'static str, value: u64) {
        self.key(key);
        Json::write_integer(self.out, value);
    }

    /// Writes a value that is displayed as a JSON number.
    pub(crate) fn number(&mut self, key: &'static str, value: impl fmt::Display) {
        self.key(key);
        write!(self.out, "{value}").expect("a string takes everything");
    }

    /// Writes members after others, each of which `write` appends with a comma before it.
    pub(crate) fn members(&mut self, write: impl FnOnce(&mut String)) {
        debug_assert!(!self.empty, "the first member has no comma");
        write(self.out);
    }

    pub(crate) fn bool(&mut self, key: &'static str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    pub(crate) fn raw(&mut self, key: &'static str, json: &str) {
        self.key(key);
        self.out.push_str(json);
    }

    pub(crate) fn object(&mut self, key: &'static str, write: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        let mut inner = Object::open(self.out);
        write(&mut inner);
        inner.close();
    }

    pub(crate) fn strings<'s>(
        &mut self,
        key: &'static str,
        values: impl IntoIterator<Item = &'s str>,
    ) {
        self.key(key);
        self.out.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write_string(self.out, value);
        }
        self.out.push(']');
    }

    pub(crate) fn objects<T>(
        &mut self,
        key: &'static str,
        items: &[T],
        write: impl Fn(&T, &mut Object<'_>),
    ) {
        self.key(key);
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let mut inner = Object::open(self.out);
            write(item, &mut inner);
            inner.close();
        }
        self.out.push(']');
    }

    /// Writes the key of the next member, which needs no escapes.
    fn key(&mut self, key: &'static str) {
        debug_assert!(is_plain(key), "{key}");
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}

/// Appends `text` as a JSON string. Hidden characters are escaped, so that a terminal shows all of
/// a line of JSON and a value stays on one line.
pub(crate) fn write_string(out: &mut String, text: &str) {
    if is_plain(text) {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    let start = out.len();
    out.push('"');
    let mut rest = text;
    // All special characters are ASCII, so they are found among the bytes.
    while let Some(stop) = rest.bytes().position(is_special) {
        let (plain, special) = rest.split_at(stop);
        out.push_str(plain);
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
    if !text.is_ascii()
        && let Cow::Owned(escaped) = escape_json(&out[start..])
    {
        out.truncate(start);
        out.push_str(&escaped);
    }
}

/// Returns whether a byte is a character that is escaped.
const fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\') || byte.is_ascii_control()
}
