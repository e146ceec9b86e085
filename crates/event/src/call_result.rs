//! The results of calls: what the model reads, and what the framework knows beside it.
//!
//! This module knows the JSON of a single result, its header on the wire, and its value, to which a
//! name can be bound. It does not know how a call is run.

use std::borrow::Cow;

use crate::content::Content;
use crate::fields::Fields;
use crate::json::{Json, Object};
use crate::result_status::ResultStatus;
use crate::truncation::Truncation;

/// The result of a call: the event `result`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResult {
    /// The id of the call. A result from elsewhere may have none, and is then paired by position.
    pub id: Option<String>,
    /// The content that the model reads. If something is left out, this is the part before it
    /// ([`Truncation`]).
    pub content: Content,
    /// The data that the framework keeps about the result.
    pub payload: Option<ResultPayload>,
}

/// The data that the framework keeps about a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResultPayload {
    /// The tool that ran; `None` where the call was malformed (P-9).
    pub tool: Option<String>,
    /// Whether the call succeeded.
    pub status: ResultStatus,
    /// A few words about the outcome, which a person and the model read.
    pub summary: String,
    /// The tool's own output as a JSON value, where that differs from the content of the result.
    pub value: Option<Json>,
    /// Whether the content is about an error.
    pub error: bool,
    /// The author of the content.
    pub origin: ResultOrigin,
    /// The remarks of the tool about the content, such as that nothing was found.
    pub notices: Vec<String>,
    /// A description of what is left out of the content. It is boxed, because few results have it.
    pub truncated: Option<Box<Truncation>>,
}

/// The author of a result's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 names both")]
pub enum ResultOrigin {
    /// The tool, or a file or page that it read: the content is data.
    #[default]
    Tool,
    /// The framework: the content explains why a call did not run, or did not finish.
    Framework,
}

impl CallResult {
    /// Creates the result of a call of `tool` that succeeded. `summary` is for a person, `content`
    /// for the model.
    pub fn success(
        id: impl Into<String>,
        tool: impl Into<String>,
        summary: impl Into<String>,
        content: impl Into<Content>,
    ) -> Self {
        let payload = ResultPayload {
            tool: Some(tool.into()),
            summary: summary.into(),
            ..ResultPayload::new(ResultStatus::Success)
        };
        Self { id: Some(id.into()), content: content.into(), payload: Some(payload) }
    }

    /// Creates the result of a call that failed, in the words of its tool. `tool` is `None` for a
    /// malformed call.
    pub fn failure(
        id: impl Into<String>,
        tool: Option<&str>,
        summary: impl Into<String>,
        why: impl Into<Content>,
    ) -> Self {
        let payload = ResultPayload {
            tool: tool.map(str::to_owned),
            summary: summary.into(),
            error: true,
            ..ResultPayload::new(ResultStatus::Failure)
        };
        Self { id: Some(id.into()), content: why.into(), payload: Some(payload) }
    }

    /// Creates the result of a call that was rejected, cancelled, timed out or never started, in
    /// the words of the framework. `tool` is `None` for a malformed call.
    pub fn framework_failure(
        id: impl Into<String>,
        tool: Option<&str>,
        summary: impl Into<String>,
        why: impl Into<Content>,
    ) -> Self {
        let mut result = Self::failure(id, tool, summary, why);
        if let Some(payload) = &mut result.payload {
            payload.origin = ResultOrigin::Framework;
        }
        result
    }

    /// Creates a result of which only the content is known.
    pub fn unknown(content: impl Into<Content>) -> Self {
        Self { id: None, content: content.into(), payload: None }
    }

    /// Sets the id of the call.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Sets the name of the tool that ran. A result without a payload becomes a success.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Into<String>) -> Self {
        self.payload_mut().tool = Some(tool.into());
        self
    }

    /// Sets the content, which the model reads.
    #[must_use]
    pub fn with_content(self, content: impl Into<Content>) -> Self {
        Self { content: content.into(), ..self }
    }

    /// Sets the remarks of the tool about the content. A result without a payload becomes a success.
    #[must_use]
    pub fn with_notices(mut self, notices: Vec<String>) -> Self {
        self.payload_mut().notices = notices;
        self
    }

    /// Sets what is left out of the content. A result without a payload becomes a success.
    #[must_use]
    pub fn with_truncation(mut self, truncated: impl Into<Option<Truncation>>) -> Self {
        self.payload_mut().truncated = truncated.into().map(Box::new);
        self
    }

    /// Returns the status. A result without a payload is a success.
    pub fn status(&self) -> ResultStatus {
        self.payload.as_ref().map_or(ResultStatus::Success, |payload| payload.status)
    }

    /// Returns the name of the tool that ran, where it is known.
    pub fn tool(&self) -> Option<&str> {
        self.payload.as_ref()?.tool.as_deref()
    }

    /// Returns the author of the content.
    pub fn origin(&self) -> ResultOrigin {
        self.payload.as_ref().map_or(ResultOrigin::Tool, |payload| payload.origin)
    }

    /// Returns the remarks of the tool about the content.
    pub fn notices(&self) -> &[String] {
        self.payload.as_ref().map_or(&[], |payload| &payload.notices)
    }

    /// Returns what is left out of the content, if anything is.
    pub fn truncated(&self) -> Option<&Truncation> {
        self.payload.as_ref()?.truncated.as_deref()
    }

    /// Returns the JSON value of a name that is bound to this output (P-26), or `None` without a
    /// payload. It is the tool's own output. If that is truncated, it is a string of its two ends
    /// with a line between them that describes the gap.
    pub fn value(&self) -> Option<Cow<'_, Json>> {
        let payload = self.payload.as_ref()?;
        Some(match (&payload.truncated, &payload.value) {
            (Some(truncated), _) => Cow::Owned(Json::string(&truncated.join(&self.content.text()))),
            (None, Some(value)) => Cow::Borrowed(value),
            (None, None) => Cow::Owned(self.content.to_value()),
        })
    }

    /// Returns one line of JSON with all that the model reads besides content and tail: tool,
    /// status, and the other fields that are not empty.
    pub fn header(&self) -> String {
        let mut header = String::new();
        let mut object = Object::open(&mut header);
        self.write_status(&mut object);
        if let Some(truncated) = self.truncated() {
            object.object("truncated", |to| truncated.write_head(to));
        }
        object.close();
        header
    }

    /// Reads what [`header`](Self::header) wrote, as a result without content. Returns `None` if
    /// the line is not a JSON object with a status.
    pub fn read_header(line: &str) -> Option<Self> {
        let fields = Fields::of(line).ok()?;
        let status = fields.maybe("status")?;
        let mut payload = ResultPayload::read(&fields);
        payload.error = status == ResultStatus::Failure.as_str();
        payload.status = if payload.error { ResultStatus::Failure } else { ResultStatus::Success };
        Some(Self { id: None, content: Content::default(), payload: Some(payload) })
    }

    fn payload_mut(&mut self) -> &mut ResultPayload {
        self.payload.get_or_insert_with(|| ResultPayload::new(ResultStatus::Success))
    }

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
        to.maybe_string("tool", self.tool());
        to.string("status", self.status().as_str());
        let outcome = self.payload.as_ref().map(|payload| &*payload.summary);
        if let Some(outcome) = outcome.filter(|text| !text.is_empty() && self.content != **text) {
            to.string("outcome", outcome);
        }
        write_beside(to, self.origin(), self.notices());
    }

    /// Reads a result with an id. Returns `None` if it has neither content nor payload.
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let (text, inner) = (fields.maybe("content"), fields.object("payload"));
        let mut payload = inner.as_ref().map(ResultPayload::read);
        let value = inner.map(|fields| fields.json("content").unwrap_or_else(|| Json::string("")));
        let text = match (text, &payload, &value) {
            (Some(text), ..) => text,
            (None, Some(payload), Some(value)) => match value.to_text() {
                empty if empty.is_empty() => payload.summary.clone(),
                text => text,
            },
            _ => return None,
        };
        let content = match (Content::read_parts(fields), &value) {
            (Some(parts), _) => parts,
            (None, Some(value)) => Content::from_value(text, value),
            (None, None) => text.into(),
        };
        if let Some(payload) = &mut payload {
            payload.value = value.filter(|value| *value != content.to_value());
        }
        Some(Self { id: fields.maybe("id"), content, payload })
    }

    /// Reads a result that consists of its payload, such as an item of a batch. An item that is not
    /// an object is content.
    pub(crate) fn read_item(item: &str) -> Self {
        let fields = Fields::of(item).unwrap_or_default();
        let mut payload = ResultPayload::read(&fields);
        payload.error = payload.status == ResultStatus::Failure;
        let value = fields.json("content").or_else(|| Json::parse(item));
        let value = value.unwrap_or_else(|| Json::string(item));
        let content = Content::from_value(value.to_text(), &value);
        payload.value = Some(value).filter(|value| *value != content.to_value());
        Self { id: None, content, payload: Some(payload) }
    }
}

impl ResultPayload {
    const fn new(status: ResultStatus) -> Self {
        Self {
            tool: None,
            status,
            summary: String::new(),
            value: None,
            error: false,
            origin: ResultOrigin::Tool,
            notices: Vec::new(),
            truncated: None,
        }
    }

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
    fn read(fields: &Fields<'_>) -> Self {
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
