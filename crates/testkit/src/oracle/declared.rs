//! The attributes of an action, in its tag and in its body: P-20.

use std::str::FromStr;
use std::time::Duration;

use serde::de::DeserializeOwned;
use silcrow_event::{Call, CallKind, CallMember, CallMode, Compensation, Json, OnError, mend_json};

use super::action::Action;
use super::body::{Body, repaired};
use super::tag::attributes;
use super::*;

/// The reason why an action does not become a call.
enum Wrong {
    /// Its body is not a call (P-9).
    Malformed,
    /// It violates P-20.
    InvalidAttributes,
}

impl<'a> Action<'a, '_> {
    /// Reads the action after its tag, up to its closing delimiter.
    pub(super) fn action(&mut self, tag: &str, at: usize) -> Option<Found<'a>> {
        let (at, fenced) = self.turn.open_fence(at);
        let body = self.turn.body(at);
        self.close(tag, at, &body);
        match body {
            Body::Closed(end) => self.others(end, fenced),
            Body::Malformed(end) | Body::Truncated(end) => {
                self.turn.next_delimiter(end, Section::Calls)
            }
        }
    }

    /// Reads the text after the object of an action: other objects fail (P-20).
    fn others(&mut self, mut end: usize, fenced: bool) -> Option<Found<'a>> {
        while let Some(at) = self.turn.another(end) {
            let body = self.turn.body(at);
            let id = self.next_id();
            self.taken.insert(id.clone());
            let truncated = matches!(body, Body::Truncated(_));
            let kind = if truncated {
                DiagnosticKind::TruncatedCall
            } else {
                DiagnosticKind::MalformedCall
            };
            self.turn.report(kind, at);
            self.turn.units.push(Unit::Bad { id, truncated });
            match body {
                Body::Closed(after) => end = after,
                Body::Malformed(after) | Body::Truncated(after) => {
                    return self.turn.next_delimiter(after, Section::Calls);
                }
            }
        }
        self.turn.tail(end, fenced)
    }

    fn close(&mut self, tag: &str, at: usize, body: &Body) {
        let (Body::Closed(end) | Body::Malformed(end) | Body::Truncated(end)) = *body;
        let text = &self.turn.wire[at..end];
        let mut mended = repaired(text);
        let is_call =
            |text: &str| !matches!(ActionParts::read(tag, text).call("a"), Err(Wrong::Malformed));
        let other = mend_json(text).filter(|_| !is_call(&mended));
        let is_mended = other.is_some();
        if let Some(other) = other {
            mended = other.json;
        }
        let written = ActionParts::read(tag, &mended);
        let wanted = written.word("id").ok().flatten().filter(|id| !id.is_empty());
        let free = wanted.clone().filter(|id| !self.taken.contains(id));
        let id = free.clone().unwrap_or_else(|| self.next_id());
        self.taken.insert(id.clone());
        let call = match body {
            Body::Truncated(_) => {
                self.turn.report(DiagnosticKind::TruncatedCall, at);
                self.turn.units.push(Unit::Bad { id, truncated: true });
                return self.act();
            }
            Body::Malformed(_) if !is_mended => Err(Wrong::Malformed),
            Body::Malformed(_) | Body::Closed(_) => written.call(&id),
        };
        if mended != text && !matches!(call, Err(Wrong::Malformed)) {
            self.turn.report(DiagnosticKind::Repaired, at);
        }
        match call {
            Ok(_) if wanted == free && self.elements.stop_actions() => {
                self.turn.report(DiagnosticKind::UnknownBlock, at);
                self.turn.units.push(Unit::Bad { id, truncated: false });
            }
            Ok(call) if wanted == free => {
                self.turn.units.push(Unit::Event(Event::Call(call)));
            }
            invalid => {
                if let Err(Wrong::Malformed) = invalid {
                    self.turn.say(TextKind::Malformed, at, text);
                }
                self.turn.report(DiagnosticKind::MalformedCall, at);
                self.turn.units.push(Unit::Bad { id, truncated: false });
            }
        }
        // Even an action that cannot run makes other text stray (P-21).
        self.act();
    }

    pub(super) fn next_id(&self) -> String {
        (1..).map(|n| format!("a{n}")).find(|id| !self.taken.contains(id)).unwrap_or_default()
    }
}

/// The attributes in the tag of an action, and the members of its body if that is a JSON object.
struct ActionParts<'a> {
    tag: Vec<(&'a str, &'a str)>,
    body: Option<Vec<(String, &'a str)>>,
}

impl<'a> ActionParts<'a> {
    fn read(tag: &'a str, body: &'a str) -> Self {
        let tag = attributes(tag, "<action").map(|(_, attributes)| attributes);
        let members = Call::members(body).ok();
        let plain = |member: CallMember<'a>| (member.key().to_owned(), member.value());
        let body = members.map(|members| members.into_iter().map(plain).collect());
        Self { tag: tag.unwrap_or_default(), body }
    }

    fn call(&self, id: &str) -> Result<Call, Wrong> {
        let malformed = |_| Wrong::Malformed;
        let name = self.string("name").map_err(malformed)?.ok_or(Wrong::Malformed)?;
        let args = self.args().ok_or(Wrong::Malformed)?;
        let content = format!("{{\"name\":{},\"args\":{args}}}", Json::string(&name));
        let call = Call::parse(id, content).map_err(|_| Wrong::Malformed)?;
        Ok(call.with_action(self.action()?))
    }

    /// Returns the arguments, unless they are given twice, or missing although there are members
    /// with keys of no action (P-9).
    fn args(&self) -> Option<&'a str> {
        let body = self.body.as_ref()?;
        let is_args = |key: &str| matches!(key, "args" | "arguments" | "parameters" | "input");
        let given: Vec<_> = body.iter().filter(|(key, _)| is_args(key)).collect();
        let known =
            "name type mode id depends_on output_key timeout retry on_error compensate show";
        let knows = |key: &str| known.split(' ').any(|known| known == key);
        match given[..] {
            [(_, "null")] => Some("{}"),
            [(_, args)] => Some(args),
            [] => body.iter().all(|(key, _)| is_args(key) || knows(key)).then_some("{}"),
            _ => None,
        }
    }

    fn action(&self) -> Result<silcrow_event::ActionAttributes, Wrong> {
        // It is checked, even though its value is not used.
        self.word("id")?;
        let mut depends_on = self.attribute("depends_on").map_or(Ok(vec![]), ids)?;
        let more = match self.member("depends_on")? {
            Some(list) if list.starts_with('"') => ids(&json::<String>(list)?)?,
            Some(array) => json(array)?,
            None => vec![],
        };
        depends_on.extend(more);
        let mut unique: Vec<String> = vec![];
        for id in depends_on {
            if !unique.contains(&id) {
                unique.push(id);
            }
        }
        let timeout = self.member("timeout")?.map(duration).transpose()?;
        Ok(silcrow_event::ActionAttributes {
            kind: one_of::<CallKind>(self.word("type")?)?.unwrap_or_default(),
            mode: one_of::<CallMode>(self.word("mode")?)?.unwrap_or_default(),
            depends_on: unique,
            output_key: self.string("output_key")?,
            timeout,
            retry: self.member("retry")?.map(json).transpose()?,
            on_error: one_of::<OnError>(self.string("on_error")?)?,
            compensate: self.compensation()?,
            show: self.is_shown()?,
            ..silcrow_event::ActionAttributes::default()
        })
    }

    /// Returns the call that takes this one back (P-32).
    fn compensation(&self) -> Result<Option<Box<Compensation>>, Wrong> {
        let Some(json) = self.member("compensate")? else { return Ok(None) };
        let parsed = Compensation::parse(json).map_err(|_| Wrong::InvalidAttributes)?;
        Ok(Some(Box::new(parsed)))
    }

    fn is_shown(&self) -> Result<bool, Wrong> {
        match (self.attribute("show"), self.member("show")?) {
            (Some("true"), _) | (None, Some("true" | "\"true\"")) => Ok(true),
            (Some("false"), _) | (None, None | Some("false" | "\"false\"")) => Ok(false),
            _ => Err(Wrong::InvalidAttributes),
        }
    }

    /// Returns the first value of an attribute (P-19).
    fn attribute(&self, name: &str) -> Option<&'a str> {
        self.tag.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Returns a member that is present and not null.
    fn member(&self, name: &str) -> Result<Option<&'a str>, Wrong> {
        let mut values = self.body.as_ref().ok_or(Wrong::Malformed)?.iter();
        let mut values = values.by_ref().filter(|(key, _)| key == name).map(|(_, json)| *json);
        let first = values.next().filter(|json| *json != "null");
        if values.next().is_some() { Err(Wrong::InvalidAttributes) } else { Ok(first) }
    }

    fn string(&self, name: &str) -> Result<Option<String>, Wrong> {
        self.member(name)?.map(json).transpose()
    }

    /// Returns a value from the tag; if it has none, from the body.
    fn word(&self, name: &str) -> Result<Option<String>, Wrong> {
        match self.attribute(name) {
            Some("") if name == "id" => self.string(name),
            Some(word) => Ok(Some(word.to_owned())),
            None => self.string(name),
        }
    }
}

fn one_of<T: FromStr>(word: Option<String>) -> Result<Option<T>, Wrong> {
    word.map(|word| word.parse().map_err(|_| Wrong::InvalidAttributes)).transpose()
}

/// Parses a JSON array, or a list with commas.
fn ids(list: &str) -> Result<Vec<String>, Wrong> {
    let list = list.trim_matches(is_white);
    if list.starts_with('[') {
        return json(list);
    }
    let ids = list.split(',').map(|id| id.trim_matches(is_white).to_owned());
    Ok(ids.filter(|id| !id.is_empty()).collect())
}

/// Reads seconds to the nearest nanosecond, by moving the decimal point in the text.
fn duration(number: &str) -> Result<Duration, Wrong> {
    json::<f64>(number)?;
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let is_zero = !mantissa.contains(|char: char| ('1'..='9').contains(&char));
    let mantissa = match mantissa.strip_prefix('-') {
        Some(_) if !is_zero => return Err(Wrong::InvalidAttributes),
        Some(zero) => zero,
        None => mantissa,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // No number has its first digit so far from the point.
    let far = mantissa.len() as i64 + 400;
    let exponent = exponent.parse::<i64>().map_or(-far, |exponent| exponent.clamp(-far, far));
    let zeros = "0".repeat(far as usize);
    let digits = format!("{zeros}{whole}{fraction}{zeros}0000000000");
    let point = (far + whole.len() as i64 + exponent) as usize;
    let Ok(seconds) = digits[..point].parse() else { return Ok(Duration::MAX) };
    let nanos: u64 = digits[point..point + 9].parse().map_err(|_| Wrong::InvalidAttributes)?;
    let up = u64::from(digits.as_bytes()[point + 9] >= b'5');
    Ok(Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos + up)))
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    serde_json::from_str(text).map_err(|_| Wrong::InvalidAttributes)
}
