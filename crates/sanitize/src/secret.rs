//! A secret text with a name.
//!
//! This module keeps it from being printed. It does not search other text for it.

use std::fmt;

/// A text that must never be shown, such as an API key, and a name that may be shown.
///
/// It has no `Display`, and its `Debug` shows only the name.
///
/// ```
/// use silcrow_sanitize::Secret;
///
/// let key = Secret::new(" sk-123\n", "OPENAI_API_KEY");
/// assert_eq!(format!("{key:?}"), r#"Secret("OPENAI_API_KEY")"#);
/// assert_eq!(key.expose(), "sk-123");
/// ```
#[derive(Clone)]
pub struct Secret {
    text: String,
    name: String,
}

impl Secret {
    /// Creates a secret from `text`, with white space around it removed. `name` says in messages
    /// which one it is, such as the name of a variable or a file.
    pub fn new(text: &str, name: impl Into<String>) -> Self {
        Self { text: text.trim().to_owned(), name: name.into() }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text, to be sent to its server.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secret").field(&self.name).finish()
    }
}
