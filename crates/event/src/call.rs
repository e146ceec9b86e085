use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_json::value::RawValue;

use crate::action::ActionAttributes;
use crate::json::Object;
use crate::scan;

/// A call that the model wrote and that can be run: it cannot exist unless its JSON is a call
/// (P-9).
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    id: String,
    content: String,
    name: String,
    args: Range<usize>,
    action: Option<Box<ActionAttributes>>,
}

impl Call {
    /// Reads `content`, a JSON object `{"name": string, "args": object}`.
    ///
    /// `args` missing or null is `{}`; other members are ignored. The text is kept as it is.
    pub fn parse(
        id: impl Into<String>,
        content: impl Into<String>,
    ) -> Result<Self, CallParseError> {
        let content = content.into();
        let (name, args) = read(&content)?;
        Ok(Self { id: id.into(), content, name, args, action: None })
    }

    /// A call of the tool `name`. `args` is an object; where it is missing, it is `{}`.
    pub fn of(
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
            return Err(invalid("`args` is not a JSON object"));
        }
        let mut content = String::with_capacity(name.len() + args.len() + 24);
        let mut object = Object::open(&mut content);
        object.string("name", &name);
        object.raw("args", args);
        object.close();
        let end = content.len() - 1;
        Ok(Self { id, content, name, args: end - args.len()..end, action: None })
    }

    /// The members of a call body in order, also repeated ones. The body is one JSON object, nested
    /// 128 deep at most.
    pub fn members(body: &str) -> Result<Vec<CallMember<'_>>, CallParseError> {
        // As many as the dialects name, and one.
        let mut members = Vec::with_capacity(8);
        let member = |key: Range<usize>, value: Range<usize>| {
            let key = text(&body[key]).unwrap_or_default();
            members.push(CallMember { key, value: &body[value] });
        };
        scan::object(body, member).ok_or_else(|| no_object(body))?;
        Ok(members)
    }

    /// The same call with what the action dialect says of it.
    #[must_use]
    pub fn with_action(self, action: ActionAttributes) -> Self {
        Self { action: Some(Box::new(action)), ..self }
    }

    /// The same call under another id.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Unique within its turn.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The call as the model wrote it: a JSON object.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model's own bytes of the arguments: a JSON object.
    pub fn args(&self) -> &str {
        let args = &self.content[self.args.clone()];
        if args.starts_with('{') { args } else { "{}" }
    }

    /// What the action dialect says of it; `None` in the other dialects.
    pub fn action(&self) -> Option<&ActionAttributes> {
        self.action.as_deref()
    }
}

/// A call that cannot be run. Its place in the results holds a failure that tells the model why
/// (P-9).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct InvalidCall {
    /// Taken like any other call's.
    pub id: String,
    /// What was wrong, for the model.
    pub why: String,
    /// The body was cut off: by the end of the input, or by a delimiter inside one of its strings.
    pub truncated: bool,
}

/// Why a text is no call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallParseError(String);

impl fmt::Display for CallParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CallParseError {}

/// A member of a call body.
#[derive(Clone, Debug)]
pub struct CallMember<'a> {
    key: Cow<'a, str>,
    value: &'a str,
}

impl<'a> CallMember<'a> {
    /// Its key. One that holds half a surrogate pair is empty: it is no word of ours.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Its value: JSON, as the model wrote it.
    pub fn value(&self) -> &'a str {
        self.value
    }

    /// The characters of its value, if that is a string; `None` too if it holds half a surrogate
    /// pair.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        text(self.value)
    }
}

/// Name and place of the arguments.
fn read(content: &str) -> Result<(String, Range<usize>), CallParseError> {
    let (mut name, mut args, mut twice) = (None, None, None);
    let member = |key: Range<usize>, value| {
        let (seen, key) = match text(&content[key]).as_deref() {
            Some("name") => (&mut name, "name"),
            Some("args") => (&mut args, "args"),
            _ => return,
        };
        if seen.replace(value).is_some() {
            twice = Some(key);
        }
    };
    scan::object(content, member).ok_or_else(|| no_object(content))?;
    if let Some(key) = twice {
        return Err(invalid(format!("`{key}` is given twice")));
    }
    let name = name.ok_or_else(|| invalid("`name` is missing"))?;
    let name = text(&content[name]).ok_or_else(|| invalid("`name` is not a string"))?;
    if name.is_empty() {
        return Err(invalid("`name` is empty"));
    }
    let args = args.unwrap_or_default();
    match content[args.clone()].as_bytes() {
        [] | [b'{', ..] | b"null" => Ok((name.into_owned(), args)),
        _ => Err(invalid("`args` is not a JSON object")),
    }
}

/// The characters of a JSON string; `None` for another value, and for one that holds half a
/// surrogate pair.
fn text(json: &str) -> Option<Cow<'_, str>> {
    let plain = json.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') { serde_json::from_str(json).ok() } else { Some(Cow::Borrowed(plain)) }
}

/// Why a text is not the object that a body has to be.
#[cold]
fn no_object(text: &str) -> CallParseError {
    if text.trim().is_empty() {
        return invalid("the body is empty; write a JSON object with a `name`");
    }
    match serde_json::from_str::<&RawValue>(text) {
        Err(error) => invalid(format!("the body is not valid JSON: {error}")),
        Ok(_) if text.trim_start().starts_with('{') => {
            invalid(format!("the body is nested deeper than {}", scan::MAX_DEPTH))
        }
        Ok(_) => invalid("the body is not a JSON object; write one with a `name`"),
    }
}

fn invalid(why: impl Into<String>) -> CallParseError {
    CallParseError(why.into())
}
