use crate::json::{Json, Object};

/// What came of a call: the event `result`.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Of the call; a result read from elsewhere may have none and is then paired by position.
    pub id: Option<String>,
    /// What the model reads.
    pub content: String,
    /// What the framework knows of it.
    pub payload: Option<Payload>,
}

/// What the framework knows of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// The tool that ran; `None` where the call was malformed (P-9).
    pub tool: Option<String>,
    /// Whether it ended well.
    pub status: Status,
    /// A few words for a person.
    pub outcome: String,
    /// The tool's own output.
    pub content: Json,
    /// Whether `content` tells of an error.
    pub error: bool,
}

/// How a call ended, as the model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-18 names both")]
pub enum Status {
    /// It did what was asked.
    Success,
    /// It did not; the content says why.
    Failure,
}

impl Outcome {
    /// A call of `tool` that did what was asked. `summary` is for a person, `content` for the
    /// model.
    pub fn success(
        id: impl Into<String>,
        tool: impl Into<String>,
        summary: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        let content = content.into();
        let payload = Payload {
            tool: Some(tool.into()),
            status: Status::Success,
            outcome: summary.into(),
            content: Json::string(&content),
            error: false,
        };
        Self { id: Some(id.into()), content, payload: Some(payload) }
    }

    /// A call that failed, was refused, cancelled or never started. `tool` is `None` for a
    /// malformed call.
    pub fn failure(
        id: impl Into<String>,
        tool: Option<&str>,
        summary: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        let content = why.into();
        let payload = Payload {
            tool: tool.map(str::to_owned),
            status: Status::Failure,
            outcome: summary.into(),
            content: Json::string(&content),
            error: true,
        };
        Self { id: Some(id.into()), content, payload: Some(payload) }
    }

    /// Whether it ended well; a result without a payload is taken at its word.
    pub fn status(&self) -> Status {
        self.payload.as_ref().map_or(Status::Success, |payload| payload.status)
    }

    /// The tool that ran, where known.
    pub fn tool(&self) -> Option<&str> {
        self.payload.as_ref()?.tool.as_deref()
    }
}

impl Payload {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        match &self.tool {
            Some(tool) => to.string("tool", tool),
            None => to.raw("tool", "null"),
        }
        to.string("status", self.status.as_str());
        to.string("outcome", &self.outcome);
        to.raw("content", self.content.as_str());
        to.bool("error", self.error);
    }
}

impl Status {
    /// The word in JSON and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}

/// The results of one batch in one: the seed's batch form of a `result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// A JSON array of `{"tool","status","content"}`, by position.
    pub content: String,
    /// How many ended well.
    pub success_count: u64,
    /// How many did not.
    pub failure_count: u64,
}

impl Batch {
    /// The results of one batch, in the order of the calls.
    pub fn fold<'a>(results: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut content = String::from("[");
        let (mut success_count, mut failure_count) = (0, 0);
        for result in results {
            match result.status() {
                Status::Success => success_count += 1,
                Status::Failure => failure_count += 1,
            }
            if content.len() > 1 {
                content.push(',');
            }
            let mut object = Object::open(&mut content);
            match result.tool() {
                Some(tool) => object.string("tool", tool),
                None => object.raw("tool", "null"),
            }
            object.string("status", result.status().as_str());
            object.string("content", &result.content);
            object.close();
        }
        content.push(']');
        Self { content, success_count, failure_count }
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("content", &self.content);
        to.object("payload", |payload| {
            payload.integer("tools_executed", self.success_count + self.failure_count);
            payload.integer("success_count", self.success_count);
            payload.integer("failure_count", self.failure_count);
        });
    }
}
