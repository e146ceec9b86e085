//! Headers that are added to requests, and the names of those with secrets.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{Error, ErrorKind};

use crate::key::ApiKey;

/// Headers that are sent besides those that a request sets itself.
#[derive(Clone, Default)]
pub(crate) struct ExtraHeaders {
    pub(crate) map: HeaderMap,
    /// The values of the headers whose names suggest a secret.
    pub(crate) secrets: Vec<ApiKey>,
}

impl ExtraHeaders {
    /// Sets a header. One that is in `own`, or that every request sets, is an error.
    pub(crate) fn set(&mut self, own: &HeaderMap, name: &str, value: &str) -> Result<(), Error> {
        let wrong = |why: &str| {
            // A caller may have passed the value as a part of the name.
            let name = name.split([':', ' ', '=']).next().unwrap_or_default();
            Error::new(ErrorKind::Refused, format!("the header `{name}` {why}"))
        };
        let read = HeaderName::try_from(name.trim());
        let name = read.map_err(|error| wrong("has no valid name").with_source(error))?;
        let is_own = own.contains_key(&name) || RESERVED.contains(&name.as_str());
        if is_own || name.as_str().starts_with("sec-websocket-") {
            return Err(wrong("is set by the request itself and cannot be replaced"));
        }
        let value = value.trim();
        let mut header = HeaderValue::try_from(value)
            .map_err(|_| wrong("holds a character that headers cannot hold; copy it again"))?;
        header.set_sensitive(true);
        if is_secret_header(name.as_str()) {
            self.secrets.push(ApiKey::new(value, name.as_str()));
        }
        self.map.insert(name, header);
        Ok(())
    }
}

/// Returns whether the name of a header suggests that it holds a secret, such as `X-Auth-Token`. No
/// message shows the value of such a header.
///
/// ```
/// use silcrow_vendors::is_secret_header;
///
/// assert!(is_secret_header("X-Auth-Token"));
/// assert!(!is_secret_header("OpenAI-Organization"));
/// ```
pub fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|word| name.contains(word))
}

/// Headers for credentials, framing, and the types of body and answer.
const RESERVED: [&str; 17] = [
    "accept",
    "accept-encoding",
    "api-key",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-api-key",
    "x-goog-api-key",
];

/// Words in the names of headers that hold secrets.
const SECRETS: [&str; 8] =
    ["auth", "cookie", "credential", "key", "password", "secret", "session", "token"];
