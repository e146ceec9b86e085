//! The head of a completion, which its chunks repeat.

use silcrow_event::Usage;

use crate::json_object::JsonObject;

/// The members of a completion that are known before its run begins.
///
/// ```
/// use silcrow_event::{Entry, Event, Metric, RunEventRef, Usage};
/// use silcrow_front::{ChatCompletionsEncoder, CompletionHead, RunEncoder as _, RunEnd};
///
/// let head = CompletionHead::new("chatcmpl-1", "silcrow", 1_763_712_345).with_usage(true);
/// let mut encoder = ChatCompletionsEncoder::new("sums", head);
/// let mut out = String::new();
/// encoder.begin(&mut out);
/// let used = Usage { input: 120, output: 8, ..Usage::default() };
/// for event in [Event::respond("4"), Event::Metric(Metric::new(used, used))] {
///     encoder.encode(RunEventRef::Entry(&Entry::from(event)), &mut out);
/// }
/// encoder.end(&RunEnd::Answered, &mut out);
/// assert!(out.contains(r#""object":"chat.completion.chunk","created":1763712345,"model":"silcrow""#));
/// assert!(out.contains(r#""prompt_tokens":120"#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompletionHead {
    /// The id.
    pub id: String,
    /// The client's name of the model.
    pub model: String,
    /// The time when the completion began, in seconds since 1970.
    pub created_at: u64,
    /// Whether the stream ends with the usage of the run (`stream_options.include_usage`).
    pub include_usage: bool,
}

impl CompletionHead {
    /// Creates the head of a completion whose stream does not report the usage of the run, with
    /// `created_at` in seconds since 1970.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created_at: u64) -> Self {
        Self { id: id.into(), model: model.into(), created_at, include_usage: false }
    }

    /// Sets whether the stream ends with the usage of the run.
    #[must_use]
    pub fn with_usage(self, include_usage: bool) -> Self {
        Self { include_usage, ..self }
    }

    /// Writes a chunk with this delta.
    pub(super) fn chunk(&self, delta: String, finish_reason: Option<&str>) -> String {
        let choice = JsonObject::new()
            .raw("index", 0)
            .raw("delta", delta)
            .raw("logprobs", "null")
            .text_or_null("finish_reason", finish_reason);
        let chunk = self.begin(CHUNK).raw("choices", format!("[{}]", choice.finish()));
        if self.include_usage { chunk.raw("usage", "null") } else { chunk }.finish()
    }

    /// Writes the chunk with the usage of the run.
    pub(super) fn usage_chunk(&self, usage: &Usage) -> String {
        self.begin(CHUNK).raw("choices", "[]").raw("usage", usage_json(usage)).finish()
    }

    /// Writes the whole completion.
    pub(super) fn completion(
        &self,
        message: String,
        reason: &str,
        usage: Option<&Usage>,
    ) -> String {
        let choice = JsonObject::new()
            .raw("index", 0)
            .raw("message", message)
            .raw("logprobs", "null")
            .text("finish_reason", reason);
        self.begin("chat.completion")
            .raw("choices", format!("[{}]", choice.finish()))
            .or_null("usage", usage.map(usage_json))
            .finish()
    }

    fn begin(&self, object: &str) -> JsonObject {
        JsonObject::new()
            .text("id", &self.id)
            .text("object", object)
            .raw("created", self.created_at)
            .text("model", &self.model)
    }
}

fn usage_json(usage: &Usage) -> String {
    let read = JsonObject::new().raw("cached_tokens", usage.cached).finish();
    let written = JsonObject::new().raw("reasoning_tokens", usage.reasoning).finish();
    JsonObject::new()
        .raw("prompt_tokens", usage.input)
        .raw("prompt_tokens_details", read)
        .raw("completion_tokens", usage.output)
        .raw("completion_tokens_details", written)
        .raw("total_tokens", usage.tokens())
        .finish()
}

/// The reason for the end of a completion that asks the client for nothing.
pub(super) const STOP: &str = "stop";

/// The reason for the end of one whose calls the client runs.
pub(super) const TOOL_CALLS: &str = "tool_calls";

const CHUNK: &str = "chat.completion.chunk";
