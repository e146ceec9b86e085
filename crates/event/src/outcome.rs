use std::borrow::Cow;

use crate::json::{Json, Object};
use crate::read::Fields;
use crate::truncation::Truncation;

/// What came of a call: the event `result`.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// Of the call; a result read from elsewhere may have none and is then paired by position.
    pub id: Option<String>,
    /// What the model reads: the tool's words, without any of the framework's. Where something is
    /// left out, this is the part before it ([`Truncation`]).
    pub content: String,
    /// What the framework knows of it.
    pub payload: Option<ResultPayload>,
}

/// What the framework knows of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultPayload {
    /// The tool that ran; `None` where the call was malformed (P-9).
    pub tool: Option<String>,
    /// Whether it ended well.
    pub status: ResultStatus,
    /// A few words for a person.
    pub outcome: String,
    /// The tool's own output.
    pub content: Json,
    /// Whether `content` tells of an error.
    pub error: bool,
    /// Whose words the content is.
    pub origin: ResultOrigin,
    /// What the tool itself says about the content, such as that nothing was found.
    pub notices: Vec<String>,
    /// What is left out of the content, if anything is. Few results have it, and it is large.
    pub truncated: Option<Box<Truncation>>,
}

/// How a call ended, as the model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-18 names both")]
pub enum ResultStatus {
    /// It did what was asked.
    Success,
    /// It did not; the content says why.
    Failure,
}

/// Whose words the content of a result is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 names both")]
pub enum ResultOrigin {
    /// The tool's, or those of a file or page that it read: data.
    #[default]
    Tool,
    /// The framework's: why a call did not run, or not to its end.
    Framework,
}

impl CallResult {
    /// A call of `tool` that did what was asked. `summary` is for a person, `content` for the
    /// model.
    pub fn success(
        id: impl Into<String>,
        tool: impl Into<String>,
        summary: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        let content = content.into();
        let payload = ResultPayload {
            tool: Some(tool.into()),
            status: ResultStatus::Success,
            outcome: summary.into(),
            content: Json::string(&content),
            error: false,
            origin: ResultOrigin::Tool,
            notices: Vec::new(),
            truncated: None,
        };
        Self { id: Some(id.into()), content, payload: Some(payload) }
    }

    /// A call that failed, in the words of its tool. `tool` is `None` for a malformed call.
    pub fn failure(
        id: impl Into<String>,
        tool: Option<&str>,
        summary: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        let content = why.into();
        let payload = ResultPayload {
            tool: tool.map(str::to_owned),
            status: ResultStatus::Failure,
            outcome: summary.into(),
            content: Json::string(&content),
            error: true,
            origin: ResultOrigin::Tool,
            notices: Vec::new(),
            truncated: None,
        };
        Self { id: Some(id.into()), content, payload: Some(payload) }
    }

    /// A call that was rejected, cancelled, timed out or never started, in the words of the
    /// framework. `tool` is `None` for a malformed call.
    pub fn framework_failure(
        id: impl Into<String>,
        tool: Option<&str>,
        summary: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        let mut outcome = Self::failure(id, tool, summary, why);
        if let Some(payload) = &mut outcome.payload {
            payload.origin = ResultOrigin::Framework;
        }
        outcome
    }

    /// The same with what the tool itself says about the content.
    #[must_use]
    pub fn with_notices(mut self, notices: Vec<String>) -> Self {
        if let Some(payload) = &mut self.payload {
            payload.notices = notices;
        }
        self
    }

    /// The same with what is left out of the content.
    #[must_use]
    pub fn with_truncation(mut self, truncated: impl Into<Option<Truncation>>) -> Self {
        if let Some(payload) = &mut self.payload {
            payload.truncated = truncated.into().map(Box::new);
        }
        self
    }

    /// Whether it ended well; a result without a payload is taken at its word.
    pub fn status(&self) -> ResultStatus {
        self.payload.as_ref().map_or(ResultStatus::Success, |payload| payload.status)
    }

    /// The tool that ran, where known.
    pub fn tool(&self) -> Option<&str> {
        self.payload.as_ref()?.tool.as_deref()
    }

    /// Whose words the content is.
    pub fn origin(&self) -> ResultOrigin {
        self.payload.as_ref().map_or(ResultOrigin::Tool, |payload| payload.origin)
    }

    /// What the tool itself says about the content.
    pub fn notices(&self) -> &[String] {
        self.payload.as_ref().map_or(&[], |payload| &payload.notices)
    }

    /// What is left out of the content, if anything is.
    pub fn truncated(&self) -> Option<&Truncation> {
        self.payload.as_ref()?.truncated.as_deref()
    }

    /// What a name stands for that is bound to this output (P-26): the tool's own output. Of one
    /// that is not whole it is the parts that were kept, with a line where something is left out.
    pub fn value(&self) -> Option<Cow<'_, Json>> {
        let payload = self.payload.as_ref()?;
        Some(match &payload.truncated {
            None => Cow::Borrowed(&payload.content),
            Some(truncated) => Cow::Owned(Json::string(&truncated.join(&self.content))),
        })
    }

    /// One line of JSON with all that the model reads beside the content and the tail: tool and
    /// status, and what else there is to say.
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

    /// Reads what [`header`](Self::header) wrote; `None` if the line is not a JSON object with a
    /// status.
    pub fn read_header(line: &str) -> Option<Self> {
        let fields = Fields::of(line).ok()?;
        let status = fields.maybe("status")?;
        let mut payload = ResultPayload::read(&fields);
        payload.error = status == ResultStatus::Failure.as_str();
        payload.status = if payload.error { ResultStatus::Failure } else { ResultStatus::Success };
        Some(Self { id: None, content: String::new(), payload: Some(payload) })
    }

    pub(crate) fn write_status(&self, to: &mut Object<'_>) {
        to.maybe_string("tool", self.tool());
        to.string("status", self.status().as_str());
        write_beside(to, self.origin(), self.notices());
    }
}

impl ResultPayload {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.maybe_string("tool", self.tool.as_deref());
        to.string("status", self.status.as_str());
        to.string("outcome", &self.outcome);
        to.raw("content", self.content.as_str());
        to.bool("error", self.error);
        write_beside(to, self.origin, &self.notices);
        if let Some(truncated) = &self.truncated {
            to.object("truncated", |to| truncated.write(to));
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let error = !matches!(fields.get("error"), None | Some("false" | "null"));
        let failed =
            error || fields.maybe("status").as_deref() == Some(ResultStatus::Failure.as_str());
        let content = fields.get("content").and_then(Json::parse);
        Self {
            tool: fields.maybe("tool"),
            status: if failed { ResultStatus::Failure } else { ResultStatus::Success },
            outcome: fields.maybe("outcome").unwrap_or_default(),
            content: content.unwrap_or_else(|| Json::string("")),
            error,
            origin: match fields.maybe("origin").as_deref() {
                Some(FRAMEWORK) => ResultOrigin::Framework,
                _ => ResultOrigin::Tool,
            },
            notices: fields.strings("notices"),
            truncated: fields.object("truncated").map(|fields| Box::new(Truncation::read(&fields))),
        }
    }
}

/// The word for [`ResultOrigin::Framework`]; a tool's is not written.
const FRAMEWORK: &str = "framework";

fn write_beside(to: &mut Object<'_>, origin: ResultOrigin, notices: &[String]) {
    if origin == ResultOrigin::Framework {
        to.string("origin", FRAMEWORK);
    }
    if !notices.is_empty() {
        to.strings("notices", notices.iter().map(String::as_str));
    }
}

impl ResultStatus {
    /// The word in JSON and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}
