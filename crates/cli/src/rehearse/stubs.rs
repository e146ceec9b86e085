//! The file of stubs: the outcome of each call, and when it comes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use silcrow_event::Json;

use crate::failure::Failure;

/// The stubs by the id of a call, or by the name of what it calls.
#[derive(Debug, Default)]
pub(crate) struct Stubs(BTreeMap<String, Stub>);

/// The outcome of a call, and when it comes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stub {
    /// The call ends with this value after so many milliseconds; its first attempts fail.
    Ends { ms: u64, fail_times: u32, value: Option<Json> },
    /// The call fails for this reason after so many milliseconds.
    Fails { ms: u64, why: String },
    /// The call never ends.
    Hangs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStub {
    ms: Option<u64>,
    /// The value, which may be `null`.
    #[serde(default, deserialize_with = "present")]
    ok: Option<Box<RawValue>>,
    fail: Option<String>,
    fail_times: Option<u32>,
    hang: Option<bool>,
}

/// How long a call takes where its stub does not say.
const DEFAULT_MS: u64 = 10;

impl Stubs {
    /// Reads the stubs of a file.
    pub(crate) fn read(file: &str, json: &str) -> Result<Self, Failure> {
        let stubs = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(json)
            .map_err(|error| Failure::given(format!("{file} is not a JSON object: {error}")))?;
        let stubs = stubs.into_iter().map(|(key, raw)| {
            let stub = Stub::read(raw.get())
                .map_err(|why| Failure::given(format!("{file}: the stub `{key}`: {why}")))?;
            Ok((key, stub))
        });
        Ok(Self(stubs.collect::<Result<_, Failure>>()?))
    }

    /// Returns the stub of a call: the one for its id, otherwise the one for the name that it calls.
    pub(crate) fn of(&self, id: &str, name: &str) -> Stub {
        let default = Stub::Ends { ms: DEFAULT_MS, fail_times: 0, value: None };
        self.0.get(id).or_else(|| self.0.get(name)).cloned().unwrap_or(default)
    }
}

impl Stub {
    fn read(json: &str) -> Result<Self, String> {
        let fields: WrittenStub = serde_json::from_str(json).map_err(|error| {
            format!("{error}; write it as {{\"ms\":10,\"ok\":VALUE}}, with \"fail\":\"why\", with \"fail_times\":2, or as {{\"hang\":true}}")
        })?;
        let ms = fields.ms.unwrap_or(DEFAULT_MS);
        let value = fields.ok.as_deref().and_then(|raw| Json::parse(raw.get()));
        match (fields.hang, fields.fail, fields.fail_times, &value) {
            (Some(true), None, None, None) => Ok(Self::Hangs),
            (None | Some(false), Some(why), None, None) => Ok(Self::Fails { ms, why }),
            (None | Some(false), None, fail_times, _) => {
                Ok(Self::Ends { ms, fail_times: fail_times.unwrap_or(0), value })
            }
            _ => Err("`ok`, `fail` and `hang` exclude each other".to_owned()),
        }
    }
}

/// Reads a member that is there, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(from).map(Some)
}
