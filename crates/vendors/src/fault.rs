//! The descriptions that vendors give of failures, in every shape in use.
//!
//! This module reads a text into a message, an [`ErrorKind`] and a wait. It uses words and status
//! codes, for any server.

use std::time::Duration;

use serde_json::Value;
use silcrow_provider::ErrorKind;

use crate::retry_advice;
use crate::too_long::is_too_long;

/// A failure as the vendor describes it.
#[derive(Default)]
pub(crate) struct VendorFault {
    pub(crate) message: String,
    /// The `type`, `code` and `status`, in lower case.
    words: String,
    /// The `code`, if it is a number.
    code: Option<u16>,
    /// The `status` next to the `error` object.
    outer_status: Option<u16>,
    /// The time for which the vendor asks to wait.
    pub(crate) wait: Option<Duration>,
}

impl VendorFault {
    pub(crate) fn read(text: &str) -> Self {
        let read = serde_json::from_str(text).ok().and_then(|value| Self::from_value(&value));
        read.unwrap_or_else(|| Self::plain(text))
    }

    /// Returns whether the text is an object with an `error`.
    pub(crate) fn stands_alone(text: &str) -> bool {
        let value = serde_json::from_str::<Value>(text);
        value.is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null()))
    }

    fn plain(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            wait: retry_advice::retry_after_in_text(message),
            ..Self::default()
        }
    }

    /// Reads `{"error": {"message", "type", "code", "status"}}`.
    ///
    /// The outer object may be missing or the first item of an array, the inner object may be a
    /// string, and `message` may be called `detail` or `msg`. A gateway puts the answer of the server
    /// behind it into `metadata.raw`.
    fn from_value(value: &Value) -> Option<Self> {
        if let Some(only) = value.get(0) {
            return Self::from_value(only);
        }
        if let Value::String(message) = value {
            return Some(Self::plain(message));
        }
        if let Some(inner) = value.get("error").filter(|inner| !inner.is_null()) {
            let status = value.get("status").and_then(Value::as_u64);
            let status = status.and_then(|status| status.try_into().ok());
            return Self::from_value(inner)
                .map(|fault| Self { outer_status: fault.outer_status.or(status), ..fault });
        }
        let text = |name| value.get(name).and_then(Value::as_str);
        let words = [text("type"), text("code"), text("status")];
        let words = words.into_iter().flatten().collect::<Vec<_>>();
        let code = value.get("code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        let message = text("message").or_else(|| text("detail")).or_else(|| text("msg"));
        if message.is_none() && words.is_empty() {
            return None;
        }
        let words = words.join(" ");
        let message = message.unwrap_or(&words);
        let wait = value.get("details").and_then(Value::as_array);
        let wait = wait
            .and_then(|details| asked_wait(details))
            .or_else(|| retry_advice::retry_after_in_text(message));
        let (message, words) = (message.to_owned(), words.to_ascii_lowercase());
        let fault = Self { message, words, code, outer_status: None, wait };
        let behind = value.get("metadata").and_then(|metadata| metadata.get("raw")?.as_str());
        Some(match behind.map(Self::read) {
            Some(cause) => fault.with_cause(&cause),
            None => fault,
        })
    }

    /// Adds the message of the server behind a gateway.
    fn with_cause(self, cause: &Self) -> Self {
        let message = format!("{}: {}", self.message, cause.message);
        let words = format!("{} {}", self.words, cause.words);
        Self { message, words, wait: self.wait.or(cause.wait), ..self }
    }

    /// Returns whether the account is used up, so that no pause helps.
    pub(crate) fn is_spent(&self) -> bool {
        self.words.contains("insufficient_quota") || self.words.contains("billing")
    }

    /// Returns the kind. Some words decide it; otherwise the status of the response or in its body
    /// does, and then other words.
    pub(crate) fn kind(&self, status: Option<u16>) -> ErrorKind {
        let says = |word: &str| self.words.contains(word);
        let tells = |words: &[&str]| words.iter().any(|words| self.message.contains(words));
        if self.is_spent() {
            return ErrorKind::Refused;
        }
        if is_too_long(&self.words, &self.message) {
            return ErrorKind::ContextTooLong;
        }
        if LOST.iter().any(|word| says(word)) {
            return ErrorKind::Network;
        }
        if status.or(self.code) == Some(400) && tells(&["API key not valid"]) {
            return ErrorKind::Auth;
        }
        // A status 400 in the body says little, because servers use it for everything.
        let beside = self.outer_status.filter(|status| *status != 400);
        let kind = by_status(status.or(self.code).or(beside)).or_else(|| self.by_words());
        kind.or_else(|| by_status(self.outer_status)).unwrap_or(ErrorKind::Overload)
    }

    fn by_words(&self) -> Option<ErrorKind> {
        let says = |words: &[&str]| words.iter().any(|word| self.words.contains(word));
        let kinds = [
            (says(&["authentica", "permission", "api_key"]), ErrorKind::Auth),
            (says(&["rate_limit", "resource_exhausted"]), ErrorKind::Rate),
            (says(&["server_error", "overloaded"]), ErrorKind::Overload),
            (says(&["invalid", "not_found"]), ErrorKind::Refused),
        ];
        kinds.into_iter().find_map(|(says, kind)| says.then_some(kind))
    }
}

const fn by_status(status: Option<u16>) -> Option<ErrorKind> {
    match status {
        Some(401 | 403) => Some(ErrorKind::Auth),
        Some(408 | 409 | 500..=599) => Some(ErrorKind::Overload),
        Some(413) => Some(ErrorKind::ContextTooLong),
        Some(429) => Some(ErrorKind::Rate),
        Some(400..=499) => Some(ErrorKind::Refused),
        _ => None,
    }
}

/// Returns the wait in `google.rpc.RetryInfo`, which is in seconds, such as `"2.5s"`.
fn asked_wait(details: &[Value]) -> Option<Duration> {
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// Parts of words for a conversation that the server no longer keeps, so that another connection
/// helps.
const LOST: [&str; 3] =
    ["previous_response_not_found", "websocket_connection_limit_reached", "session_expired"];
