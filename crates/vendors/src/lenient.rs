//! Fields of an event that may have any shape.
//!
//! The shape of a field is checked only when it is used. So a field with an unexpected shape is
//! lost without the event around it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::text::JsonText;

/// The JSON of a field, or `None` if it is missing or null.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct LenientField<'a>(#[serde(borrow)] Option<&'a RawValue>);

impl<'a> LenientField<'a> {
    /// Returns the JSON of the value, or an empty string.
    pub(crate) fn json(self) -> &'a str {
        self.0.map_or("", RawValue::get)
    }

    /// Returns whether there is a value other than `false`, `0`, `""`, `{}` and `[]`.
    pub(crate) fn is_set(self) -> bool {
        let json = self.json();
        let inside = json.strip_prefix(['{', '[']).and_then(|json| json.strip_suffix(['}', ']']));
        let is_empty = inside.is_some_and(|inside| inside.trim().is_empty());
        !is_empty && !matches!(json, "" | "false" | "0" | "\"\"")
    }

    /// Returns the text of a string, or the digits of a number.
    pub(crate) fn text(self) -> Option<JsonText> {
        match self.json().as_bytes().first()? {
            b'"' => serde_json::from_str(self.json()).ok(),
            b'-' | b'0'..=b'9' => Some(JsonText::from(self.json())),
            _ => None,
        }
    }

    /// Returns a string that is not empty.
    pub(crate) fn word(self) -> Option<Cow<'a, str>> {
        let inside = self.json().strip_prefix('"')?.strip_suffix('"')?;
        let word = match inside.contains('\\') {
            true => Cow::Owned(serde_json::from_str(self.json()).ok()?),
            false => Cow::Borrowed(inside),
        };
        (!word.is_empty()).then_some(word)
    }

    /// Returns whether it is a number other than 0, in any notation.
    pub(crate) fn is_beyond_zero(self) -> bool {
        self.json().parse::<f64>().is_ok_and(|number| number != 0.0)
    }

    /// Returns a whole number, even if it is written with a point.
    pub(crate) fn count(self) -> Option<u64> {
        let json = self.json();
        json.strip_suffix(".0").unwrap_or(json).parse().ok()
    }

    /// Returns the items of a list. Any other value counts as a list of one item.
    pub(crate) fn items(self) -> Vec<Self> {
        match self.json().as_bytes().first() {
            None => Vec::new(),
            Some(b'[') => self.read().unwrap_or_default(),
            Some(_) => vec![self],
        }
    }

    /// Returns the value if it has this shape.
    pub(crate) fn read<T: Deserialize<'a>>(self) -> Option<T> {
        // Most fields are missing in most events, and parsing an empty text would allocate an
        // error.
        self.0.and_then(|value| serde_json::from_str(value.get()).ok())
    }
}

/// An object, or `None` in place of any other value.
#[derive(Debug)]
pub(crate) struct LenientObject<T>(pub(crate) Option<T>);

impl<T> Default for LenientObject<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Default> LenientObject<T> {
    pub(crate) fn unwrap_or_default(self) -> T {
        self.0.unwrap_or_default()
    }
}

/// Reads the object directly, without keeping its JSON first, because it is most of an event.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_option(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
