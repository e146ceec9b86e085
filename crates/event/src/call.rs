//! Calls, and the text that they are read from.
//!
//! This module reads the JSON of a call's body.

use std::borrow::Cow;
use std::ops::Range;

use crate::action::ActionAttributes;
use crate::call_parse_error::{CallParseError, invalid, no_object, outside};
use crate::json::{Object, text};
use crate::opaque::OpaqueData;
use crate::scan;

/// A valid call that the model wrote. Its JSON is guaranteed to be a call (P-9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    id: String,
    content: String,
    name: String,
    args: Range<usize>,
    action: Option<Box<ActionAttributes>>,
    is_instance: bool,
    opaque: Option<Box<OpaqueData>>,
}

impl Call {
    /// Reads `content`, a JSON object `{"name": string, "args": object}`.
    ///
    /// The arguments may also be under one of the keys `arguments`, `parameters` and `input`. If
    /// they are null, or missing beside no member but the name, they are `{}`. Beside arguments,
    /// other members are ignored. The text is kept as it is.
    ///
    /// ```
    /// use silcrow_event::Call;
    ///
    /// // The arguments stay as they were written, white space and all.
    /// let call = Call::parse("a1", r#"{"name": "add", "input": { "a": 2 }}"#).unwrap();
    /// assert_eq!(call.args(), r#"{ "a": 2 }"#);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the reason, in words for the model, if the text is not such an object, if it is
    /// nested more than 128 levels deep, if the name is empty, or if the name or the arguments are
    /// given twice.
    pub fn parse(
        id: impl Into<String>,
        content: impl Into<String>,
    ) -> Result<Self, CallParseError> {
        let content = content.into();
        let (name, args) = read(&content)?;
        Ok(Self::from_parts(id.into(), content, name, args))
    }

    /// Reads a call of a log. Older logs have calls that [`parse`](Self::parse) rejects now.
    pub(crate) fn stored(
        id: impl Into<String>,
        content: impl Into<String>,
    ) -> Result<Self, CallParseError> {
        let content = content.into();
        let read = read(&content);
        let (name, args) = read.or_else(|why| read_stored(&content).ok_or(why))?;
        Ok(Self::from_parts(id.into(), content, name, args))
    }

    /// Creates a call of the tool `name`. `args` is an object; `None` is `{}`.
    ///
    /// ```
    /// use silcrow_event::Call;
    ///
    /// let call = Call::new("a1", "today", None)?;
    /// assert_eq!(call.content(), r#"{"name":"today","args":{}}"#);
    /// assert!(Call::new("a2", "", None).is_err());
    /// # Ok::<(), silcrow_event::CallParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the reason if the name is empty or `args` is not an object.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        args: Option<&CallMember<'_>>,
    ) -> Result<Self, CallParseError> {
        let (id, name) = (id.into(), name.into());
        if name.is_empty() {
            return Err(invalid("`name` is empty"));
        }
        let args = args.map_or("{}", CallMember::value);
        if !args.starts_with('{') {
            return Err(no_args(ARGS[0], args));
        }
        let mut content = String::with_capacity(name.len() + args.len() + 24);
        let mut object = Object::open(&mut content);
        object.string("name", &name);
        object.raw("args", args);
        object.close();
        let end = content.len() - 1;
        let args = end - args.len()..end;
        Ok(Self::from_parts(id, content, name, args))
    }

    const fn from_parts(id: String, content: String, name: String, args: Range<usize>) -> Self {
        Self { id, content, name, args, action: None, is_instance: false, opaque: None }
    }

    /// Returns the members of a call's body in order, including repeated ones.
    ///
    /// # Errors
    ///
    /// Returns the reason if the body is not one JSON object, nested at most 128 levels deep.
    pub fn members(body: &str) -> Result<Vec<CallMember<'_>>, CallParseError> {
        // The dialects name at most seven members; this leaves room for another.
        let mut members = Vec::with_capacity(8);
        let member = |key: Range<usize>, value: Range<usize>| {
            let key = text(&body[key]).unwrap_or_default();
            members.push(CallMember { key, value: &body[value] });
        };
        scan::object(body, member).ok_or_else(|| no_object(body))?;
        Ok(members)
    }

    /// Returns the arguments among the members of a body; `None` if they are missing or null. A
    /// dialect gives them `key`, but a model may also write one of the keys that
    /// [`parse`](Self::parse) accepts. `others` are all other keys of a body.
    ///
    /// # Errors
    ///
    /// Returns the reason if the arguments are given twice or are not an object, or if they are
    /// missing and there is a member with an unknown key, which probably belongs to them.
    pub fn find_args<'m, 'a>(
        members: &'m [CallMember<'a>],
        key: &str,
        others: &[&str],
    ) -> Result<Option<&'m CallMember<'a>>, CallParseError> {
        let mut given = members.iter().filter(|member| ARGS.contains(&member.key()));
        let args = given.next();
        if let (Some(one), Some(other)) = (args, given.next()) {
            return Err(invalid(given_twice(one.key(), other.key())));
        }
        let mut keys = members.iter().map(CallMember::key);
        let unknown = keys.find(|key| !others.contains(key) && !ARGS.contains(key));
        match (args, unknown) {
            (Some(args), _) if args.value().starts_with('{') => Ok(Some(args)),
            (Some(args), _) if args.value() == "null" => Ok(None),
            (Some(args), _) => Err(no_args(args.key(), args.value())),
            (None, Some(unknown)) => Err(outside(key, unknown)),
            (None, None) => Ok(None),
        }
    }

    /// Sets the attributes that the action dialect gives the call.
    #[must_use]
    pub fn with_action(self, action: ActionAttributes) -> Self {
        Self { action: Some(Box::new(action)), ..self }
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Marks the call as an instance of one in the body of a loop (P-30): the model did not write it
    /// for itself, and does not read it as its own text.
    #[must_use]
    pub fn as_instance(self) -> Self {
        Self { is_instance: true, ..self }
    }

    /// Sets the data that the vendor wants back with the call.
    #[must_use]
    pub fn with_opaque(self, opaque: Option<Box<OpaqueData>>) -> Self {
        Self { opaque, ..self }
    }

    /// Returns the data that the vendor wants back with the call.
    pub fn opaque(&self) -> Option<&OpaqueData> {
        self.opaque.as_deref()
    }

    /// Returns the id, which is unique within its turn.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the call as the model wrote it: a JSON object.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments as the model wrote them: a JSON object.
    pub fn args(&self) -> &str {
        let args = &self.content[self.args.clone()];
        if args.starts_with('{') { args } else { "{}" }
    }

    /// Returns the attributes of the action dialect, or `None` in the other dialects.
    pub fn action(&self) -> Option<&ActionAttributes> {
        self.action.as_deref()
    }

    /// Returns whether the call is an instance of one in the body of a loop.
    pub const fn is_instance(&self) -> bool {
        self.is_instance
    }
}

/// A call that cannot be run. Its result is a failure that gives the model the reason (P-9).
///
/// ```
/// use silcrow_event::{Call, InvalidCall};
///
/// let text = r#"{"tool":"ls"}"#;
/// let why = Call::parse("a1", text).unwrap_err().to_string();
/// let (id, text) = ("a1".to_owned(), text.to_owned());
/// let invalid = InvalidCall { id, why, truncated: false, text };
/// assert!(invalid.why.contains("`name`"), "{}", invalid.why);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct InvalidCall {
    /// The call's id, which is assigned like any other call's.
    pub id: String,
    /// The reason, in words for the model.
    pub why: String,
    /// Whether the body was cut off, by the end of the input or by a delimiter inside a string.
    pub truncated: bool,
    /// The text that a log keeps of the call: its body, or the beginning of a body that was cut
    /// off. It is empty if nothing was written.
    pub text: String,
}

/// A member of a call body.
#[derive(Clone, Debug)]
pub struct CallMember<'a> {
    key: Cow<'a, str>,
    value: &'a str,
}

impl<'a> CallMember<'a> {
    /// Returns the key, or an empty string if the key has an unpaired surrogate.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the value: JSON, as the model wrote it.
    pub fn value(&self) -> &'a str {
        self.value
    }

    /// Returns the characters of the value, or `None` if the value is not a string or has an
    /// unpaired surrogate.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        text(self.value)
    }
}

/// The keys under which a body may have its arguments.
const ARGS: [&str; 4] = ["args", "arguments", "parameters", "input"];

/// The positions of the members of a body that matter.
#[derive(Default)]
struct BodyMembers {
    name: Option<Range<usize>>,
    /// The arguments, and the key under which they are.
    args: Option<(&'static str, Range<usize>)>,
    /// The first member that no call has.
    unknown: Option<Range<usize>>,
    /// A member that is given twice, or the arguments under two keys.
    twice: Option<String>,
}

/// Returns the name, and the position of the arguments (P-9).
fn read(content: &str) -> Result<(String, Range<usize>), CallParseError> {
    let mut members = BodyMembers::default();
    let member = |key: Range<usize>, value| {
        let name = text(&content[key.clone()]);
        let alias = ARGS.into_iter().find(|alias| name.as_deref() == Some(alias));
        if let Some(alias) = alias {
            if let Some((other, _)) = members.args.replace((alias, value)) {
                members.twice = Some(given_twice(other, alias));
            }
        } else if name.as_deref() == Some("name") {
            if members.name.replace(value).is_some() {
                members.twice = Some(given_twice("name", "name"));
            }
        } else {
            members.unknown.get_or_insert(key);
        }
    };
    scan::object(content, member).ok_or_else(|| no_object(content))?;
    if let Some(twice) = members.twice {
        return Err(invalid(twice));
    }
    let name = name_in(content, members.name)?;
    let (key, args) = members.args.unwrap_or((ARGS[0], 0..0));
    match (content[args.clone()].as_bytes(), members.unknown) {
        ([b'{', ..] | b"null", _) | ([], None) => Ok((name, args)),
        ([], Some(unknown)) => Err(outside("args", content[unknown].trim_matches('"'))),
        _ => Err(no_args(key, &content[args])),
    }
}

/// Returns the name and the position of the arguments in a log, which may be older than the other
/// keys for arguments and then has any other member.
fn read_stored(content: &str) -> Option<(String, Range<usize>)> {
    let (mut name, mut args) = (None, 0..0);
    let member = |key: Range<usize>, value| match text(&content[key]).as_deref() {
        Some("name") => name = Some(value),
        Some("args") => args = value,
        _ => {}
    };
    scan::object(content, member)?;
    let is_args = matches!(content[args.clone()].as_bytes(), [] | [b'{', ..] | b"null");
    name_in(content, name).ok().filter(|_| is_args).map(|name| (name, args))
}

fn name_in(content: &str, at: Option<Range<usize>>) -> Result<String, CallParseError> {
    let name = at.ok_or_else(|| invalid("`name` is missing"))?;
    let name = text(&content[name]).ok_or_else(|| invalid("`name` is not a string"))?;
    if name.is_empty() { Err(invalid("`name` is empty")) } else { Ok(name.into_owned()) }
}

fn given_twice(one: &str, other: &str) -> String {
    if one == other {
        format!("`{one}` is given twice")
    } else {
        format!("`{one}` and `{other}` are both given; write only one of them")
    }
}

/// Returns the reason why arguments that are not an object are not accepted.
#[cold]
fn no_args(key: &str, value: &str) -> CallParseError {
    match text(value) {
        Some(text) if text.trim_start().starts_with('{') => {
            invalid(format!("`{key}` is a string; write the object itself, without quotes"))
        }
        _ => invalid(format!("`{key}` is not a JSON object")),
    }
}
