use std::fmt;

use serde_json::{Map, Value};

use crate::action::{Action, Kind, Mode, OnError};
use crate::call::Call;
use crate::entry::{Entry, Opening};
use crate::event::{
    Approval, Decision, Event, Fault, Metric, Origin, Progress, Respond, Scope, Think,
};
use crate::json::Json;
use crate::outcome::{Batch, Outcome, Payload, Status, Usage};

/// Reads one line of an event log.
///
/// Accepted beyond what [`Entry::to_json`] writes: members it does not know, events without ids,
/// times and places, `metrics` for `metric`, results with only a payload or only a content, and
/// the batch form of a result.
pub fn read_entry(line: &str) -> Result<Entry, Unreadable> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| Unreadable(format!("this is not valid JSON: {error}")))?;
    let Value::Object(object) = value else {
        return Err(Unreadable("this is not a JSON object".to_owned()));
    };
    let fields = Fields(&object);
    Ok(Entry {
        event: event(fields)?,
        timestamp: fields.get("timestamp").and_then(Value::as_f64),
        turn: fields.integer("turn").and_then(|turn| turn.try_into().ok()),
        seq: fields.integer("seq"),
        opening: fields.maybe("conversation").zip(fields.maybe("run")).map(
            |(conversation, run)| Opening {
                conversation: conversation.to_owned(),
                run: run.to_owned(),
            },
        ),
    })
}

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

fn event(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let name = fields.text("type")?;
    Ok(match name {
        "user" => Event::User { content: fields.text("content")?.to_owned() },
        "think" => Event::Think(Think {
            content: fields.text("content")?.to_owned(),
            origin: match fields.maybe("origin") {
                Some("provider") => Origin::Provider,
                _ => Origin::Model,
            },
        }),
        "call" => Event::Call(call(fields)?),
        "execute" => Event::Execute,
        "result" => result(fields)?,
        "respond" => Event::Respond(Respond {
            content: fields.text("content")?.to_owned(),
            wire: fields.maybe("wire").map(str::to_owned),
            last: fields.get("final") != Some(&Value::Bool(false)),
        }),
        "end" => Event::End,
        "metric" | "metrics" => {
            Event::Metric(Metric { step: fields.usage("step"), total: fields.usage("total") })
        }
        "error" => Event::Error(Fault {
            code: fields.maybe("code").unwrap_or_default().to_owned(),
            content: fields.text("content")?.to_owned(),
            scope: fields.word("scope", Scope::Caller, &Scope::ALL, Scope::as_str)?,
            retry: fields.get("retry") == Some(&Value::Bool(true)),
            at: fields.integer("at"),
        }),
        "interrupt" => {
            Event::Interrupt { reason: fields.maybe("reason").unwrap_or_default().to_owned() }
        }
        "cancelled" => {
            Event::Cancelled { content: fields.maybe("content").unwrap_or_default().to_owned() }
        }
        "progress" => Event::Progress(Progress {
            id: fields.text("id")?.to_owned(),
            channel: fields.maybe("channel").unwrap_or_default().to_owned(),
            n: fields.integer("n").unwrap_or_default(),
            content: fields.text("content")?.to_owned(),
        }),
        "approval" => Event::Approval(Approval {
            id: fields.text("id")?.to_owned(),
            state: fields.word("state", Decision::Asked, &Decision::ALL, Decision::as_str)?,
            scope: fields.maybe("scope").map(str::to_owned),
            reason: fields.maybe("reason").map(str::to_owned),
        }),
        other => return Err(Unreadable(format!("`type` is `{other}`, which is no event"))),
    })
}

fn call(fields: Fields<'_>) -> Result<Call, Unreadable> {
    let call = Call::parse(fields.maybe("id").unwrap_or_default(), fields.text("content")?)
        .map_err(|why| Unreadable(format!("`content` is not a call: {why}")))?;
    let Some(action) = fields.get("action") else { return Ok(call) };
    let Value::Object(action) = action else {
        return Err(Unreadable("`action` is not an object".to_owned()));
    };
    let action = Fields(action);
    let strings = |value: &Value| value.as_str().map(str::to_owned);
    Ok(call.with_action(Action {
        kind: action.word("type", Kind::Tool, &Kind::ALL, Kind::as_str)?,
        mode: action.word("mode", Mode::Sync, &Mode::ALL, Mode::as_str)?,
        depends_on: action
            .get("depends_on")
            .and_then(Value::as_array)
            .map(|ids| ids.iter().filter_map(strings).collect())
            .unwrap_or_default(),
        output_key: action.maybe("output_key").map(str::to_owned),
        timeout: action.get("timeout").and_then(Value::as_f64),
        retry: action.integer("retry").and_then(|count| count.try_into().ok()),
        on_error: match action.get("on_error") {
            Some(_) => {
                Some(action.word("on_error", OnError::Skip, &OnError::ALL, OnError::as_str)?)
            }
            None => None,
        },
    }))
}

fn result(fields: Fields<'_>) -> Result<Event, Unreadable> {
    let payload = match fields.get("payload") {
        Some(Value::Object(payload)) => Some(Fields(payload)),
        _ => None,
    };
    if let Some(batch) = payload.filter(|payload| payload.integer("tools_executed").is_some()) {
        return Ok(Event::Batch(Batch {
            content: fields.text("content")?.to_owned(),
            success_count: batch.integer("success_count").unwrap_or_default(),
            failure_count: batch.integer("failure_count").unwrap_or_default(),
        }));
    }
    let payload = payload.map(|payload| {
        let error = payload.get("error").is_some_and(|error| match error {
            Value::Bool(error) => *error,
            Value::Null => false,
            _ => true,
        });
        let failed = error || payload.maybe("status") == Some(Status::Failure.as_str());
        Payload {
            tool: payload.maybe("tool").map(str::to_owned),
            status: if failed { Status::Failure } else { Status::Success },
            outcome: payload.maybe("outcome").unwrap_or_default().to_owned(),
            content: payload.get("content").map_or_else(|| Json::string(""), Json::from),
            error,
        }
    });
    let content = match (fields.maybe("content"), &payload) {
        (Some(content), _) => content.to_owned(),
        (None, Some(payload)) => match payload.content.to_text() {
            empty if empty.is_empty() => payload.outcome.clone(),
            content => content,
        },
        (None, None) => return Err(Unreadable("neither `content` nor `payload` is there".into())),
    };
    Ok(Event::Result(Outcome { id: fields.maybe("id").map(str::to_owned), content, payload }))
}

/// The members of an object, looked up by name.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key)
    }

    fn maybe(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    fn text(self, key: &str) -> Result<&'a str, Unreadable> {
        match self.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(Unreadable(format!("`{key}` is not a string"))),
            None => Err(Unreadable(format!("`{key}` is missing"))),
        }
    }

    fn integer(self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    fn word<T: Copy>(
        self,
        key: &str,
        default: T,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, Unreadable> {
        let Some(word) = self.maybe(key) else { return Ok(default) };
        all.iter().copied().find(|&one| name(one) == word).ok_or_else(|| {
            let all: Vec<_> = all.iter().map(|&one| name(one)).collect();
            Unreadable(format!("`{key}` is `{word}`; it may be {}", all.join(", ")))
        })
    }

    fn usage(self, key: &str) -> Usage {
        let Some(Value::Object(usage)) = self.get(key) else { return Usage::default() };
        let usage = Fields(usage);
        Usage {
            input: usage.integer("input").unwrap_or_default(),
            output: usage.integer("output").unwrap_or_default(),
            cached: usage.integer("cached").unwrap_or_default(),
            duration: usage.get("duration").and_then(Value::as_f64).unwrap_or_default(),
        }
    }
}
