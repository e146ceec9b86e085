//! The attributes of a call that only the action dialect has.
//!
//! This module defines their words on the wire and in JSON.

use std::time::Duration;

use crate::json::{Json, Object};
use crate::seconds::Seconds;

/// The attributes that the action dialect gives a call besides its name and arguments (P-20).
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_event::{ActionAttributes, Call, CallMode, Event};
///
/// let action = ActionAttributes {
///     mode: CallMode::Async,
///     timeout: Some(Duration::from_millis(1500)),
///     ..ActionAttributes::default()
/// };
/// let call = Call::parse("a2", r#"{"name":"build","args":{}}"#).unwrap().with_action(action);
/// let json = Event::Call(call).to_json();
/// assert!(json.contains(r#""mode":"async","timeout":1.5"#), "{json}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "P-20 names them all")]
pub struct ActionAttributes {
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The way in which the turn waits for the call.
    pub mode: CallMode,
    /// The ids of the calls that this one waits for, as written.
    pub depends_on: Vec<String>,
    /// The variable that the output is bound to.
    pub output_key: Option<String>,
    /// The time limit of one attempt. In JSON it is a number of seconds.
    pub timeout: Option<Duration>,
    /// The number of attempts after the first.
    pub retry: Option<u32>,
    /// The consequence of a failure for the rest of the turn.
    pub on_error: Option<OnError>,
    /// The call that takes this one back, if its transaction is rolled back (P-32).
    pub compensate: Option<Box<Compensation>>,
    /// Whether the model reads the output although other calls use it.
    pub show: bool,
    /// The ids of the transactions that the call is in, the outermost first. The framework writes
    /// them into the log, so that a rollback survives a crash; a model cannot (P-32).
    pub transactions: Vec<String>,
    /// The id of the call that this one takes back. Only the framework makes such a call (P-32).
    pub undoes: Option<String>,
}

/// A call that takes another one back if its transaction is rolled back (P-32).
///
/// ```
/// use silcrow_event::Compensation;
///
/// let json = r#"{"name":"delete_order","parameters":{"order":"$create"}}"#;
/// let undo = Compensation::parse(json).unwrap();
/// assert_eq!((&*undo.name, undo.args.as_str()), ("delete_order", r#"{"order":"$create"}"#));
/// assert_eq!(undo.to_json(), json);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "P-32 names its members")]
pub struct Compensation {
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of the called tool, of any kind.
    pub name: String,
    /// The arguments, a JSON object, in which `$name` is an output (P-26).
    pub args: Json,
}

/// The kind of thing that an action calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum CallKind {
    /// A stateless function.
    #[default]
    Tool,
    /// Another agent.
    Agent,
    /// A tool that keeps something between calls and between runs.
    Relic,
    /// Prepared actions, which run without a model.
    Workflow,
    /// A model without tools, which is asked once.
    Llm,
}

/// The way in which a turn waits for an action (P-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum CallMode {
    /// A barrier: no later call starts before this one ends.
    #[default]
    Sync,
    /// Runs while the model continues to write.
    Async,
    /// Runs in the background; only the end of the run waits for it.
    FireAndForget,
}

/// The consequence of a failed action for the rest of its turn (P-20).
///
/// ```
/// use silcrow_event::OnError;
///
/// assert_eq!("fail".parse(), Ok(OnError::Fail));
/// assert!("stop".parse::<OnError>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum OnError {
    /// The calls that depend on the failed one are skipped.
    #[default]
    Skip,
    /// All unfinished actions of the turn are cancelled.
    Fail,
    /// The same as `Skip`, after 3 further attempts unless `retry` says otherwise.
    Retry,
}

impl ActionAttributes {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", self.kind.as_str());
        to.string("mode", self.mode.as_str());
        if !self.depends_on.is_empty() {
            to.strings("depends_on", self.depends_on.iter().map(String::as_str));
        }
        if let Some(key) = &self.output_key {
            to.string("output_key", key);
        }
        if let Some(timeout) = self.timeout {
            to.number("timeout", Seconds(timeout));
        }
        if let Some(count) = self.retry {
            to.integer("retry", count.into());
        }
        if let Some(on_error) = self.on_error {
            to.string("on_error", on_error.as_str());
        }
        if let Some(compensate) = &self.compensate {
            to.object("compensate", |to| compensate.write(to));
        }
        if self.show {
            to.bool("show", true);
        }
        if !self.transactions.is_empty() {
            to.strings("transactions", self.transactions.iter().map(String::as_str));
        }
        if let Some(undoes) = &self.undoes {
            to.string("undoes", undoes);
        }
    }
}

impl Compensation {
    /// Returns it as the JSON that [`parse`](Self::parse) reads.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        if self.kind != CallKind::default() {
            to.string("type", self.kind.as_str());
        }
        to.string("name", &self.name);
        to.raw("parameters", self.args.as_str());
    }
}

impl CallKind {
    /// Lists every kind.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Agent, Self::Relic, Self::Workflow, Self::Llm];

    /// Returns the word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Relic => "relic",
            Self::Workflow => "workflow",
            Self::Llm => "llm",
        }
    }
}

impl CallMode {
    /// Lists every mode.
    pub const ALL: [Self; 3] = [Self::Sync, Self::Async, Self::FireAndForget];

    /// Returns the word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Async => "async",
            Self::FireAndForget => "fire_and_forget",
        }
    }
}

impl OnError {
    /// Lists every policy.
    pub const ALL: [Self; 3] = [Self::Skip, Self::Fail, Self::Retry];

    /// Returns the word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Fail => "fail",
            Self::Retry => "retry",
        }
    }
}
