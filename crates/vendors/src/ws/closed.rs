//! The errors of WebSockets as messages for people.

use std::time::Duration;

use silcrow_provider::{Error, ErrorKind};

use crate::error::Peer;
use crate::fault::VendorFault;
use crate::ws::Disconnect;

impl Peer {
    /// Returns the error for a connection that ended before the answer did. `hint` is the API's
    /// addition to the message.
    pub(crate) fn disconnected(&self, disconnect: Disconnect, hint: Option<&str>) -> Error {
        match disconnect {
            Disconnect::Closed(code, reason) => self.closed(code, &reason, hint),
            Disconnect::Broken(cause) => self.cut(Some(cause)),
            Disconnect::Malformed(why) => self.malformed(&why),
        }
    }

    /// Returns the error for an upgrade without a response.
    pub(crate) fn unopened(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} did not open a WebSocket within {seconds} s; does it support them?",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// Returns the error for signs of life without a delta.
    pub(crate) fn undecided(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} showed signs of life for {seconds} s, and no piece of an answer came; raise the \
             limit `first_total` if it needs longer to begin",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// Returns the error for silence in the middle of an answer.
    pub(crate) fn fell_silent(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} fell silent for {seconds} s in the middle of an answer; raise the limit `idle` if \
             it needs such pauses",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// Returns the error for an answer that continues after it was cancelled.
    pub(crate) fn endless(&self) -> Error {
        let message = format!("{} does not stop an answer that was cancelled", self.url);
        Error::new(ErrorKind::Network, message)
    }

    /// Returns the error for a connection that is too old to ask over.
    pub(crate) fn retired(&self) -> Error {
        let message = format!("{} will soon end this connection; open another", self.url);
        Error::new(ErrorKind::Network, message)
    }

    /// Returns the error for an answer that counts only in part, if the API cannot forget the rest.
    pub(crate) fn unforgetting(&self) -> Error {
        let message = format!(
            "{} cannot forget what the model wrote after the part that counts; open another connection",
            self.url
        );
        Error::new(ErrorKind::Network, message)
    }

    /// Returns the error for a connection that the server closed. Codes have the meanings of RFC
    /// 6455 and its registry. Codes from 4400 on are an HTTP status plus 4000.
    fn closed(&self, code: Option<u16>, reason: &str, hint: Option<&str>) -> Error {
        let fault = VendorFault::read(reason);
        let reason_text = fault.message.to_ascii_lowercase();
        let status = match code {
            // The server goes away, or a gateway closed the connection without a reason.
            None | Some(1000 | 1001 | 1005 | 1006 | 1015) => None,
            Some(1012 | 1013) => Some(503),
            Some(3000) => Some(401),
            Some(3003) => Some(403),
            Some(3008) => Some(408),
            Some(code @ 4400..=4599) => Some(code - 4000),
            Some(1008) if CREDENTIALS.iter().any(|word| reason_text.contains(word)) => Some(401),
            Some(1002 | 1003 | 1007..=1010 | 4000..=4999) => Some(400),
            Some(_) => Some(500),
        };
        let kind = status.map_or(ErrorKind::Cut, |status| fault.kind(Some(status)));
        let text = match &*self.quote(&fault.message) {
            "" => String::new(),
            text => format!(": {text}"),
        };
        let code = code.map_or_else(|| "without a code".to_owned(), |code| format!("with {code}"));
        let hint = match (hint, kind) {
            (Some(hint), _) => format!("; {hint}"),
            (None, ErrorKind::Cut) => "; ask again".to_owned(),
            (None, _) => self.hint(kind, fault.wait),
        };
        Error::new(kind, format!("{} closed the connection {code}{text}{hint}", self.url))
    }
}

/// Words that make a violated policy one about credentials.
const CREDENTIALS: [&str; 6] =
    ["api key", "api_key", "authentic", "credential", "permission", "unauthorized"];
