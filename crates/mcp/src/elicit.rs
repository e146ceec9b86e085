//! The trait that asks a person a server's question.
//!
//! A server may ask in the middle of a call.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// Asks a person the questions of servers.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_mcp::{Elicitation, ElicitationAnswer, Elicitor};
///
/// /// Confirms what has no fields, and leaves the rest to a person.
/// struct Confirming;
///
/// impl Elicitor for Confirming {
///     fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
///         let answer = match question.fields.is_empty() {
///             true => ElicitationAnswer::Accept(Default::default()),
///             false => ElicitationAnswer::Decline,
///         };
///         ready(answer).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let question = Elicitation::new("git", "Push to `main`?");
/// assert!(matches!(Confirming.elicit(question).await, ElicitationAnswer::Accept(_)));
/// // A server whose program has changed is not started again unasked.
/// assert!(!Confirming.allow_restart("git", "/usr/bin/mcp-server-git".as_ref()).await);
/// # }
/// ```
pub trait Elicitor: Send + Sync {
    /// Asks a question. The future is dropped when the call is stopped.
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer>;

    /// Asks whether a server may be started again although its program, or a file that its declaration
    /// names, has changed since it was started first. By default it may not.
    fn allow_restart<'a>(&'a self, server: &'a str, changed: &'a Path) -> BoxFuture<'a, bool> {
        let _ = (server, changed);
        async { false }.boxed()
    }
}

/// A question of a server.
///
/// ```
/// use serde_json::json;
/// use silcrow_mcp::{Elicitation, ElicitationField};
///
/// let mut question = Elicitation::new("git", "Which branch?").with_conversation(Some("c1".to_owned()));
/// question.fields.push(ElicitationField::new("branch", json!({"type": "string"}), true));
/// assert_eq!((question.server.as_str(), question.message.as_str()), ("git", "Which branch?"));
/// assert!(question.fields[0].is_required);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Elicitation {
    /// The name of the server.
    pub server: String,
    /// The id of the conversation whose call the server works on; of the latest call, if it works on
    /// several.
    pub conversation: Option<String>,
    /// The question, in the server's words.
    pub message: String,
    /// The fields of the answer, in the order in which the person is asked.
    pub fields: Vec<ElicitationField>,
}

/// A field of the answer to a question.
///
/// ```
/// use serde_json::json;
/// use silcrow_mcp::ElicitationField;
///
/// let schema = json!({"type": "string", "enum": ["main", "next"]});
/// let field = ElicitationField::new("branch", schema, true);
/// assert_eq!((field.name.as_str(), field.is_required), ("branch", true));
/// assert_eq!(field.schema["enum"][1], "next");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElicitationField {
    /// The name of the field.
    pub name: String,
    /// The JSON schema of its value: a text, a number, a switch or a choice.
    pub schema: Value,
    /// Whether the answer must have it.
    pub is_required: bool,
}

impl ElicitationField {
    /// Creates a field.
    pub fn new(name: impl Into<String>, schema: Value, is_required: bool) -> Self {
        Self { name: name.into(), schema, is_required }
    }
}

/// The answer of a person to a question of a server.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these three")]
pub enum ElicitationAnswer {
    /// The values of the fields.
    Accept(Map<String, Value>),
    /// The person does not answer, and the call may continue without.
    Decline,
    /// The person wants the call to end.
    Cancel,
}

impl Elicitation {
    /// Creates a question without fields.
    pub fn new(server: impl Into<String>, message: impl Into<String>) -> Self {
        let (server, message) = (server.into(), message.into());
        Self { server, conversation: None, message, fields: Vec::new() }
    }

    /// Sets the conversation.
    #[must_use]
    pub fn with_conversation(self, conversation: Option<String>) -> Self {
        Self { conversation, ..self }
    }

    /// Reads the fields of a question from the schema of its answer.
    pub(crate) fn with_schema(mut self, schema: &Value) -> Self {
        let names = |key: &str| {
            let list = schema.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let required = names("required");
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten().map(|(name, schema)| ElicitationField {
            name: name.clone(),
            schema: schema.clone(),
            is_required: required.contains(name),
        });
        self.fields = fields.collect();
        self
    }
}
