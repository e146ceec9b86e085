//! The errors of requests, as messages for people.
//!
//! The [`Peer`] of a server makes all messages about it, and has the secrets that no message may
//! show. `fault` reads the vendor's own description, and `status` names status codes.

use std::time::Duration;

use reqwest::StatusCode;
use silcrow_provider::{Error, ErrorKind};

use crate::fault::VendorFault;
use crate::key::ApiKey;
use crate::status;

/// The source of an error.
pub(crate) type ErrorCause = Box<dyn std::error::Error + Send + Sync>;

/// The server of a request, as messages show it.
#[derive(Debug)]
pub(crate) struct Peer {
    /// The name of the API.
    api: &'static str,
    /// The URL without its password and query.
    pub(crate) url: String,
    key: Option<ApiKey>,
    /// The other secrets that no message shows.
    secrets: Vec<ApiKey>,
}

impl Peer {
    pub(crate) const fn new(api: &'static str, url: String, key: Option<ApiKey>) -> Self {
        Self { api, url, key, secrets: Vec::new() }
    }

    /// Keeps these secrets out of messages, too.
    pub(crate) fn hiding(self, secrets: Vec<ApiKey>) -> Self {
        Self { secrets, ..self }
    }

    /// Returns the error for a request without a response.
    pub(crate) fn unreachable(&self, error: reqwest::Error) -> Error {
        let error = error.without_url();
        let what = match (error.is_timeout(), error.is_connect()) {
            (true, _) => "takes too long to connect to",
            (false, true) => "cannot be connected to",
            (false, false) => "closed the connection without an answer",
        };
        let message = format!("{} {what}; is the server running there?", self.url);
        Error::new(ErrorKind::Network, message).with_source(root(&error))
    }

    /// Returns the error for a server that has sent nothing for `limit`.
    pub(crate) fn silent(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} gave no answer for {seconds} s, the limit for the first piece of an answer; raise \
             the limit `first` if it needs longer to begin",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// Returns the error for a status other than 200. `body` is the beginning of the body; `wait`
    /// and `advised` are the headers' advice about another request.
    pub(crate) fn status(
        &self,
        status: StatusCode,
        wait: Option<Duration>,
        advised: Option<bool>,
        body: &str,
    ) -> Error {
        let fault = VendorFault::read(body);
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
        let error = wait.into_iter().fold(error, Error::with_retry_after);
        // The headers may advise to retry, but no pause refills an account.
        let advised = advised.filter(|_| !fault.is_spent());
        advised.into_iter().fold(error, Error::with_advice)
    }

    /// Returns the error that a server sent in place of an event.
    pub(crate) fn in_band(&self, data: &str) -> Error {
        let fault = VendorFault::read(data);
        let kind = fault.kind(None);
        let text = self.quote(&fault.message);
        let hint = self.hint(kind, fault.wait);
        let error = Error::new(kind, format!("{} broke off its answer: {text}{hint}", self.url));
        fault.wait.into_iter().fold(error, Error::with_retry_after)
    }

    /// Returns the error for an answer that ended with the word of an incomplete answer. `why` is
    /// the vendor's explanation.
    pub(crate) fn ended(&self, kind: ErrorKind, word: &str, why: &str) -> Error {
        let text = match &*self.quote(why) {
            "" => String::new(),
            text => format!(": {text}"),
        };
        let hint = match kind {
            ErrorKind::Cut => "; ask again".to_owned(),
            ErrorKind::Malformed => "; it is unknown whether the answer is complete".to_owned(),
            kind => self.hint(kind, None),
        };
        let (url, word) = (&self.url, self.quote(word));
        Error::new(kind, format!("{url} ended its answer with the reason `{word}`{text}{hint}"))
    }

    /// Returns the error for an answer without a finish reason.
    pub(crate) fn cut(&self, cause: Option<ErrorCause>) -> Error {
        if let Some(garbled) = cause.as_deref().filter(|cause| is_garbled(*cause)) {
            return self.malformed("its body cannot be read").with_source(root(garbled));
        }
        let why = match &cause {
            Some(_) => "the connection broke",
            None => "it closed the connection",
        };
        let message =
            format!("{} ended its answer without a finish reason ({why}); ask again", self.url);
        let error = Error::new(ErrorKind::Cut, message);
        cause.iter().fold(error, |error, cause| error.with_source(root(&**cause)))
    }

    /// Returns the error for an answer that cannot be read.
    pub(crate) fn malformed(&self, why: &str) -> Error {
        Error::new(
            ErrorKind::Malformed,
            format!(
                "{} does not answer as {} should: {why}; is the URL right?",
                self.url, self.api
            ),
        )
    }

    /// Returns the error for text that is not an event, which may be a gateway's error in its own
    /// form. `error` repeats parts of `data`, so it is quoted and not kept as a source.
    pub(crate) fn no_event(&self, data: &str, error: &serde_json::Error) -> Error {
        if VendorFault::stands_alone(data) {
            return self.in_band(data);
        }
        let (error, data) = (self.quote(&error.to_string()), self.quote(data));
        self.malformed(&format!("{error} in `{data}`"))
    }

    /// Returns the error for a redirect, which is not followed because the key would go along.
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
            (ErrorKind::Auth, None) => "; the server requires a key, and none was given".to_owned(),
            (ErrorKind::ContextTooLong, _) => "; shorten the conversation".to_owned(),
            (ErrorKind::Rate | ErrorKind::Overload, _) => "; try again later".to_owned(),
            _ => String::new(),
        }
    }

    /// Returns a server's text for use in a message: one short line without secrets. An HTML page
    /// is only named.
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

/// Returns whether the bytes arrived but violate their encoding.
fn is_garbled(error: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput};
    let causes = std::iter::successors(Some(error), |error| error.source());
    let kinds = causes.filter_map(|cause| Some(cause.downcast_ref::<std::io::Error>()?.kind()));
    kinds.into_iter().any(|kind| matches!(kind, InvalidData | InvalidInput))
}

/// Returns the message of the innermost source, which the system wrote.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

/// The maximum number of characters of a server's text in a message.
const QUOTED: usize = 500;
