//! A JSON schema as it is written, with its members in their order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON schema.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    root: &'a RawValue,
    here: &'a RawValue,
}

/// The members of a JSON object, in their order.
struct OrderedMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Schema<'a> {
    /// Reads a schema, unless it is not JSON.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        let root = serde_json::from_str(json).ok()?;
        Some(Self { root, here: root })
    }

    /// Returns the members that are schemas themselves, such as `properties`.
    pub(crate) fn schemas(self, key: &str) -> Option<Vec<(String, Self)>> {
        let members = members(self.member(key)?)?;
        Some(members.into_iter().map(|(name, here)| (name, Self { here, ..self })).collect())
    }

    /// Returns a list of schemas, such as `anyOf`.
    pub(crate) fn list(self, key: &str) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.member(key)?.get()).ok()?;
        Some(items.into_iter().map(|here| Self { here, ..self }).collect())
    }

    /// Returns a schema in a member, such as `items`.
    pub(crate) fn schema(self, key: &str) -> Option<Self> {
        Some(Self { here: self.member(key)?, ..self })
    }

    /// Returns the value of a member, such as `enum`.
    pub(crate) fn value(self, key: &str) -> Option<Value> {
        serde_json::from_str(self.member(key)?.get()).ok()
    }

    /// Returns whether the schema has a member.
    pub(crate) fn has(self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// Returns the schema that `$ref` names, if it is in the same document.
    pub(crate) fn referred(self) -> Option<Self> {
        let pointer = self.value("$ref")?;
        let mut here = self.root;
        for step in pointer.as_str()?.strip_prefix('#')?.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            here = members(here)?.into_iter().find(|(member, _)| *member == name)?.1;
        }
        Some(Self { here, ..self })
    }

    fn member(self, key: &str) -> Option<&'a RawValue> {
        members(self.here)?.into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

fn members(json: &RawValue) -> Option<Vec<(String, &RawValue)>> {
    serde_json::from_str::<OrderedMembers<'_>>(json.get()).ok().map(|members| members.0)
}

impl<'de> Deserialize<'de> for OrderedMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = OrderedMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(OrderedMembers(members))
    }
}
