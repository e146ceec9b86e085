//! The contents of messages, as the conventions write them in JSON.

use silcrow_event::Json;

/// One message, while its parts are added.
#[derive(Clone, Debug)]
pub(super) struct MessageText {
    role: &'static str,
    parts: String,
}

impl MessageText {
    pub(super) const fn new(role: &'static str) -> Self {
        Self { role, parts: String::new() }
    }

    /// Adds a text.
    pub(super) fn text(self, text: &str) -> Self {
        self.part("text", &format!(r#""content":{}"#, Json::string(text)))
    }

    /// Adds a thought.
    pub(super) fn reasoning(self, text: &str) -> Self {
        self.part("reasoning", &format!(r#""content":{}"#, Json::string(text)))
    }

    /// Adds a call. Its arguments are a JSON object.
    pub(super) fn call(self, id: &str, name: &str, args: &str) -> Self {
        let (id, name) = (Json::string(id), Json::string(name));
        self.part("tool_call", &format!(r#""id":{id},"name":{name},"arguments":{args}"#))
    }

    /// Adds a result.
    pub(super) fn response(self, id: &str, text: &str) -> Self {
        let (id, text) = (Json::string(id), Json::string(text));
        self.part("tool_call_response", &format!(r#""id":{id},"response":{text}"#))
    }

    /// Returns whether nothing was added.
    pub(super) const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn part(mut self, kind: &str, members: &str) -> Self {
        let comma = if self.parts.is_empty() { "" } else { "," };
        self.parts.extend([comma, r#"{"type":""#, kind, r#"","#, members, "}"]);
        self
    }

    /// Returns the message as an object. One of the model has a reason for its end.
    pub(super) fn object(self) -> String {
        let Self { role, parts } = self;
        let end = if role == "assistant" { r#","finish_reason":"stop""# } else { "" };
        format!(r#"{{"role":"{role}","parts":[{parts}]{end}}}"#)
    }

    /// Returns an array with the message.
    pub(super) fn finish(self) -> String {
        format!("[{}]", self.object())
    }
}

/// Returns the system prompt as an array with one part.
pub(super) fn instructions(text: &str) -> String {
    format!(r#"[{{"type":"text","content":{}}}]"#, Json::string(text))
}
