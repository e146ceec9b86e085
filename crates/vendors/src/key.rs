//! API keys, which no message shows.

use std::fmt;

use reqwest::header::HeaderValue;
use silcrow_provider::record::{Secret, Secrets};
use silcrow_provider::{Error, ErrorKind};

/// A secret for a server, and its source.
///
/// Messages and `Debug` show only the source; the secret itself is a [`Secret`].
///
/// ```
/// use silcrow_vendors::ApiKey;
///
/// // A key from a file often has a line break at its end.
/// let key = ApiKey::new("sk-1234567890\n", "OPENAI_API_KEY");
/// let shown = format!("{key:?}");
/// assert!(shown.contains("OPENAI_API_KEY") && !shown.contains("1234567890"), "{shown}");
/// ```
#[derive(Clone)]
pub struct ApiKey(Secret);

impl ApiKey {
    /// Creates a key from `secret`, with white space around it removed. `source` says in messages
    /// where it was found, such as the name of a variable or a file.
    pub fn new(secret: &str, source: impl Into<String>) -> Self {
        Self(Secret::new(secret, source))
    }

    pub(crate) fn source(&self) -> &str {
        self.0.name()
    }

    /// Returns the value of an `Authorization` header, marked as sensitive.
    pub(crate) fn bearer(&self) -> Result<HeaderValue, Error> {
        self.header("Bearer ")
    }

    /// Returns the value of a header that holds only the key, marked as sensitive.
    pub(crate) fn bare(&self) -> Result<HeaderValue, Error> {
        self.header("")
    }

    fn header(&self, scheme: &str) -> Result<HeaderValue, Error> {
        let wrong =
            |what| Error::new(ErrorKind::Auth, format!("the key from {} {what}", self.source()));
        let secret = self.0.expose();
        if secret.is_empty() {
            return Err(wrong("is empty; set it"));
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("holds a character that keys cannot hold; copy it again"));
        }
        let mut value = HeaderValue::try_from(format!("{scheme}{secret}"))
            .expect("visible ASCII is a header's value");
        value.set_sensitive(true);
        Ok(value)
    }

    /// Returns `text` without the secret and its pieces, in any form, because servers may repeat a
    /// key that they reject.
    pub(crate) fn redact(&self, text: &str) -> String {
        Secrets::named([self.0.clone()]).redact(text, "[key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("source", &self.source()).finish_non_exhaustive()
    }
}
