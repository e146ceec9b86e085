//! The input of hooks: the event and its fields, as JSON.

use serde_json::{Map, Value, json};

use crate::hook::HookEvent;
use crate::shared_names::names;

/// An event for which hooks run.
///
/// ```
/// use silcrow_hooks::HookCall;
///
/// let call = HookCall::before_tool("c1", "file_edit", r#"{"path":"a.rs"}"#);
/// let told = call.to_json("/work");
/// assert!(told.contains(r#""hook_event_name":"PreToolUse""#));
/// assert!(told.contains(r#""tool_name":"Edit""#) && told.contains(r#""file_path":"a.rs""#));
/// ```
#[derive(Clone, Debug)]
pub struct HookCall {
    event: HookEvent,
    conversation: String,
    /// The name of the tool in this program.
    tool: Option<String>,
    /// The id of the call.
    id: Option<String>,
    fields: Map<String, Value>,
}

impl HookCall {
    /// Creates an event of a conversation.
    pub fn new(event: HookEvent, conversation: impl Into<String>) -> Self {
        let conversation = conversation.into();
        Self { event, conversation, tool: None, id: None, fields: Map::new() }
    }

    /// Creates the event before a call with these arguments, which are a JSON object.
    pub fn before_tool(conversation: impl Into<String>, tool: &str, args: &str) -> Self {
        Self::new(HookEvent::PreToolUse, conversation).of_tool(tool, args)
    }

    /// Creates the event after a call with these arguments. `is_error` says whether it failed.
    pub fn after_tool(
        conversation: impl Into<String>,
        tool: &str,
        args: &str,
        output: &str,
        is_error: bool,
    ) -> Self {
        let end = output.floor_char_boundary(LONGEST);
        let response = json!({"content": &output[..end], "is_error": is_error});
        let call = Self::new(HookEvent::PostToolUse, conversation).of_tool(tool, args);
        call.with_field("tool_response", response)
    }

    /// Creates the event before a prompt is sent.
    pub fn prompt(conversation: impl Into<String>, prompt: &str) -> Self {
        Self::new(HookEvent::UserPromptSubmit, conversation).with_field("prompt", prompt)
    }

    /// Creates the event after an answer. `is_repeated` says that a hook has sent the model back before.
    pub fn stop(conversation: impl Into<String>, answer: &str, is_repeated: bool) -> Self {
        let call =
            Self::new(HookEvent::Stop, conversation).with_field("stop_hook_active", is_repeated);
        call.with_field("last_assistant_message", answer)
    }

    /// Adds a field.
    #[must_use]
    pub fn with_field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the id of the call, at the events of calls. A hook reads it as `tool_use_id`.
    #[must_use]
    pub fn with_call_id(self, id: &str) -> Self {
        let call = self.with_field("tool_use_id", id);
        Self { id: Some(id.to_owned()), ..call }
    }

    /// Returns the event.
    pub const fn event(&self) -> HookEvent {
        self.event
    }

    /// Returns the name of the tool, at the events of calls.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Returns the id of the conversation.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Returns the id of the call, at the events of calls.
    pub fn call_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the text that a hook reads in this folder.
    pub fn to_json(&self, folder: &str) -> String {
        let mut told = Map::new();
        told.insert("session_id".to_owned(), json!(self.conversation));
        told.insert("cwd".to_owned(), json!(folder));
        told.insert("hook_event_name".to_owned(), json!(self.event.as_str()));
        told.extend(self.fields.clone());
        Value::Object(told).to_string()
    }

    fn of_tool(self, tool: &str, args: &str) -> Self {
        let mut input: Value = serde_json::from_str(args).unwrap_or_default();
        if let Some(input) = input.as_object_mut()
            && let Some(path) = input.get("path").cloned()
        {
            input.entry("file_path").or_insert(path);
        }
        let shared = names(tool).into_iter().nth(1).unwrap_or_else(|| tool.to_owned());
        let call = self
            .with_field("tool_name", shared)
            .with_field("tool", tool)
            .with_field("tool_input", input);
        Self { tool: Some(tool.to_owned()), ..call }
    }
}

/// The number of bytes of an output that hooks read.
const LONGEST: usize = 64 << 10;
