//! Follows the JSON of a call as it is written: its end, its name, its id and its arguments.
//!
//! This module reads brackets, strings and the members of the outer object. `silcrow-event` judges
//! whether the whole is JSON.

use std::ops::Range;

use silcrow_event::Call;

use crate::body::BodyContext;
use crate::call_sink::CallSink;
use crate::python_literal;

/// The members in which an object has the name and the arguments of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKeys {
    /// In members with names.
    Named,
    /// In members with names, and the object is written as in Python.
    Python,
    /// The name is the key of the only member, and the arguments are its value.
    NameIsKey,
}

/// The state of one object.
#[derive(Debug)]
pub(crate) struct ObjectTracker {
    keys: CallKeys,
    /// Whether the object is the arguments.
    is_arguments: bool,
    text: String,
    depth: u32,
    quote: Option<char>,
    is_escaped: bool,
    member: MemberState,
    /// The key of the open member.
    key: Range<usize>,
    /// The position at which the open string or value begins.
    start: usize,
    /// Whether the arguments are being copied.
    is_copying: bool,
    has_arguments: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberState {
    Key,
    Colon,
    /// Before the value.
    Value,
    InValue,
    After,
}

impl ObjectTracker {
    pub(crate) fn new(keys: CallKeys) -> Self {
        Self {
            keys,
            is_arguments: false,
            text: String::new(),
            depth: 0,
            quote: None,
            is_escaped: false,
            member: MemberState::Key,
            key: 0..0,
            start: 0,
            is_copying: false,
            has_arguments: false,
        }
    }

    /// Begins an object.
    pub(crate) fn begin(&mut self, is_arguments: bool) {
        let text = std::mem::take(&mut self.text);
        *self = Self { is_arguments, is_copying: is_arguments, text, ..Self::new(self.keys) };
        self.text.clear();
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns whether it is in a string. Single quotes protect nothing in JSON.
    pub(crate) fn is_in_string(&self) -> bool {
        self.quote == Some('"') || (self.quote.is_some() && self.keys == CallKeys::Python)
    }

    pub(crate) fn has_whole_arguments(&self) -> bool {
        self.has_arguments
    }

    /// Returns whether a character continues with a key that may turn out to be other text.
    pub(crate) fn is_bare_key(&self, character: char) -> bool {
        character == '_' || character.is_ascii_alphanumeric()
    }

    /// Returns whether a character makes it certain that the brace begins an object.
    pub(crate) fn is_certain(&self, character: char) -> bool {
        if self.has_bare() { character == ':' } else { matches!(character, '"' | '\'' | '}') }
    }

    fn has_bare(&self) -> bool {
        self.text.len() > 1 && !self.text[1..].trim().is_empty()
    }

    /// Takes plain characters of a string, and returns their length.
    pub(crate) fn run(&mut self, text: &str, sink: &mut CallSink) -> usize {
        if !self.is_in_string() || self.is_escaped {
            return 0;
        }
        let quote = if self.quote == Some('"') { b'"' } else { b'\'' };
        let end = memchr::memchr2(quote, b'\\', text.as_bytes()).unwrap_or(text.len());
        self.text.push_str(&text[..end]);
        if self.is_copying {
            sink.args.push_str(&text[..end]);
        }
        end
    }

    /// Takes a character that belongs to no JSON.
    pub(crate) fn junk(&mut self, character: char, sink: &mut CallSink) {
        self.push(character, sink);
    }

    /// Takes a character, and returns whether it ends the object.
    pub(crate) fn step(&mut self, character: char, sink: &mut CallSink) -> bool {
        if let Some(quote) = self.quote {
            self.push(character, sink);
            if std::mem::take(&mut self.is_escaped) {
                return false;
            }
            if character == '\\' {
                self.is_escaped = true;
            } else if character == quote {
                self.quote = None;
                if self.depth == 1 {
                    self.end_string(sink);
                }
            }
            return false;
        }
        let at = self.text.len();
        match character {
            '"' | '\'' => {
                self.quote = Some(character);
                if self.depth == 1 {
                    self.begin_value(at, false, sink);
                    self.start = at;
                }
            }
            '{' | '[' => {
                if self.depth == 1 {
                    self.begin_value(at, character == '{', sink);
                }
                self.depth += 1;
            }
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.push(character, sink);
                if self.depth == 1 {
                    self.end_value(sink);
                } else if self.depth == 0 {
                    if self.member == MemberState::InValue {
                        self.end_value(sink);
                    }
                    return true;
                }
                return false;
            }
            ':' if self.depth == 1 && self.member == MemberState::Colon => {
                self.member = MemberState::Value;
            }
            ',' if self.depth == 1 => self.member = MemberState::Key,
            _ if self.depth == 1 && !character.is_whitespace() => self.begin_value(at, false, sink),
            _ => {}
        }
        self.push(character, sink);
        false
    }

    fn push(&mut self, character: char, sink: &mut CallSink) {
        self.text.push(character);
        if self.is_copying {
            sink.args.push(character);
        }
    }

    fn begin_value(&mut self, at: usize, is_object: bool, sink: &mut CallSink) {
        if self.is_arguments || self.member != MemberState::Value {
            return;
        }
        self.member = MemberState::InValue;
        self.start = at;
        if is_object
            && self.is_arguments_key()
            && !self.has_arguments
            && self.keys != CallKeys::Python
        {
            sink.args.clear();
            self.is_copying = true;
        }
    }

    fn end_string(&mut self, sink: &mut CallSink) {
        if self.is_arguments {
            return;
        }
        match self.member {
            MemberState::Key => {
                self.key = self.start + 1..self.text.len() - 1;
                self.member = MemberState::Colon;
                if self.keys == CallKeys::NameIsKey {
                    let key = self.text[self.start..].to_owned();
                    decode(&key, &mut sink.name);
                }
            }
            MemberState::InValue => self.end_value(sink),
            _ => {}
        }
    }

    fn end_value(&mut self, sink: &mut CallSink) {
        if self.is_arguments || self.member != MemberState::InValue {
            return;
        }
        self.member = MemberState::After;
        let value = self.text[self.start..].to_owned();
        if std::mem::take(&mut self.is_copying) {
            self.has_arguments = true;
        } else if NAMES.contains(&&self.text[self.key.clone()]) {
            decode(&value, &mut sink.name);
        } else if IDS.contains(&&self.text[self.key.clone()]) {
            let mut id = String::new();
            decode(&value, &mut id);
            sink.id = Some(id).filter(|id| !id.is_empty());
        } else if self.is_arguments_key() && !self.has_arguments && value.starts_with('"') {
            let mut inner = String::new();
            decode(&value, &mut inner);
            if inner.trim_start().starts_with('{') {
                sink.args = inner.trim().to_owned();
                self.has_arguments = true;
            }
        }
    }

    fn is_arguments_key(&self) -> bool {
        self.keys == CallKeys::NameIsKey || ARGUMENTS.contains(&&self.text[self.key.clone()])
    }

    /// Ends the object's call. Returns whether it is one. An unmarked object is one only if it has
    /// arguments.
    pub(crate) fn complete(&mut self, context: &mut BodyContext<'_, '_>, unmarked: bool) -> bool {
        let python =
            if self.keys == CallKeys::Python { python_literal::literal(&self.text) } else { None };
        let text = python.as_deref().unwrap_or(&self.text);
        let read = read(text, self.keys).and_then(|(name, args, id)| {
            let has_arguments = args.is_some() || !unmarked;
            has_arguments
                .then_some((name, args, id))
                .ok_or_else(|| "`arguments` is missing".to_owned())
        });
        let sink = &mut *context.sink;
        match read {
            Ok((name, args, id)) => {
                sink.name = name;
                sink.id = id;
                let args = args.unwrap_or_else(|| "{}".to_owned());
                if sink.args != args {
                    sink.args.clone_from(&args);
                }
                sink.complete(context.emit)
            }
            Err(_) if unmarked => false,
            Err(why) => {
                sink.fail(&why, false, text, context.emit);
                false
            }
        }
    }
}

/// The name, the arguments and the id of a call.
type ReadCall = (String, Option<String>, Option<String>);

/// Reads a whole object.
fn read(text: &str, keys: CallKeys) -> Result<ReadCall, String> {
    let members = Call::members(text).map_err(|error| error.to_string())?;
    if keys == CallKeys::NameIsKey {
        return match &members[..] {
            [one] => Ok((one.key().to_owned(), Some(one.value().to_owned()), None)),
            _ => Err("the object has to have one member, whose key is the name".to_owned()),
        };
    }
    let one_of = |names: &[&str]| {
        let mut given = members.iter().filter(|member| names.contains(&member.key()));
        match (given.next(), given.next()) {
            (Some(one), Some(other)) => {
                Err(format!("`{}` and `{}` are both given", one.key(), other.key()))
            }
            (one, _) => Ok(one),
        }
    };
    let name = one_of(NAMES)?.ok_or("`name` is missing")?.text().ok_or("`name` is not a string")?;
    let id = one_of(IDS)?.and_then(|id| id.text()).map(|id| id.into_owned());
    let args = match one_of(ARGUMENTS)? {
        Some(args) if args.value() == "null" => None,
        Some(args) => Some(
            args.text().map_or_else(|| args.value().to_owned(), |inner| inner.trim().to_owned()),
        ),
        None => None,
    };
    if args.as_ref().is_some_and(|args| !args.starts_with('{')) {
        return Err("`arguments` is not a JSON object".to_owned());
    }
    Ok((name.into_owned(), args, id))
}

/// Replaces a text by the characters of a JSON string.
fn decode(value: &str, out: &mut String) {
    out.clear();
    if let Ok(text) = serde_json::from_str::<String>(value) {
        out.push_str(&text);
    }
}

const NAMES: &[&str] = &["name", "tool_name"];
const ARGUMENTS: &[&str] = &["arguments", "parameters", "args"];
const IDS: &[&str] = &["id", "tool_call_id"];
