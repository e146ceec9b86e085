//! The results of calls: the content for the model, and facts for the framework.
//!
//! This module also writes the header of a single result on the wire, and finds its value, to which
//! a name can be bound.

mod kept_value;
mod stored;

use std::borrow::Cow;

use crate::content::Content;
use crate::fields::Fields;
use crate::json::{Json, Object};
use crate::result_status::ResultStatus;
use crate::truncation::Truncation;

pub use kept_value::KeptValue;

/// The result of a call: the event `result`.
///
/// ```
/// use silcrow_event::{CallResult, ResultStatus};
///
/// let result = CallResult::failure("a1", Some("file_read"), "no file a.rs", "Try file_list.");
/// assert_eq!(result.status(), ResultStatus::Failure);
/// // The content goes to the model, and this line before it.
/// let header = r#"{"tool":"file_read","status":"failure","outcome":"no file a.rs"}"#;
/// assert_eq!(result.header(), header);
/// ```
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
    /// The tool that ran; `None` if the call was malformed (P-9).
    pub tool: Option<String>,
    /// Whether the call succeeded.
    pub status: ResultStatus,
    /// A few words about the outcome, which a person and the model read.
    pub summary: String,
    /// The tool's own output as a JSON value, if it differs from the content of the result.
    pub value: Option<Json>,
    /// Whether the content is about an error.
    pub error: bool,
    /// The author of the content.
    pub origin: ResultOrigin,
    /// The remarks of the tool about the content, such as that nothing was found.
    pub notices: Vec<String>,
    /// A description of the part that is left out of the content. It is boxed, because few results
    /// have it.
    pub truncated: Option<Box<Truncation>>,
    /// A description of the output, if the model reads that instead of the content. No log has it.
    pub kept: Option<KeptValue>,
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

    /// Sets the description of the omitted part of the content. A result without a payload becomes
    /// a success.
    #[must_use]
    pub fn with_truncation(mut self, truncated: impl Into<Option<Truncation>>) -> Self {
        self.payload_mut().truncated = truncated.into().map(Box::new);
        self
    }

    /// Sets the value of a name that is bound to this output (P-26), if it differs from the content.
    /// A result without a payload becomes a success.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<Option<Json>>) -> Self {
        let content = self.content.to_value();
        self.payload_mut().value = value.into().filter(|value| *value != content);
        self
    }

    /// Returns the description that the model reads if the output is only passed on: its type and
    /// size in place of the content (section 9). The name under which the whole output can be read
    /// stays.
    ///
    /// ```
    /// use silcrow_event::CallResult;
    ///
    /// let result = CallResult::success("list", "file_list", "", r#"["a.rs","b.rs"]"#);
    /// let header = r#"{"tool":"file_list","status":"success","kept":true,"type":"array","items":2,"bytes":15}"#;
    /// assert_eq!(result.as_kept().header(), header);
    /// ```
    #[must_use]
    pub fn as_kept(&self) -> Self {
        let kept = self.value().map(|value| KeptValue::describe(&value)).unwrap_or_default();
        let name = self.truncated().and_then(|truncated| truncated.full_output.clone());
        let truncation = name.map(|name| Truncation::default().with_full_output(name));
        let mut result = self.clone().with_content("").with_truncation(truncation);
        let payload = result.payload_mut();
        payload.value = None;
        payload.kept = Some(kept);
        result
    }

    /// Returns the status. A result without a payload is a success.
    pub fn status(&self) -> ResultStatus {
        self.payload.as_ref().map_or(ResultStatus::Success, |payload| payload.status)
    }

    /// Returns the name of the tool that ran, if it is known.
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

    /// Returns the description of the omitted part of the content, if anything is omitted.
    pub fn truncated(&self) -> Option<&Truncation> {
        self.payload.as_ref()?.truncated.as_deref()
    }

    /// Returns the JSON value of a name that is bound to this output (P-26), or `None` without a
    /// payload. It is the tool's own value, and otherwise the content. If that is truncated, it is a
    /// string of its two ends with a line between them that describes the gap.
    pub fn value(&self) -> Option<Cow<'_, Json>> {
        let payload = self.payload.as_ref()?;
        Some(match (&payload.value, &payload.truncated) {
            (Some(value), _) => Cow::Borrowed(value),
            (None, Some(truncated)) => {
                Cow::Owned(Json::string(&truncated.join(&self.content.text())))
            }
            (None, None) => Cow::Owned(self.content.to_value()),
        })
    }

    /// Returns why the call failed, for a person or for the caller of an agent: the summary, and the
    /// content unless that says the same.
    ///
    /// ```
    /// use silcrow_event::CallResult;
    ///
    /// let why = |summary, content| CallResult::failure("a1", None, summary, content).failure_text();
    /// assert_eq!(why("exit status 1", "3 tests failed"), "exit status 1: 3 tests failed");
    /// assert_eq!(why("no file", "no file a.txt"), "no file a.txt");
    /// assert_eq!(why("exit status 1", ""), "exit status 1");
    /// ```
    pub fn failure_text(&self) -> String {
        let summary = self.payload.as_ref().map_or("", |payload| &*payload.summary);
        let content = self.content.text();
        // The summary of a failure is often the beginning of its content.
        let beginning = summary.strip_suffix('…').unwrap_or(summary);
        match content.trim_ascii() {
            "" => summary.to_owned(),
            _ if content.starts_with(beginning) => content.into_owned(),
            _ => format!("{summary}: {content}"),
        }
    }

    /// Returns the header that the model reads before the content, as one line of JSON: the tool,
    /// the status, and the other fields that are not empty.
    pub fn header(&self) -> String {
        let mut header = String::new();
        let mut object = Object::open(&mut header);
        self.write_status(&mut object);
        self.write_kept(&mut object);
        if let Some(truncated) = self.truncated() {
            object.object("truncated", |to| truncated.write_head(to));
        }
        object.close();
        header
    }

    /// Reads the line that [`header`](Self::header) wrote, as a result without content. Returns
    /// `None` if the line is not a JSON object with a status.
    pub fn read_header(line: &str) -> Option<Self> {
        let fields = Fields::read(line).ok()?;
        let status = fields.maybe("status")?;
        let mut payload = ResultPayload::read(&fields);
        payload.kept = KeptValue::read(&fields);
        payload.error = status == ResultStatus::Failure.as_str();
        payload.status = if payload.error { ResultStatus::Failure } else { ResultStatus::Success };
        let id = fields.maybe("id");
        Some(Self { id, content: Content::default(), payload: Some(payload) })
    }

    /// Returns the description of an output that the model does not read.
    pub fn kept(&self) -> Option<&KeptValue> {
        self.payload.as_ref()?.kept.as_ref()
    }

    pub(crate) fn write_kept(&self, to: &mut Object<'_>) {
        if let Some(kept) = self.kept() {
            kept.write(to);
        }
    }

    fn payload_mut(&mut self) -> &mut ResultPayload {
        self.payload.get_or_insert_with(|| ResultPayload::new(ResultStatus::Success))
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
            kept: None,
        }
    }
}
