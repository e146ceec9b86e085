//! Errors as clients of OpenAI read them.

use std::fmt;

use crate::json_object::JsonObject;
use crate::short_reason::short_reason;

/// An answer that says why a request was not fulfilled.
///
/// ```
/// use silcrow_front::{OpenAiError, OpenAiErrorKind};
///
/// let error = OpenAiError::new(OpenAiErrorKind::NotFound, "There is no model `x`; ask for `silcrow`.")
///     .with_param("model");
/// assert_eq!(error.kind().status(), 404);
/// assert_eq!(
///     error.to_json(),
///     r#"{"error":{"message":"There is no model `x`; ask for `silcrow`.","type":"invalid_request_error","param":"model","code":"not_found"}}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAiError {
    kind: OpenAiErrorKind,
    message: String,
    param: Option<String>,
    code: Option<String>,
}

/// The kind of an [`OpenAiError`], by which clients choose the class of their error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenAiErrorKind {
    /// The request is wrong.
    Invalid,
    /// The request has no key, or a wrong one.
    Unauthorized,
    /// The key is not for this.
    Forbidden,
    /// The requested name or id does not exist.
    NotFound,
    /// The request does not fit the state of the conversation, such as during a run.
    Conflict,
    /// The body of the request is too large.
    TooLarge,
    /// There are too many requests or runs; another attempt may help later.
    TooMany,
    /// The budget is spent. Another attempt does not help before the limit is raised.
    Quota,
    /// The run has failed.
    Failed,
    /// The server ends, or is overloaded; another attempt may help.
    Unavailable,
}

impl OpenAiError {
    /// Creates an error. The message names the fault, its place, and the next step.
    pub fn new(kind: OpenAiErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: short_reason(message.into()), param: None, code: None }
    }

    /// Sets the parameter that the error is about, such as `input[0].content`.
    #[must_use]
    pub fn with_param(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// Creates the error of a run that failed with one of our codes. The client can change a
    /// request that a vendor refused, and can repeat one that the vendor asks to repeat.
    pub(crate) fn of_run(code: &str, message: &str) -> Self {
        let kind = match code {
            // Clients look for the code of the kind.
            "token_limit" | "cost_limit" => return Self::new(OpenAiErrorKind::Quota, message),
            "refused" | "context_too_long" => OpenAiErrorKind::Invalid,
            "rate" => OpenAiErrorKind::TooMany,
            "overload" | "network" | "timeout" | "unavailable" => OpenAiErrorKind::Unavailable,
            _ => OpenAiErrorKind::Failed,
        };
        Self::new(kind, message).with_code(code)
    }

    /// Sets the code that programs can compare. Without it, the kind gives one.
    #[must_use]
    pub fn with_code(self, code: impl Into<String>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> OpenAiErrorKind {
        self.kind
    }

    /// Returns the body of the answer.
    pub fn to_json(&self) -> String {
        let error = JsonObject::new()
            .text("message", &self.message)
            .text("type", self.kind.as_type())
            .text_or_null("param", self.param.as_deref())
            .text("code", self.code.as_deref().unwrap_or(self.kind.as_str()));
        JsonObject::new().raw("error", error.finish()).finish()
    }
}

impl fmt::Display for OpenAiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpenAiError {}

impl OpenAiErrorKind {
    /// Returns the status of the HTTP response.
    pub const fn status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::TooMany | Self::Quota => 429,
            Self::Failed => 500,
            Self::Unavailable => 503,
        }
    }

    /// Returns the code that programs can compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid_request",
            Self::Unauthorized => "invalid_api_key",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::TooMany => "rate_limit_exceeded",
            Self::Quota => "insufficient_quota",
            Self::Failed => "server_error",
            Self::Unavailable => "unavailable",
        }
    }

    const fn as_type(self) -> &'static str {
        match self {
            Self::Invalid | Self::NotFound | Self::Conflict | Self::TooLarge => {
                "invalid_request_error"
            }
            Self::Unauthorized => "authentication_error",
            Self::Forbidden => "permission_error",
            Self::TooMany => "rate_limit_error",
            Self::Quota => "insufficient_quota",
            Self::Failed | Self::Unavailable => "server_error",
        }
    }
}
