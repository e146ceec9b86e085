use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::value::RawValue;

use crate::action::{ActionAttributes, CallKind, CallMode, OnError};
use crate::batch::ResultBatch;
use crate::call::Call;
use crate::content::Content;
use crate::entry::{Entry, RunOpening};
use crate::event::{
    Approval, ApprovalState, ErrorEvent, ErrorScope, Event, Metric, Progress, Respond, Think,
    ThoughtOrigin,
};
use crate::json::Json;
use crate::outcome::CallResult;
use crate::usage::Usage;

/// Reads one line of an event log. What [`Entry::to_json`] wrote is read to the last bit.
///
/// Accepted beyond that: members it does not know, events without ids, times and places,
/// `metrics` for `metric`, results with only a payload or only a content, and the batch form of a
/// result.
pub fn read_entry(line: &str) -> Result<Entry, ReadEntryError> {
    let fields = Fields::of(line)?;
    let opening = fields.maybe("conversation").zip(fields.maybe("run"));
    Ok(Entry {
        event: event(&fields)?,
        timestamp: fields.seconds("timestamp"),
        turn: fields.number("turn"),
        seq: fields.number("seq"),
        opening: opening.map(|(conversation, run)| RunOpening { conversation, run }),
        agent_path: fields.maybe("agent_path"),
        user: fields.maybe("user"),
    })
}

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadEntryError(String);

impl fmt::Display for ReadEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadEntryError {}

fn event(fields: &Fields<'_>) -> Result<Event, ReadEntryError> {
    let name = fields.text("type")?;
    Ok(match &*name {
        "user" => Event::User {
            content: match Content::read_parts(fields) {
                Some(parts) => parts,
                None => fields.text("content")?.into(),
            },
        },
        "think" => Event::Think(Think {
            content: fields.text("content")?,
            origin: match fields.maybe("origin").as_deref() {
                Some("provider") => ThoughtOrigin::Provider,
                _ => ThoughtOrigin::Model,
            },
        }),
        "call" => Event::Call(call(fields)?),
        "execute" => Event::Execute,
        "result" => result(fields)?,
        "respond" => Event::Respond(Respond {
            content: fields.text("content")?,
            wire: fields.maybe("wire"),
            last: fields.get("final") != Some("false"),
        }),
        "end" => Event::End,
        "metric" | "metrics" => {
            Event::Metric(Metric { step: fields.usage("step"), total: fields.usage("total") })
        }
        "error" => Event::Error(ErrorEvent {
            code: fields.maybe("code").unwrap_or_default(),
            content: fields.text("content")?,
            scope: fields.word(
                "scope",
                ErrorScope::Caller,
                &ErrorScope::ALL,
                ErrorScope::as_str,
            )?,
            retry: fields.get("retry") == Some("true"),
            at: fields.number("at"),
        }),
        "interrupt" => Event::Interrupt { reason: fields.maybe("reason").unwrap_or_default() },
        "cancelled" => Event::Cancelled { content: fields.maybe("content").unwrap_or_default() },
        "notice" => Event::Notice { content: fields.text("content")? },
        "progress" => Event::Progress(Progress {
            id: fields.text("id")?,
            channel: fields.maybe("channel").unwrap_or_default(),
            n: fields.number("n").unwrap_or_default(),
            content: fields.text("content")?,
        }),
        "approval" => Event::Approval(Approval {
            id: fields.text("id")?,
            state: fields.word(
                "state",
                ApprovalState::Asked,
                &ApprovalState::ALL,
                ApprovalState::as_str,
            )?,
            args_sha256: fields.maybe("args_sha256"),
            target: fields.maybe("target"),
            scope: fields.maybe("scope"),
            reason: fields.maybe("reason"),
        }),
        other => return Err(ReadEntryError(format!("`type` is `{other}`, which is no event"))),
    })
}

fn call(fields: &Fields<'_>) -> Result<Call, ReadEntryError> {
    let call = Call::parse(fields.maybe("id").unwrap_or_default(), fields.text("content")?)
        .map_err(|why| ReadEntryError(format!("`content` is not a call: {why}")))?;
    let Some(action) = fields.get("action") else { return Ok(call) };
    let action =
        Fields::of(action).map_err(|_| ReadEntryError("`action` is not an object".to_owned()))?;
    let on_error = match action.get("on_error") {
        Some(_) => Some(action.word("on_error", OnError::Skip, &OnError::ALL, OnError::as_str)?),
        None => None,
    };
    Ok(call.with_action(ActionAttributes {
        kind: action.word("type", CallKind::Tool, &CallKind::ALL, CallKind::as_str)?,
        mode: action.word("mode", CallMode::Sync, &CallMode::ALL, CallMode::as_str)?,
        depends_on: action
            .get("depends_on")
            .and_then(|ids| serde_json::from_str(ids).ok())
            .unwrap_or_default(),
        output_key: action.maybe("output_key"),
        timeout: action.seconds("timeout"),
        retry: action.number("retry"),
        on_error,
    }))
}

fn result(fields: &Fields<'_>) -> Result<Event, ReadEntryError> {
    if let Some(batch) = fields.object("payload")
        && batch.number::<u64>("tools_executed").is_some()
    {
        return Ok(Event::Batch(ResultBatch {
            content: fields.text("content")?,
            success_count: batch.number("success_count").unwrap_or_default(),
            failure_count: batch.number("failure_count").unwrap_or_default(),
        }));
    }
    CallResult::read(fields)
        .map(Event::Result)
        .ok_or_else(|| ReadEntryError("neither `content` nor `payload` is there".to_owned()))
}

/// The members of an object by name, each as the text that was written.
#[derive(Default)]
pub(crate) struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    pub(crate) fn of(object: &'a str) -> Result<Self, ReadEntryError> {
        serde_json::from_str(object).map(Self).map_err(|error| {
            if error.is_data() {
                ReadEntryError("this is not a JSON object".to_owned())
            } else {
                ReadEntryError(format!("this is not valid JSON: {error}"))
            }
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(|value| value.get())
    }

    pub(crate) fn maybe(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    fn text(&self, key: &str) -> Result<String, ReadEntryError> {
        match self.get(key) {
            Some(text) => serde_json::from_str(text)
                .map_err(|_| ReadEntryError(format!("`{key}` is not a string"))),
            None => Err(ReadEntryError(format!("`{key}` is missing"))),
        }
    }

    pub(crate) fn json(&self, key: &str) -> Option<Json> {
        Json::parse(self.get(key)?)
    }

    /// Returns the members of each object of an array, or `None` if it is not an array of objects.
    pub(crate) fn objects(&self, key: &str) -> Option<Vec<Self>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.get(key)?).ok()?;
        items.into_iter().map(|item| Self::of(item.get()).ok()).collect()
    }

    /// The members of an object; `None` if there is none.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        Self::of(self.get(key)?).ok()
    }

    /// The strings of an array; anything else is an empty one.
    pub(crate) fn strings(&self, key: &str) -> Vec<String> {
        self.get(key).and_then(|array| serde_json::from_str(array).ok()).unwrap_or_default()
    }

    /// A number, exactly as it is written.
    pub(crate) fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// A number too large to hold is none.
    fn seconds(&self, key: &str) -> Option<f64> {
        self.number(key).filter(|seconds: &f64| seconds.is_finite())
    }

    fn word<T: Copy>(
        &self,
        key: &str,
        default: T,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, ReadEntryError> {
        let Some(word) = self.maybe(key) else { return Ok(default) };
        all.iter().copied().find(|&one| name(one) == word).ok_or_else(|| {
            let all: Vec<_> = all.iter().map(|&one| name(one)).collect();
            ReadEntryError(format!("`{key}` is `{word}`; it may be {}", all.join(", ")))
        })
    }

    fn usage(&self, key: &str) -> Usage {
        let Some(usage) = self.object(key) else {
            return Usage::default();
        };
        Usage {
            input: usage.number("input").unwrap_or_default(),
            output: usage.number("output").unwrap_or_default(),
            cached: usage.number("cached").unwrap_or_default(),
            reasoning: usage.number("reasoning").unwrap_or_default(),
            sent: usage.number("sent").unwrap_or_default(),
            first: usage.seconds("first").unwrap_or_default(),
            duration: usage.seconds("duration").unwrap_or_default(),
            estimated: usage.get("estimated") == Some("true"),
        }
    }
}
