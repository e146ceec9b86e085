//! Ways to undo calls when their transaction is rolled back (P-32).
//!
//! This module is data, without tools or plans.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use silcrow_event::{Call, CallKind, Compensation, Json};

use crate::substitute::substitute;

/// Decides which calls of a transaction can be undone without a `compensate` (P-32).
///
/// ```
/// use silcrow_event::Call;
/// use silcrow_plan::{UndoCover, UndoCoverage};
///
/// /// Every call that begins with `get_` changes nothing.
/// #[derive(Debug)]
/// struct ByName;
///
/// impl UndoCoverage for ByName {
///     fn cover(&self, call: &Call) -> UndoCover {
///         if call.name().starts_with("get_") { UndoCover::Unneeded } else { UndoCover::Missing }
///     }
/// }
///
/// let call = Call::parse("a", r#"{"name":"get_order"}"#).unwrap();
/// assert_eq!(ByName.cover(&call), UndoCover::Unneeded);
/// ```
pub trait UndoCoverage: fmt::Debug + Send + Sync {
    /// Returns the undo of a call without `compensate`.
    fn cover(&self, call: &Call) -> UndoCover;
}

/// The way to undo a call without `compensate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "nothing has to, the tool does, or nothing can")]
pub enum UndoCover {
    /// No undo is needed: the call changes nothing, or it cannot run.
    Unneeded,
    /// The tool that ran it.
    ByTool,
    /// No undo exists: a transaction with the call fails before it starts anything.
    Missing,
}

/// The way to undo a call that starts in a transaction. It is stored with the mark of its start, so
/// that a later process can do so.
///
/// ```
/// use silcrow_event::Json;
/// use silcrow_plan::CallUndo;
///
/// let json = r#"{"compensate":{"name":"delete","parameters":{"id":"$create","by":"$me"}},"values":{"me":"ada"},"own":["create"]}"#;
/// let undo = CallUndo::parse(json).unwrap();
/// assert_eq!(undo.to_json(), json);
/// let args = undo.args(Json::parse("7").as_ref(), usize::MAX).unwrap();
/// assert_eq!(args, r#"{"id":7,"by":"ada"}"#);
/// assert!(undo.args(None, usize::MAX).is_err(), "the id is not known");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallUndo {
    /// The undo that its action declares; `None` if the tool undoes it.
    compensation: Option<Compensation>,
    /// The values of the names in that, as they are when the call starts.
    values: BTreeMap<String, Json>,
    /// The names in that which mean the output of the call itself.
    own: Vec<String>,
}

impl CallUndo {
    /// Creates the undo of a call that its tool undoes.
    pub fn by_tool() -> Self {
        Self::default()
    }

    pub(crate) fn by_call(
        compensation: Compensation,
        values: BTreeMap<String, Json>,
        own: Vec<String>,
    ) -> Self {
        Self { compensation: Some(compensation), values, own }
    }

    /// Returns the call that undoes the call; `None` if its tool does.
    pub const fn compensation(&self) -> Option<&Compensation> {
        self.compensation.as_ref()
    }

    /// Returns the arguments of the compensation, with outputs in place of their names. `output` is
    /// the output of the call itself, if it has one. Without a compensation they are `{}`.
    ///
    /// # Errors
    ///
    /// Returns the reason, in words for the model, if they need an output that is not known, or are
    /// longer than `max` bytes.
    pub fn args(&self, output: Option<&Json>, max: usize) -> Result<String, String> {
        let Some(compensation) = &self.compensation else { return Ok("{}".to_owned()) };
        let values = self.values.iter();
        let mut values: BTreeMap<&str, _> =
            values.map(|(name, value)| (&**name, Cow::Borrowed(value))).collect();
        for name in &self.own {
            let Some(output) = output else {
                return Err(format!(
                    "its `compensate` needs `${name}`, its output, which is unknown"
                ));
            };
            values.insert(name, Cow::Borrowed(output));
        }
        let filled = substitute(compensation.args.as_str(), &values, max);
        let too_long = || format!("the arguments of its `compensate` are longer than {max} bytes");
        filled.map(|filled| filled.json).ok_or_else(too_long)
    }

    /// Returns it as JSON, on one line.
    pub fn to_json(&self) -> String {
        let Some(compensation) = &self.compensation else { return "{}".to_owned() };
        let member = |(name, value): (&String, &Json)| format!("{}:{value}", Json::string(name));
        let values: Vec<_> = self.values.iter().map(member).collect();
        let own: Vec<_> = self.own.iter().map(|name| Json::string(name).to_string()).collect();
        format!(
            r#"{{"compensate":{},"values":{{{}}},"own":[{}]}}"#,
            compensation.to_json(),
            values.join(","),
            own.join(","),
        )
    }

    /// Reads the JSON of [`to_json`](Self::to_json); `None` for other JSON.
    pub fn parse(json: &str) -> Option<Self> {
        let mut undo = Self::default();
        for member in Call::members(json).ok()? {
            match member.key() {
                "compensate" => undo.compensation = Some(Compensation::parse(member.value()).ok()?),
                "values" => {
                    for value in Call::members(member.value()).ok()? {
                        undo.values.insert(value.key().to_owned(), Json::parse(value.value())?);
                    }
                }
                "own" => undo.own = serde_json::from_str(member.value()).ok()?,
                _ => return None,
            }
        }
        Some(undo)
    }
}

/// A call that another one undoes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoneCall {
    /// The id of the call that is undone.
    pub id: String,
    /// The kind of the called thing.
    pub kind: CallKind,
    /// The name of the called thing.
    pub name: String,
    /// Whether the tool itself takes the call back, and not another call.
    pub is_by_tool: bool,
}

/// Returns the id of the call that takes the call `id` back.
///
/// ```
/// assert_eq!(silcrow_plan::undo_id("write"), "write~undo");
/// ```
pub fn undo_id(id: &str) -> String {
    format!("{id}{UNDO_END}")
}

/// The end of the ids of calls that take others back. No other id ends like this.
pub(crate) const UNDO_END: &str = "~undo";
