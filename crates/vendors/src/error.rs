use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use silcrow_provider::{Error, ErrorKind};

use crate::key::ApiKey;
use crate::{status, wait};

/// What lies below an error.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Whom a request goes to. Every message about it is made here, so that none shows the key.
#[derive(Debug)]
pub(crate) struct Peer {
    /// What it is asked to speak.
    speaks: &'static str,
    /// Without password and query.
    pub(crate) url: String,
    key: Option<ApiKey>,
    /// What else no message shows.
    secrets: Vec<ApiKey>,
}

impl Peer {
    pub(crate) const fn new(speaks: &'static str, url: String, key: Option<ApiKey>) -> Self {
        Self { speaks, url, key, secrets: Vec::new() }
    }

    /// The same, none of whose messages shows these.
    pub(crate) fn hiding(self, secrets: Vec<ApiKey>) -> Self {
        Self { secrets, ..self }
    }

    /// No answer at all: `error` came instead of a status.
    pub(crate) fn unreachable(&self, error: reqwest::Error) -> Error {
        let error = error.without_url();
        let what = match (error.is_timeout(), error.is_connect()) {
            (true, _) => "takes too long to connect to",
            (false, true) => "cannot be connected to",
            (false, false) => "closed the connection without an answer",
        };
        let why = root(&error);
        let message = format!("{} {what} ({why}); is the server running there?", self.url);
        Error::new(ErrorKind::Network, message).caused_by(error)
    }

    /// No answer within a limit of ours.
    pub(crate) fn silent(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} gave no answer for {seconds} s, the limit for the first piece of an answer; raise \
             the limit `first` if it needs longer to begin",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// An answer other than 200. `body` is the beginning of what came with it; `wait` and
    /// `advised` are what its head says on asking again.
    pub(crate) fn status(
        &self,
        status: StatusCode,
        wait: Option<Duration>,
        advised: Option<bool>,
        body: &str,
    ) -> Error {
        let fault = Fault::read(body);
        let kind = fault.kind(Some(status.as_u16()));
        let wait = wait.or(fault.wait);
        let text = match &*self.quote(&fault.message) {
            "" => String::new(),
            text => format!(": {text}"),
        };
        let hint = match status {
            StatusCode::NOT_FOUND => "; is the model's name right, and the URL?".to_owned(),
            _ => self.hint(kind, wait),
        };
        let status = status::line(status);
        let error = Error::new(kind, format!("{} answered {status}{text}{hint}", self.url));
        let error = wait.into_iter().fold(error, Error::retry_after);
        // What is used up comes back with no pause, whatever the head says.
        let advised = advised.filter(|_| !fault.is_spent());
        advised.into_iter().fold(error, Error::advised)
    }

    /// An error in the place of a chunk, in a stream that began well.
    pub(crate) fn in_band(&self, data: &str) -> Error {
        let fault = Fault::read(data);
        let kind = fault.kind(None);
        let text = self.quote(&fault.message);
        let hint = self.hint(kind, fault.wait);
        let error = Error::new(kind, format!("{} broke off its answer: {text}{hint}", self.url));
        fault.wait.into_iter().fold(error, Error::retry_after)
    }

    /// An answer that ended with this word of the vendor's, which is no end of a whole one. `why` is
    /// what the vendor says of it.
    pub(crate) fn ended(&self, kind: ErrorKind, word: &str, why: &str) -> Error {
        let text = match &*self.quote(why) {
            "" => String::new(),
            text => format!(": {text}"),
        };
        let hint = match kind {
            ErrorKind::Cut => "; ask again".to_owned(),
            ErrorKind::Malformed => "; nobody knows here whether the answer is whole".to_owned(),
            kind => self.hint(kind, None),
        };
        let (url, word) = (&self.url, self.quote(word));
        Error::new(kind, format!("{url} ended its answer with the reason `{word}`{text}{hint}"))
    }

    /// An answer without its finish reason.
    pub(crate) fn cut(&self, cause: Option<Cause>) -> Error {
        if let Some(garbled) = cause.as_deref().filter(|cause| is_garbled(*cause)) {
            return self.malformed(&format!("its body cannot be read ({})", root(garbled)));
        }
        let why = match &cause {
            Some(cause) => format!("the connection broke: {}", root(&**cause)),
            None => "it closed the connection".to_owned(),
        };
        let error = Error::new(
            ErrorKind::Cut,
            format!("{} ended its answer without a finish reason ({why}); ask again", self.url),
        );
        cause.into_iter().fold(error, Error::caused_by)
    }

    /// An answer that cannot be read.
    pub(crate) fn malformed(&self, why: &str) -> Error {
        Error::new(
            ErrorKind::Malformed,
            format!(
                "{} does not answer as {} should: {why}; is the URL right?",
                self.url, self.speaks
            ),
        )
    }

    /// Text that is not what an event is: an error in a shape of its own, as gateways write it, or
    /// nothing of use. `error` repeats parts of `data`, so it is quoted and not kept.
    pub(crate) fn no_event(&self, data: &str, error: &serde_json::Error) -> Error {
        if Fault::stands_alone(data) {
            return self.in_band(data);
        }
        let (error, data) = (self.quote(&error.to_string()), self.quote(data));
        self.malformed(&format!("{error} in `{data}`"))
    }

    /// A redirect: following one would take the key along.
    pub(crate) fn redirected(&self, to: &str) -> Error {
        let to = self.quote(to);
        let message =
            format!("{} redirects to {to}, and redirects are not followed; use that URL", self.url);
        Error::new(ErrorKind::Refused, message)
    }

    pub(crate) fn hint(&self, kind: ErrorKind, wait: Option<Duration>) -> String {
        if let Some(wait) = wait {
            return format!("; it asks to wait {} s", wait.as_secs_f64());
        }
        match (kind, &self.key) {
            (ErrorKind::Auth, Some(key)) => format!("; check the key from {}", key.source()),
            (ErrorKind::Auth, None) => "; the server wants a key, and none was given".to_owned(),
            (ErrorKind::ContextTooLong, _) => "; shorten the conversation".to_owned(),
            (ErrorKind::Rate | ErrorKind::Overload, _) => "; try again later".to_owned(),
            _ => String::new(),
        }
    }

    /// A foreign text in a message of ours: one line, not long, without the key, and a page of
    /// HTML only named.
    pub(crate) fn quote(&self, text: &str) -> String {
        if text.trim_start().starts_with('<') {
            return "an HTML page".to_owned();
        }
        let secrets = self.key.iter().chain(&self.secrets);
        let text = secrets.fold(text.to_owned(), |text, secret| secret.redact(&text));
        let blank = |char: char| char.is_whitespace() || char.is_control();
        let words: Vec<_> = text.split(blank).filter(|word| !word.is_empty()).collect();
        let line = words.join(" ");
        match line.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

/// What a vendor says of its failure, in any of the shapes in use.
#[derive(Default)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// Its `type`, its `code` and its `status`, in small letters.
    words: String,
    /// Its `code`, where that is a number.
    code: Option<u16>,
    /// The `status` that stands beside the whole of it.
    beside: Option<u16>,
    /// How long it asks to wait.
    pub(crate) wait: Option<Duration>,
}

impl Fault {
    pub(crate) fn read(text: &str) -> Self {
        let read = serde_json::from_str(text).ok().and_then(|value| Self::of(&value));
        read.unwrap_or_else(|| Self::plain(text))
    }

    /// Whether the text is nothing but an error under its own name.
    fn stands_alone(text: &str) -> bool {
        let value = serde_json::from_str::<Value>(text);
        value.is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null()))
    }

    fn plain(message: &str) -> Self {
        Self { message: message.to_owned(), wait: wait::told(message), ..Self::default() }
    }

    /// `{"error": {"message", "type", "code", "status"}}`, the same without the outer object or as
    /// the only item of an array, a string in the place of the inner one, or `detail` in the place
    /// of `message`.
    fn of(value: &Value) -> Option<Self> {
        if let Some(only) = value.get(0) {
            return Self::of(only);
        }
        if let Value::String(message) = value {
            return Some(Self::plain(message));
        }
        if let Some(inner) = value.get("error").filter(|inner| !inner.is_null()) {
            let status = value.get("status").and_then(Value::as_u64);
            let status = status.and_then(|status| status.try_into().ok());
            return Self::of(inner).map(|fault| Self { beside: fault.beside.or(status), ..fault });
        }
        let text = |name| value.get(name).and_then(Value::as_str);
        let words = [text("type"), text("code"), text("status")];
        let words = words.into_iter().flatten().collect::<Vec<_>>();
        let code = value.get("code").and_then(Value::as_u64).and_then(|code| code.try_into().ok());
        let message = text("message").or_else(|| text("detail"));
        if message.is_none() && words.is_empty() {
            return None;
        }
        let words = words.join(" ");
        let message = message.unwrap_or(&words);
        let wait = value.get("details").and_then(Value::as_array);
        let wait = wait.and_then(|details| asked_wait(details)).or_else(|| wait::told(message));
        let (message, words) = (message.to_owned(), words.to_ascii_lowercase());
        Some(Self { message, words, code, beside: None, wait })
    }

    /// The account has nothing left: no pause helps.
    fn is_spent(&self) -> bool {
        self.words.contains("insufficient_quota") || self.words.contains("billing")
    }

    /// The kind by its words, then by its status: that of the answer, or one in its own body.
    pub(crate) fn kind(&self, status: Option<u16>) -> ErrorKind {
        let says = |word: &str| self.words.contains(word);
        let tells = |words: &[&str]| words.iter().any(|words| self.message.contains(words));
        if self.is_spent() {
            return ErrorKind::Refused;
        }
        if TOO_LONG.iter().any(|word| says(word)) || tells(&TOLD_TOO_LONG) {
            return ErrorKind::ContextTooLong;
        }
        if LOST.iter().any(|word| says(word)) {
            return ErrorKind::Network;
        }
        if status.or(self.code) == Some(400) && tells(&["API key not valid"]) {
            return ErrorKind::Auth;
        }
        // 400 is said of everything.
        let beside = self.beside.filter(|status| *status != 400);
        let kind = by_status(status.or(self.code).or(beside)).or_else(|| self.by_words());
        kind.or_else(|| by_status(self.beside)).unwrap_or(ErrorKind::Overload)
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
        Some(429) => Some(ErrorKind::Rate),
        Some(400..=499) => Some(ErrorKind::Refused),
        _ => None,
    }
}

/// What `google.rpc.RetryInfo` says: seconds, such as `"2.5s"`.
fn asked_wait(details: &[Value]) -> Option<Duration> {
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// Words for more messages than the model can read.
const TOO_LONG: [&str; 3] = ["context_length_exceeded", "exceed_context_size", "request_too_large"];

/// The same where no word says so.
const TOLD_TOO_LONG: [&str; 4] = [
    "maximum context length",
    "prompt is too long",
    "exceeds the maximum number of tokens",
    "exceeds the context window",
];

/// Words for a conversation that the server keeps no longer: another connection helps.
const LOST: [&str; 3] =
    ["previous_response_not_found", "websocket_connection_limit_reached", "session_expired"];

/// Whether the bytes came, but not as their encoding would have them.
fn is_garbled(error: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput};
    let causes = std::iter::successors(Some(error), |error| error.source());
    let kinds = causes.filter_map(|cause| Some(cause.downcast_ref::<std::io::Error>()?.kind()));
    kinds.into_iter().any(|kind| matches!(kind, InvalidData | InvalidInput))
}

/// The innermost reason, where the system speaks.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

/// The most characters of a foreign text in a message.
const QUOTED: usize = 500;
