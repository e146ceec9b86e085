use std::fmt;
use std::ops::Range;

use serde_json::value::RawValue;

use crate::action::Action;

/// A call that the model wrote and that can be run: it cannot exist unless its JSON is a call
/// (P-9).
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    id: String,
    content: String,
    name: String,
    args: Range<usize>,
    action: Option<Box<Action>>,
}

impl Call {
    /// Reads `content`, a JSON object `{"name": string, "args": object}`.
    ///
    /// `args` missing or null is `{}`; other members are ignored. The text is kept as it is.
    pub fn parse(id: impl Into<String>, content: impl Into<String>) -> Result<Self, Invalid> {
        let content = content.into();
        let (name, args) = read(&content)?;
        Ok(Self { id: id.into(), content, name, args, action: None })
    }

    /// The members of a call body in order, also repeated ones: keys, and the model's own bytes of
    /// the values. The body is one JSON object, nested 128 deep at most.
    pub fn members(body: &str) -> Result<Vec<(String, &str)>, Invalid> {
        Members::of(body)?.map(|member| member.map(|(key, value)| (key, &body[value]))).collect()
    }

    /// The same call with what the action dialect says of it.
    #[must_use]
    pub fn with_action(self, action: Action) -> Self {
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
    pub fn action(&self) -> Option<&Action> {
        self.action.as_deref()
    }
}

/// A call that cannot be run. Its place in the results holds a failure that tells the model why
/// (P-9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCall {
    /// Taken like any other call's.
    pub id: String,
    /// What was wrong, for the model.
    pub why: String,
    /// The body was cut off: by the end of the input, or by a marker inside one of its strings.
    pub truncated: bool,
}

/// Why a text is no call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(String);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Invalid {}

/// Containers inside each other; JSON readers below us stop there too.
const MAX_DEPTH: usize = 128;

fn read(content: &str) -> Result<(String, Range<usize>), Invalid> {
    let mut name = None;
    let mut args = None;
    for member in Members::of(content)? {
        let (key, value) = member?;
        let text = &content[value.clone()];
        match key.as_str() {
            "name" => {
                let read = serde_json::from_str::<String>(text)
                    .map_err(|_| invalid("`name` is not a string"))?;
                if name.replace(read).is_some() {
                    return Err(invalid("`name` is given twice"));
                }
            }
            "args" => {
                if !text.starts_with('{') && text != "null" {
                    return Err(invalid("`args` is not a JSON object"));
                }
                if args.replace(value).is_some() {
                    return Err(invalid("`args` is given twice"));
                }
            }
            _ => {}
        }
    }
    let name = name.ok_or_else(|| invalid("`name` is missing"))?;
    if name.is_empty() {
        return Err(invalid("`name` is empty"));
    }
    Ok((name, args.unwrap_or(0..0)))
}

fn invalid(why: impl Into<String>) -> Invalid {
    Invalid(why.into())
}

/// The members of one valid JSON object: key and place of the value.
struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Members<'a> {
    fn of(text: &'a str) -> Result<Self, Invalid> {
        if text.trim().is_empty() {
            return Err(invalid("the body is empty; write a JSON object with a `name`"));
        }
        serde_json::from_str::<&RawValue>(text)
            .map_err(|error| invalid(format!("the body is not valid JSON: {error}")))?;
        let object = text.trim_start();
        if !object.starts_with('{') {
            return Err(invalid("the body is not a JSON object; write one with a `name`"));
        }
        Ok(Self { text, at: text.len() - object.len() + 1 })
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, drop: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&drop) {
            self.at += 1;
        }
    }

    /// Moves behind the string that begins here.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        start..self.at
    }

    /// Moves behind the value that begins here.
    fn value(&mut self) -> Result<Range<usize>, Invalid> {
        let start = self.at;
        let mut depth = 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 1 => break,
                b'}' | b']' => depth -= 1,
                b',' if depth == 1 => break,
                _ => {}
            }
            if depth > MAX_DEPTH {
                return Err(invalid(format!("the body is nested deeper than {MAX_DEPTH}")));
            }
            self.at += 1;
        }
        let end = start + self.text[start..self.at].trim_end().len();
        Ok(start..end)
    }
}

impl Iterator for Members<'_> {
    type Item = Result<(String, Range<usize>), Invalid>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| byte != b'"' && byte != b'}');
        if self.byte() != Some(b'"') {
            return None;
        }
        let key = self.string();
        // A key with half a surrogate pair is no word of ours.
        let key = serde_json::from_str(&self.text[key]).unwrap_or_default();
        self.skip(|byte| byte != b':');
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        Some(self.value().map(|value| (key, value)))
    }
}
