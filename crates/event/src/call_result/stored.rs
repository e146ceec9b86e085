//! The JSON of a single result.

use super::{CallResult, KeptValue, ResultOrigin, ResultPayload};
use crate::content::Content;
use crate::control_block::ControlKind;
use crate::fields::Fields;
use crate::json::{Json, Object};
use crate::result_status::ResultStatus;
use crate::truncation::Truncation;

impl CallResult {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        if let Some(id) = &self.id {
            to.string("id", id);
        }
        let has_value = self.payload.as_ref().is_some_and(|payload| payload.value.is_none());
        self.content.write(has_value, to);
        if let Some(payload) = &self.payload {
            to.object("payload", |to| payload.write(&self.content, to));
        }
    }

    pub(crate) fn write_status(&self, to: &mut Object<'_>) {
        if let Some(id) = self.told_id() {
            to.string("id", id);
        }
        to.maybe_string("tool", self.tool());
        to.string("status", self.status().as_str());
        let outcome = self.payload.as_ref().map(|payload| &*payload.summary);
        if let Some(outcome) = outcome.filter(|text| !text.is_empty() && self.content != **text) {
            to.string("outcome", outcome);
        }
        write_beside(to, self.origin(), self.notices());
    }

    /// Returns the id if the model has to read it: its position does not say which item of a loop a
    /// result is about, or that it is the result of a block.
    fn told_id(&self) -> Option<&str> {
        let is_block = self.tool().is_some_and(|tool| ControlKind::WORDS.contains(&tool));
        self.id.as_deref().filter(|id| is_block || id.contains("]."))
    }

    /// Reads a result with an id. Returns `None` if it has neither content nor payload. A content of
    /// the form `{"outcome", "content", "error"}` without a payload beside it is the payload: this is
    /// how other programs store a result.
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let text: Option<String> = fields.maybe("content");
        if let Some(payload) = fields.object("payload") {
            return Some(Self::read_beside(fields, text, &payload));
        }
        let text = text?;
        if let Some(payload) = outcome(&text) {
            return Some(Self::read_beside(fields, None, &payload));
        }
        let content = Content::read_parts(fields).unwrap_or_else(|| text.into());
        Some(Self { id: fields.maybe("id"), content, payload: None })
    }

    /// Reads a result with a payload. Without its own text, it has the payload's content.
    fn read_beside(fields: &Fields<'_>, text: Option<String>, inner: &Fields<'_>) -> Self {
        let value = inner.json("content").unwrap_or_else(|| Json::string(""));
        let mut payload = ResultPayload::read(inner);
        let text = text.unwrap_or_else(|| match value.to_text() {
            empty if empty.is_empty() => payload.summary.clone(),
            text => text,
        });
        let content = Content::read_parts(fields);
        let content = content.unwrap_or_else(|| Content::from_value(text, &value));
        payload.value = Some(value).filter(|value| *value != content.to_value());
        Self { id: fields.maybe("id"), content, payload: Some(payload) }
    }

    /// Reads a result that consists of its payload, such as an item of a batch. An item that is not
    /// an object is content.
    pub(crate) fn read_item(item: &str) -> Self {
        let fields = Fields::read(item).unwrap_or_default();
        let mut payload = ResultPayload::read(&fields);
        payload.error = payload.status == ResultStatus::Failure;
        payload.kept = KeptValue::read(&fields);
        let whole = || Json::parse(item).filter(|_| payload.kept.is_none());
        let value = fields.json("content").or_else(whole);
        let value =
            value.unwrap_or_else(|| Json::string(if payload.kept.is_some() { "" } else { item }));
        let content = Content::from_value(value.to_text(), &value);
        payload.value = Some(value).filter(|value| *value != content.to_value());
        Self { id: fields.maybe("id"), content, payload: Some(payload) }
    }
}

impl ResultPayload {
    fn write(&self, content: &Content, to: &mut Object<'_>) {
        to.maybe_string("tool", self.tool.as_deref());
        to.string("status", self.status.as_str());
        to.string("outcome", &self.summary);
        match &self.value {
            Some(value) => to.raw("content", value.as_str()),
            None => content.write_value("content", to),
        }
        to.bool("error", self.error);
        write_beside(to, self.origin, &self.notices);
        if let Some(truncated) = &self.truncated {
            to.object("truncated", |to| truncated.write(to));
        }
    }

    /// Reads everything but the value.
    pub(super) fn read(fields: &Fields<'_>) -> Self {
        let error = !matches!(fields.get("error"), None | Some("false" | "null"));
        let failed =
            error || fields.maybe("status").as_deref() == Some(ResultStatus::Failure.as_str());
        Self {
            tool: fields.maybe("tool"),
            summary: fields.maybe("outcome").unwrap_or_default(),
            error,
            origin: match fields.maybe("origin").as_deref() {
                Some(FRAMEWORK) => ResultOrigin::Framework,
                _ => ResultOrigin::Tool,
            },
            notices: fields.strings("notices"),
            truncated: fields.object("truncated").map(|fields| Box::new(Truncation::read(&fields))),
            ..Self::new(if failed { ResultStatus::Failure } else { ResultStatus::Success })
        }
    }
}

/// The word for [`ResultOrigin::Framework`]. The other origin is not written.
const FRAMEWORK: &str = "framework";

fn write_beside(to: &mut Object<'_>, origin: ResultOrigin, notices: &[String]) {
    if origin == ResultOrigin::Framework {
        to.string("origin", FRAMEWORK);
    }
    if !notices.is_empty() {
        to.strings("notices", notices.iter().map(String::as_str));
    }
}

/// Reads a content of the form `{"outcome", "content", "error"}`. Other members, or none beside the
/// outcome, make it a content like any other.
fn outcome(content: &str) -> Option<Fields<'_>> {
    let fields = Fields::read(content).ok()?;
    fields.maybe("outcome")?;
    let is_known = |key| matches!(key, "outcome" | "content" | "error");
    let is_outcome = fields.keys().count() > 1 && fields.keys().all(is_known);
    is_outcome.then_some(fields)
}
