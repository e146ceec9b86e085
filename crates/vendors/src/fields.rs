//! Fields that are added to the bodies of requests.
//!
//! All other fields keep their order and their bytes, so that prompt caches still hit.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use silcrow_provider::{Error, ErrorKind};

/// Fields in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyFields(Vec<(String, Box<RawValue>)>);

impl BodyFields {
    /// Sets a field to a JSON value.
    pub(crate) fn set(&mut self, name: &str, json: &str) -> Result<(), Error> {
        let wrong = |why: &str| {
            Error::new(ErrorKind::Refused, format!("the field `{name}` of the body {why}"))
        };
        if name.is_empty() || RESERVED.contains(&name) {
            return Err(wrong("is set by the request itself and cannot be replaced"));
        }
        let value = RawValue::from_string(json.trim().to_owned());
        let value = value.map_err(|error| wrong("is not JSON; quote texts").with_source(error))?;
        match self.0.iter_mut().find(|(set, _)| set == name) {
            Some((_, set)) => *set = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets each field of a JSON object.
    pub(crate) fn set_all(&mut self, object: &str) -> Result<(), Error> {
        let OrderedObject(fields) = serde_json::from_str(object).map_err(|error| {
            let why = "the fields of the body are not a JSON object; write them like {\"seed\": 7}";
            Error::new(ErrorKind::Refused, why).with_source(error)
        })?;
        fields.iter().try_for_each(|(name, value)| self.set(name, value.get()))
    }

    /// Returns the body, a JSON object, with the fields added. New fields come first, so that a
    /// longer conversation only appends.
    pub(crate) fn merge(&self, body: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() {
            return body;
        }
        let OrderedObject(mut all) =
            serde_json::from_slice(&body).expect("bodies are objects of JSON");
        let mut added = Vec::new();
        for (name, value) in &self.0 {
            match all.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.clone_from(value),
                None => added.push((name.clone(), value.clone())),
            }
        }
        let fields = added.into_iter().chain(all).map(|(name, value)| {
            let name = serde_json::to_string(&name).expect("a text is JSON");
            format!("{name}:{}", value.get())
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(",")).into_bytes()
    }
}

/// A JSON object whose fields keep their order and their bytes.
struct OrderedObject(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for OrderedObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrderedObjectVisitor;

        impl<'de> Visitor<'de> for OrderedObjectVisitor {
            type Value = OrderedObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedObject, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(OrderedObject(fields))
            }
        }

        deserializer.deserialize_map(OrderedObjectVisitor)
    }
}

/// The fields that define the question, the way the answer is sent, and the data that the server
/// keeps.
const RESERVED: [&str; 16] = [
    "contents",
    "continuation_token",
    "input",
    "instructions",
    "messages",
    "model",
    "previous_interaction_id",
    "previous_response_id",
    "store",
    "stream",
    "stream_options",
    "system",
    "systemInstruction",
    "system_instruction",
    "tools",
    "type",
];
