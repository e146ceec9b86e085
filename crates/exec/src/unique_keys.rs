//! The check that no key is given twice.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use silcrow_tool::ToolError;

/// Rejects arguments in which an object has a key twice, at any depth. Readers of JSON differ in
/// which of the two values they take, so a person could approve one and the tool could read
/// another.
pub(crate) fn unique_keys(args: &str) -> Result<(), ToolError> {
    let mut doubled = None;
    let mut reader = serde_json::Deserializer::from_str(args);
    let read = Value { path: Path::Root, doubled: &mut doubled }.deserialize(&mut reader);
    match (doubled, read.and_then(|()| reader.end())) {
        (Some(key), _) => Err(ToolError::new(format!(
            "`{key}` is given twice in the arguments; give each key once"
        ))),
        (None, Err(error)) => {
            Err(ToolError::new(format!("the arguments are not valid JSON: {error}")))
        }
        (None, Ok(())) => Ok(()),
    }
}

/// The position of a value in the arguments.
#[derive(Clone, Copy)]
enum Path<'p> {
    Root,
    Member(&'p Self, &'p str),
    Element(&'p Self, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Path::Root, key) => f.write_str(key),
            Self::Member(within, key) => write!(f, "{within}.{key}"),
            Self::Element(within, index) => write!(f, "{within}[{index}]"),
        }
    }
}

/// A value that is read for its keys alone.
struct Value<'p, 'd> {
    path: Path<'p>,
    /// The first key that is given twice.
    doubled: &'d mut Option<String>,
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(Key(key)) = map.next_key()? {
            let path = Path::Member(&self.path, &key);
            if keys.contains(&key) {
                *self.doubled = Some(path.to_string());
                return Err(A::Error::custom("a key is given twice"));
            }
            map.next_value_seed(Value { path, doubled: &mut *self.doubled })?;
            keys.insert(key);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let path = Path::Element(&self.path, index);
            let value = Value { path, doubled: &mut *self.doubled };
            if list.next_element_seed(value)?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
