//! The behaviour of calls that run no tool, and the JSON in which a person writes it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use silcrow_event::Json;

use crate::error::{Error, ErrorKind};

/// Stubs by the id of a call, or by the name of the tool, agent or workflow that it calls.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_simulation::{Stub, Stubs};
///
/// let written = Stubs::parse(
///     r#"{
///         "search": {"ms": 200, "ok": ["a", "b"]},
///         "flaky": {"ms": 10, "fail_times": 2},
///         "broken": {"fail": "the server is down"},
///         "stuck": {"hang": true}
///     }"#,
/// )?;
/// let made = Stubs::default()
///     .with_stub("broken", Stub::Fails { after: Stub::TIME, why: "the server is down".into() })
///     .with_stub("stuck", Stub::Hangs);
/// assert_eq!(written.for_call("a1", "broken"), made.for_call("a1", "broken"));
/// // A call without a stub ends well after 10 ms.
/// let stub = written.for_call("a1", "other");
/// assert!(matches!(stub, Stub::Ends { after, .. } if after == Duration::from_millis(10)));
/// # Ok::<_, silcrow_simulation::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stubs(BTreeMap<String, Stub>);

/// The outcome of a call, and when it comes.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a call ends well, fails, or does not end")]
pub enum Stub {
    /// The call ends well.
    Ends {
        /// The duration of each attempt.
        after: Duration,
        /// The number of first attempts that fail.
        fail_times: u32,
        /// The output; `None` for the text `ID:ok` with the id of the call.
        value: Option<Json>,
    },
    /// Each attempt at the call fails.
    Fails {
        /// The duration of each attempt.
        after: Duration,
        /// The reason that the model reads.
        why: String,
    },
    /// The call never ends on its own.
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

impl Stubs {
    /// Reads stubs from a JSON object. Each of them has some of `ms`, `ok`, `fail`, `fail_times`
    /// and `hang`.
    ///
    /// # Errors
    ///
    /// - [`Stubs`](ErrorKind::Stubs) if the text is something else. The message names the stub and
    ///   the correction.
    pub fn parse(json: &str) -> Result<Self, Error> {
        let wrong = |message: String| Error::new(ErrorKind::Stubs, message);
        let stubs = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(json)
            .map_err(|error| wrong(format!("it is not a JSON object: {error}")))?;
        let stubs = stubs.into_iter().map(|(key, raw)| {
            let stub = Stub::read(raw.get());
            Ok((key.clone(), stub.map_err(|why| wrong(format!("the stub `{key}`: {why}")))?))
        });
        Ok(Self(stubs.collect::<Result<_, Error>>()?))
    }

    /// Adds a stub for the call with this id, or for all calls of this name.
    #[must_use]
    pub fn with_stub(mut self, key: impl Into<String>, stub: Stub) -> Self {
        self.0.insert(key.into(), stub);
        self
    }

    /// Returns whether there is a stub for this id or name.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Returns the stub of a call: the one for its id, otherwise the one for the name that it calls.
    pub fn for_call(&self, id: &str, name: &str) -> Stub {
        let default = Stub::Ends { after: Stub::TIME, fail_times: 0, value: None };
        self.0.get(id).or_else(|| self.0.get(name)).cloned().unwrap_or(default)
    }
}

impl Stub {
    /// The duration of a call whose stub does not say it.
    pub const TIME: Duration = Duration::from_millis(10);

    fn read(json: &str) -> Result<Self, String> {
        let fields: WrittenStub = serde_json::from_str(json).map_err(|error| {
            format!("{error}; write it as {{\"ms\":10,\"ok\":VALUE}}, with \"fail\":\"why\", with \"fail_times\":2, or as {{\"hang\":true}}")
        })?;
        let after = fields.ms.map_or(Self::TIME, Duration::from_millis);
        let value = fields.ok.as_deref().and_then(|raw| Json::parse(raw.get()));
        match (fields.hang, fields.fail, fields.fail_times, &value) {
            (Some(true), None, None, None) => Ok(Self::Hangs),
            (None | Some(false), Some(why), None, None) => Ok(Self::Fails { after, why }),
            (None | Some(false), None, fail_times, _) => {
                Ok(Self::Ends { after, fail_times: fail_times.unwrap_or(0), value })
            }
            _ => Err("`ok`, `fail` and `hang` exclude each other".to_owned()),
        }
    }
}

/// Reads an existing member, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(from).map(Some)
}
