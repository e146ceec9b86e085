//! The dialect `action`: the effects of its delimiters, the call of an action, and its writer.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallKind, CallMember, CallMode, Compensation, Event, Json,
    OnError, Seconds, TextKind, UnknownWord,
};
use silcrow_lex::{Delimiter, Dialect, MAX_TAG, Options};

use crate::block_tag::write_mark;
use crate::escape::{escape, trim};
use crate::pending_tag::PendingTag;
use crate::rejected_call::RejectedCall;
use crate::section::DelimiterEffect;

/// Returns the effect of a delimiter (P-19). `in_thought` is whether a thought is open, possibly
/// around an action.
pub(crate) fn effect(
    delimiter: Delimiter,
    tag: Option<&PendingTag>,
    in_thought: bool,
) -> DelimiterEffect {
    match delimiter {
        Delimiter::Think => DelimiterEffect::Text(TextKind::Think),
        Delimiter::Call => DelimiterEffect::Call,
        // After an action inside a thought, the thought continues.
        Delimiter::CallEnd if in_thought => DelimiterEffect::Text(TextKind::Think),
        Delimiter::Respond => {
            let last = tag.and_then(|tag| tag.attribute("final")) != Some("false");
            DelimiterEffect::Text(TextKind::Respond { last })
        }
        Delimiter::Results => DelimiterEffect::ForgedResults,
        _ => DelimiterEffect::Outside,
    }
}

/// Parses the call of an action (P-20). Its id is empty if the model wrote none.
pub(crate) fn call(tag: &PendingTag, body: &str) -> Result<Call, RejectedCall> {
    let malformed = |why: &dyn fmt::Display| RejectedCall::malformed(why, id_in(tag));
    let body = ActionBody { members: Call::members(body).map_err(|why| malformed(&why))? };
    let id = body.id(tag);
    let call = body.call().map_err(|why| {
        // A malformed call keeps its id, because others may depend on it (P-9).
        RejectedCall::malformed(&why, id.clone().unwrap_or_else(|_| id_in(tag)))
    })?;
    // The body is a call's, so an error in its attributes does not make it text.
    let id = id.map_err(|why| RejectedCall::call(why, id_in(tag)))?;
    let action = body.action(tag).map_err(|why| RejectedCall::call(why, id.clone()))?;
    Ok(call.with_id(id).with_action(action))
}

/// Returns the id in a tag, or an empty string.
pub(crate) fn id_in(tag: &PendingTag) -> String {
    tag.attribute("id").unwrap_or_default().to_owned()
}

/// The keys of an action's body besides its parameters (P-20).
const MEMBERS: [&str; 11] = [
    "name",
    "type",
    "mode",
    "id",
    "depends_on",
    "output_key",
    "timeout",
    "retry",
    "on_error",
    "compensate",
    "show",
];

/// The members of an action's body.
struct ActionBody<'a> {
    members: Vec<CallMember<'a>>,
}

impl ActionBody<'_> {
    /// Returns the call in the form of events, `{"name":…,"args":…}`. The arguments remain the
    /// model's own bytes.
    fn call(&self) -> Result<Call, String> {
        let name = self.text("name")?.ok_or("`name` is missing")?;
        let args = Call::find_args(&self.members, "parameters", &MEMBERS);
        let args = args.map_err(|why| why.to_string())?;
        Call::new("", name, args).map_err(|why| why.to_string())
    }

    fn id(&self, tag: &PendingTag) -> Result<String, String> {
        let id = id_in(tag);
        if id.is_empty() { Ok(self.text("id")?.unwrap_or_default().into_owned()) } else { Ok(id) }
    }

    fn action(&self, tag: &PendingTag) -> Result<ActionAttributes, String> {
        let word = |key: &str| match tag.attribute(key) {
            Some(word) => Ok(Some(Cow::Borrowed(word))),
            None => self.text(key),
        };
        let kind: Option<CallKind> = known(word("type")?, "type")?;
        let mode: Option<CallMode> = known(word("mode")?, "mode")?;
        let on_error: Option<OnError> = known(self.text("on_error")?, "on_error")?;
        let timeout: Option<Seconds> = self.number("timeout", "a number of seconds")?;
        let retry = self.number("retry", "a count of extra attempts")?;
        let mut depends_on = ids(tag.attribute("depends_on").unwrap_or_default())?;
        depends_on.extend(match self.value("depends_on")? {
            Some(array) if array.starts_with('[') => ids(array)?,
            _ => ids(&self.text("depends_on")?.unwrap_or_default())?,
        });
        let mut seen = HashSet::new();
        depends_on.retain(|id| seen.insert(id.clone()));
        Ok(ActionAttributes {
            kind: kind.unwrap_or_default(),
            mode: mode.unwrap_or_default(),
            depends_on,
            output_key: self.text("output_key")?.map(Cow::into_owned),
            timeout: timeout.map(|Seconds(duration)| duration),
            retry,
            on_error,
            compensate: self.compensation()?,
            show: self.is_shown(tag)?,
            ..ActionAttributes::default()
        })
    }

    /// Returns the call that takes this one back (P-32).
    fn compensation(&self) -> Result<Option<Box<Compensation>>, String> {
        let parsed = self.value("compensate")?.map(Compensation::parse).transpose();
        parsed.map(|it| it.map(Box::new)).map_err(|why| format!("`compensate`: {why}"))
    }

    /// Returns whether the model reads the output in any case.
    fn is_shown(&self, tag: &PendingTag) -> Result<bool, String> {
        let body = self.value("show")?.map(|value| value.trim_matches('"'));
        match tag.attribute("show").or(body) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err("`show` is neither true nor false".to_owned()),
        }
    }

    /// Returns a member; `None` if it is missing or null.
    fn member(&self, key: &str) -> Result<Option<&CallMember<'_>>, String> {
        let mut members = self.members.iter().filter(|member| member.key() == key);
        let member = members.next().filter(|member| member.value() != "null");
        if members.next().is_some() {
            return Err(format!("`{key}` is given twice"));
        }
        Ok(member)
    }

    /// Returns the value of a member as it is written.
    fn value(&self, key: &str) -> Result<Option<&str>, String> {
        Ok(self.member(key)?.map(CallMember::value))
    }

    /// Parses a number from the text itself, without loss of precision.
    fn number<T: FromStr>(&self, key: &str, what: &str) -> Result<Option<T>, String> {
        let number = self.value(key)?.map(T::from_str).transpose();
        number.map_err(|_| format!("`{key}` is not {what}"))
    }

    fn text(&self, key: &str) -> Result<Option<Cow<'_, str>>, String> {
        let not_text = || format!("`{key}` is not a string");
        self.member(key)?.map(|member| member.text().ok_or_else(not_text)).transpose()
    }
}

/// Parses one of a closed set of words.
fn known<T: FromStr<Err = UnknownWord>>(
    word: Option<Cow<'_, str>>,
    what: &str,
) -> Result<Option<T>, String> {
    let Some(word) = word else { return Ok(None) };
    word.parse().map(Some).map_err(|unknown: UnknownWord| {
        let words = unknown.words().join(", ");
        format!("`{what}` is unknown: `{word}`; use one of {words}")
    })
}

/// Parses ids from a JSON array, or from a list with commas.
fn ids(written: &str) -> Result<Vec<String>, String> {
    let written = trim(written);
    if written.starts_with('[') {
        let not_ids = |_| "`depends_on` is not an array of ids".to_owned();
        return serde_json::from_str(written).map_err(not_ids);
    }
    let ids = written.split(',').map(trim).filter(|id| !id.is_empty());
    Ok(ids.map(str::to_owned).collect())
}

/// Writes `<thought>…</thought>`, `<action …>{…}</action>` and `<response>…</response>`, each on a
/// line.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out = String::new();
    let mut open_blocks = Vec::new();
    for event in events {
        let is_written =
            matches!(event, Event::Think(_) | Event::Respond(_) | Event::Call(_) | Event::Block(_));
        if !out.is_empty() && is_written {
            out.push('\n');
        }
        match event {
            Event::Think(think) => {
                out.push_str(literal(Delimiter::Think));
                escape(&think.content, Delimiter::Think, options, &mut out);
                close(Delimiter::ThinkEnd, &mut out);
            }
            Event::Respond(respond) if let Some(id) = &respond.malformed => {
                write_malformed(id, &respond.content, &mut out);
            }
            Event::Respond(respond) => {
                let open = if respond.last { literal(Delimiter::Respond) } else { NOT_FINAL };
                out.push_str(open);
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Delimiter::Respond, options, &mut out);
                close(Delimiter::RespondEnd, &mut out);
            }
            Event::Call(call) | Event::Block(BlockMark::Template(call)) => {
                write_call(call, &mut out);
            }
            Event::Block(mark) => write_mark(mark, &mut open_blocks, &mut out),
            _ => {}
        }
    }
    out
}

const NOT_FINAL: &str = "<response final=\"false\">";

fn literal(delimiter: Delimiter) -> &'static str {
    Dialect::Action.literal(delimiter)
}

/// Writes a closing tag on its own line (P-4).
fn close(delimiter: Delimiter, out: &mut String) {
    out.push('\n');
    out.push_str(literal(delimiter));
}

/// Writes an action. Its id is in the tag if it fits there, and otherwise in the body.
fn write_call(call: &Call, out: &mut String) {
    let default = ActionAttributes::default();
    let action = call.action().unwrap_or(&default);
    out.push_str(literal(Delimiter::Call).trim_end_matches('>'));
    attribute("type", action.kind.as_str(), '"', out);
    attribute("mode", action.mode.as_str(), '"', out);
    let quote = quote(call.id());
    if let Some(quote) = quote {
        attribute("id", call.id(), quote, out);
    }
    out.push_str(">{");
    member("name", Json::string(call.name()).as_str(), out);
    out.push(',');
    member("parameters", call.args(), out);
    let id = (quote.is_none() && !call.id().is_empty()).then(|| Json::string(call.id()));
    let depends_on: Vec<_> =
        action.depends_on.iter().map(|id| Json::string(id).to_string()).collect();
    let depends_on = (!depends_on.is_empty()).then(|| format!("[{}]", depends_on.join(",")));
    let fields = [
        ("id", id.map(|id| id.to_string())),
        ("output_key", action.output_key.as_ref().map(|key| Json::string(key).to_string())),
        ("depends_on", depends_on),
        ("timeout", action.timeout.map(|duration| Seconds(duration).to_string())),
        ("retry", action.retry.map(|count| count.to_string())),
        ("on_error", action.on_error.map(|policy| Json::string(policy.as_str()).to_string())),
        ("compensate", action.compensate.as_ref().map(|undo| undo.to_json())),
        ("show", action.show.then(|| "true".to_owned())),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            out.push(',');
            member(key, &value, out);
        }
    }
    out.push('}');
    out.push_str(literal(Delimiter::CallEnd));
}

/// Writes the text of a malformed action between its tags.
fn write_malformed(id: &str, body: &str, out: &mut String) {
    out.push_str(literal(Delimiter::Call).trim_end_matches('>'));
    if let Some(quote) = quote(id) {
        attribute("id", id, quote, out);
    }
    out.push('>');
    out.push_str(trim(body));
    out.push_str(literal(Delimiter::CallEnd));
}

fn attribute(name: &str, value: &str, quote: char, out: &mut String) {
    for piece in [" ", name, "="] {
        out.push_str(piece);
    }
    out.push(quote);
    out.push_str(value);
    out.push(quote);
}

fn member(key: &str, json: &str, out: &mut String) {
    for piece in ["\"", key, "\":", json] {
        out.push_str(piece);
    }
}

/// Returns the quote that an id can be written in (P-19), if there is one.
fn quote(id: &str) -> Option<char> {
    let fits = !id.is_empty() && id.len() <= MAX_TAG / 2 && !id.contains('<');
    ['"', '\''].into_iter().find(|&quote| fits && !id.contains(quote))
}
