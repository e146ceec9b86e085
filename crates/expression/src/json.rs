//! JSON text to values, and back.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use silcrow_event::Json;

use crate::value::ExpressionValue;

impl<'de> Deserialize<'de> for ExpressionValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = ExpressionValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(ExpressionValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(ExpressionValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(ExpressionValue::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(ExpressionValue::Int(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        if value.is_finite() {
            return Ok(ExpressionValue::Double(value));
        }
        Err(E::custom("the number is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(ExpressionValue::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            items.push(item);
        }
        Ok(ExpressionValue::list(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = from.next_entry::<String, ExpressionValue>()? {
            members.push((Arc::from(key), value));
        }
        Ok(object(members))
    }
}

/// Makes an object of members. Of a key given twice, the last value counts.
pub(crate) fn object(mut members: Vec<(Arc<str>, ExpressionValue)>) -> ExpressionValue {
    let mut order = Vec::from_iter(0..members.len());
    order.sort_by(|&a, &b| members[a].0.cmp(&members[b].0).then(a.cmp(&b)));
    let is_repeated = |pair: &[usize]| members[pair[0]].0 == members[pair[1]].0;
    let mut earlier =
        Vec::from_iter(order.windows(2).filter(|pair| is_repeated(pair)).map(|pair| pair[0]));
    if !earlier.is_empty() {
        earlier.sort_unstable();
        let mut at = 0;
        members.retain(|_| {
            at += 1;
            earlier.binary_search(&(at - 1)).is_err()
        });
    }
    ExpressionValue::Object(members.into())
}

impl fmt::Display for ExpressionValue {
    /// Writes the value as compact JSON on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}

fn write(value: &ExpressionValue, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        ExpressionValue::Null => f.write_str("null"),
        ExpressionValue::Bool(value) => write!(f, "{value}"),
        ExpressionValue::Int(value) => write!(f, "{value}"),
        ExpressionValue::Double(value) => {
            f.write_str(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
        }
        ExpressionValue::Text(text) => f.write_str(Json::string(text).as_str()),
        ExpressionValue::List(items) => {
            for (index, item) in items.iter().enumerate() {
                f.write_str(if index == 0 { "[" } else { "," })?;
                write(item, f)?;
            }
            f.write_str(if items.is_empty() { "[]" } else { "]" })
        }
        ExpressionValue::Object(members) => {
            for (index, (key, value)) in members.iter().enumerate() {
                f.write_str(if index == 0 { "{" } else { "," })?;
                f.write_str(Json::string(key).as_str())?;
                f.write_str(":")?;
                write(value, f)?;
            }
            f.write_str(if members.is_empty() { "{}" } else { "}" })
        }
    }
}
