//! Tools that a client has and runs itself: they are declared with a request, the model calls them as
//! any other, and a later request brings their results.
//!
//! A declaration is data of the client, so its size is bounded.

mod call_id;
mod open_calls;

use serde_json::{Map, Value, json};

use crate::client_tool_names::ClientToolNames;
use crate::short_reason::short_reason;

pub use call_id::ClientCallId;
pub use open_calls::{OpenClientCall, open_client_calls};

/// A tool that a client has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientTool {
    /// The name: at most 64 letters, digits, `_` and `-`.
    pub name: String,
    /// A description of the tool for the model, at most 8 KiB.
    pub description: String,
    /// The JSON schema of its arguments, an object; at most 32 KiB.
    pub schema: String,
}

/// The tools that a client declares: at most 128, with different names, and together at most 256 KiB.
///
/// ```
/// use silcrow_front::ClientTools;
///
/// let declared = serde_json::json!([{"name": "open_map", "description": "Opens a map.",
///     "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}}]);
/// let tools = ClientTools::read(&declared).unwrap();
/// assert_eq!(tools.iter().next().unwrap().name, "open_map");
/// assert_eq!(ClientTools::read(&serde_json::from_str(&tools.to_json()).unwrap()), Ok(tools));
///
/// let wrong = serde_json::json!([{"name": "open map"}]);
/// let why = ClientTools::read(&wrong).unwrap_err();
/// assert!(why.contains("`tools[0].name`"), "{why}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientTools(Vec<ClientTool>);

/// The result of a call of a client's tool, which a request brings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a result is the text of a call, or its failure")]
pub struct ClientResult {
    /// The client's id of the call.
    pub call: String,
    /// The text, which is often JSON.
    pub content: String,
    /// Whether the text says why the call has failed.
    pub has_failed: bool,
}

impl ClientTools {
    /// Reads declarations: an array of `{name, description, parameters}`, of `{type: "function",
    /// function: {…}}`, or an object of them by name. A member that is missing is empty.
    ///
    /// # Errors
    ///
    /// Returns the error and its place, in a sentence without a period.
    pub fn read(tools: &Value) -> Result<Self, String> {
        let mut read = Self::default();
        match tools {
            Value::Null => {}
            Value::Array(all) => {
                for (number, tool) in all.iter().enumerate() {
                    read.add(None, tool, &format!("tools[{number}]"))?;
                }
            }
            Value::Object(all) => {
                for (name, tool) in all {
                    read.add(Some(name), tool, &format!("tools.{name}"))?;
                }
            }
            _ => return Err("`tools` is neither an array nor an object".to_owned()),
        }
        Ok(read)
    }

    /// Returns the tools, in the order in which they were declared.
    pub fn iter(&self) -> impl Iterator<Item = &ClientTool> {
        self.0.iter()
    }

    /// Returns whether no tool is declared.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the tools.
    pub fn names(&self) -> ClientToolNames {
        ClientToolNames::new(self.0.iter().map(|tool| tool.name.clone()))
    }

    /// Returns the declarations as a JSON array, as [`read`](Self::read) reads them.
    pub fn to_json(&self) -> String {
        let tools = self.0.iter().map(|ClientTool { name, description, schema }| {
            let schema: Value = serde_json::from_str(schema).unwrap_or_default();
            json!({ "name": name, "description": description, "parameters": schema })
        });
        Value::Array(tools.collect()).to_string()
    }

    fn add(&mut self, name: Option<&str>, tool: &Value, place: &str) -> Result<(), String> {
        // Chat Completions has the declaration one level below.
        let (tool, place) = match &tool["function"] {
            Value::Object(_) => (&tool["function"], format!("{place}.function")),
            _ => (tool, place.to_owned()),
        };
        let wrong = |key: &str, what: &str| Err(short_reason(format!("`{place}.{key}` {what}")));
        if !tool.is_object() {
            return Err(short_reason(format!("`{place}` is not an object")));
        }
        let name = name.or_else(|| tool["name"].as_str()).unwrap_or_default();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || name.len() > MOST_NAME || !name.bytes().all(is_part) {
            return wrong("name", "is not a name of 1 to 64 letters, digits, `_` and `-`");
        }
        if self.0.iter().any(|known| known.name == name) {
            return wrong("name", &format!("is `{name}`, which another tool has"));
        }
        let description = tool["description"].as_str().unwrap_or_default();
        if description.len() > MOST_DESCRIPTION {
            return wrong("description", "is longer than 8 KiB; say less");
        }
        let mut schema = match &tool["parameters"] {
            Value::Null => Map::new(),
            Value::Object(schema) => schema.clone(),
            _ => return wrong("parameters", "is not an object; it is a JSON schema"),
        };
        schema.entry("type").or_insert_with(|| "object".into());
        if schema["type"] != "object" {
            return wrong("parameters.type", "is not `object`");
        }
        let schema = Value::Object(schema).to_string();
        if schema.len() > MOST_SCHEMA {
            return wrong("parameters", "is longer than 32 KiB; describe less");
        }
        let (name, description) = (name.to_owned(), description.to_owned());
        self.0.push(ClientTool { name, description, schema });
        if self.0.len() > MOST_TOOLS {
            return Err(format!("`tools` has more than {MOST_TOOLS} tools; declare fewer"));
        }
        let size = |tool: &ClientTool| tool.description.len() + tool.schema.len();
        if self.0.iter().map(size).sum::<usize>() > MOST_TOGETHER {
            return Err("`tools` is longer than 256 KiB; declare fewer".to_owned());
        }
        Ok(())
    }
}

const MOST_TOOLS: usize = 128;
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 8 << 10;
const MOST_SCHEMA: usize = 32 << 10;
const MOST_TOGETHER: usize = 256 << 10;
