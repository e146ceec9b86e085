use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use silcrow_provider::{Error, ErrorKind};

/// Fields that are added to the bodies of requests, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// Sets a field to a value of JSON.
    pub(crate) fn set(&mut self, name: &str, json: &str) -> Result<(), Error> {
        let wrong = |why: &str| {
            Error::new(ErrorKind::Refused, format!("the field `{name}` of the body {why}"))
        };
        if name.is_empty() || RESERVED.contains(&name) {
            return Err(wrong("says what is asked and cannot be set; use another"));
        }
        let value = RawValue::from_string(json.trim().to_owned());
        let value = value.map_err(|error| wrong("is not JSON; quote texts").caused_by(error))?;
        match self.0.iter_mut().find(|(set, _)| set == name) {
            Some((_, set)) => *set = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets each field of an object of JSON.
    pub(crate) fn set_all(&mut self, object: &str) -> Result<(), Error> {
        let Object(fields) = serde_json::from_str(object).map_err(|error| {
            let why = "the fields of the body are no object of JSON; write them like {\"seed\": 7}";
            Error::new(ErrorKind::Refused, why).caused_by(error)
        })?;
        fields.iter().try_for_each(|(name, value)| self.set(name, value.get()))
    }

    /// Returns the body, an object of JSON, with the fields in it. New ones are in front, so that a
    /// longer conversation still only adds to the bytes.
    pub(crate) fn merge(&self, body: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() {
            return body;
        }
        let Object(mut all) = serde_json::from_slice(&body).expect("bodies are objects of JSON");
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

/// An object whose fields keep their order and their bytes.
struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

/// What is asked, how the answer comes, and what is kept of it.
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
