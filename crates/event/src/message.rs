//! The messages of a request to a model.
//!
//! This module defines roles and the JSON of a message.

use crate::content::Content;
use crate::json::Object;

/// One message of a request to a model.
///
/// ```
/// use silcrow_event::{Message, Role};
///
/// let message = Message::user("2 + 2?");
/// assert_eq!((message.role, &*message.text()), (Role::User, "2 + 2?"));
/// assert_eq!(message.to_json(), r#"{"role":"user","content":"2 + 2?"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Message {
    /// The role that the message is sent in.
    pub role: Role,
    /// The content, delimiters included.
    pub content: Content,
}

/// The role of a message's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "every provider has these three and no more")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, and the framework when it sends results.
    User,
    /// The model.
    Assistant,
}

impl Message {
    /// Creates a message of `role`.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: content.into() }
    }

    /// Creates a message with instructions.
    pub fn system(content: impl Into<Content>) -> Self {
        Self::new(Role::System, content)
    }

    /// Creates a message of the person, or of the framework.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }

    /// Creates a message of the model.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// Returns the text of the content, which includes the texts of other parts
    /// ([`Content::text`]).
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        self.content.text()
    }

    /// Returns the message as `{"role":…,"content":…}`, with the member `parts` unless the content
    /// is one text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::open(&mut out);
        object.string("role", self.role.as_str());
        self.content.write(false, &mut object);
        object.close();
        out
    }
}

impl Role {
    /// Lists every role.
    pub const ALL: [Self; 3] = [Self::System, Self::User, Self::Assistant];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
