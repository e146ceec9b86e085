use crate::json::Object;

/// What the action dialect says of a call besides its name and arguments (P-20).
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "P-20 names them all")]
pub struct ActionAttributes {
    /// What kind of thing is called.
    pub kind: CallKind,
    /// How the turn waits for it.
    pub mode: CallMode,
    /// Ids of the calls it waits for, as written.
    pub depends_on: Vec<String>,
    /// The variable its output is bound to.
    pub output_key: Option<String>,
    /// In seconds.
    pub timeout: Option<f64>,
    /// Attempts beyond the first.
    pub retry: Option<u32>,
    /// What a failure does to the rest of the turn.
    pub on_error: Option<OnError>,
}

/// What kind of thing an action calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum CallKind {
    /// A stateless function.
    #[default]
    Tool,
    /// A named child agent.
    Agent,
    /// A named persistent service.
    Relic,
    /// A named plan.
    Workflow,
    /// One model call without tools.
    Llm,
}

/// How a turn waits for an action (P-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum CallMode {
    /// A barrier: nothing later starts before it ends.
    #[default]
    Sync,
    /// Runs beside the stream.
    Async,
    /// Started and never waited for.
    FireAndForget,
}

/// What a failed action does to the rest of its turn (P-20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-20 names them all")]
pub enum OnError {
    /// Its dependents are skipped.
    #[default]
    Skip,
    /// The turn's unfinished actions are cancelled.
    Fail,
    /// As `Skip`, after 3 extra attempts unless `retry` says otherwise.
    Retry,
}

impl ActionAttributes {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", self.kind.as_str());
        to.string("mode", self.mode.as_str());
        if !self.depends_on.is_empty() {
            to.strings("depends_on", self.depends_on.iter().map(String::as_str));
        }
        if let Some(key) = &self.output_key {
            to.string("output_key", key);
        }
        if let Some(seconds) = self.timeout {
            to.float("timeout", seconds);
        }
        if let Some(count) = self.retry {
            to.integer("retry", count.into());
        }
        if let Some(on_error) = self.on_error {
            to.string("on_error", on_error.as_str());
        }
    }
}

impl CallKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Agent, Self::Relic, Self::Workflow, Self::Llm];

    /// The word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Relic => "relic",
            Self::Workflow => "workflow",
            Self::Llm => "llm",
        }
    }
}

impl CallMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Sync, Self::Async, Self::FireAndForget];

    /// The word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Async => "async",
            Self::FireAndForget => "fire_and_forget",
        }
    }
}

impl OnError {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Skip, Self::Fail, Self::Retry];

    /// The word on the wire and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Fail => "fail",
            Self::Retry => "retry",
        }
    }
}
