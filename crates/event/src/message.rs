/// One message of a request to a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text, delimiters included.
    pub content: String,
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "every provider has these three and no more")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, and the framework when it brings results.
    User,
    /// The model.
    Assistant,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }

    /// `{"role":…,"content":…}`.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = crate::json::Object::open(&mut out);
        object.string("role", self.role.as_str());
        object.string("content", &self.content);
        object.close();
        out
    }
}

impl Role {
    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
