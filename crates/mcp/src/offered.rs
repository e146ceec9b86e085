//! Servers' offers beside tools: prompts, and texts.

/// A prompt that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerPrompt {
    /// The name of the server.
    pub server: String,
    /// The name of the prompt, unique at its server.
    pub name: String,
    /// The purpose of the prompt, in a few words.
    pub about: String,
    /// The names of its arguments, and whether each must be given.
    pub args: Vec<(String, bool)>,
}

/// A text that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerResource {
    /// The name of the server.
    pub server: String,
    /// The address of the text, unique at its server.
    pub uri: String,
    /// A description, in a few words.
    pub about: String,
}

/// A text of a server, with remarks about omitted parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerText {
    /// The text.
    pub text: String,
    /// The remarks.
    pub notices: Vec<String>,
}
