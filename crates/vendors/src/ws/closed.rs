use std::time::Duration;

use silcrow_provider::{Error, ErrorKind};

use crate::error::{Fault, Peer};
use crate::ws::Gone;

impl Peer {
    /// The WebSocket ended before the answer did. `hint` is what the API knows of it.
    pub(crate) fn gone(&self, gone: Gone, hint: Option<&str>) -> Error {
        match gone {
            Gone::Closed(code, reason) => self.closed(code, &reason, hint),
            Gone::Broken(cause) => self.cut(Some(cause)),
            Gone::Malformed(why) => self.malformed(&why),
        }
    }

    /// No answer to the wish for a WebSocket.
    pub(crate) fn unopened(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message =
            format!("{} opens no WebSocket within {seconds} s; does it know them?", self.url);
        Error::new(ErrorKind::Timeout, message)
    }

    /// Signs of life, and no delta within a limit of ours.
    pub(crate) fn undecided(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} showed signs of life for {seconds} s, and no piece of an answer came; raise the \
             limit `alive` if it needs longer to begin",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// No delta within a limit of ours, in the middle of an answer.
    pub(crate) fn fell_silent(&self, limit: Duration) -> Error {
        let seconds = limit.as_secs_f64();
        let message = format!(
            "{} fell silent for {seconds} s in the middle of an answer; raise the limit `idle` if \
             it needs such pauses",
            self.url
        );
        Error::new(ErrorKind::Timeout, message)
    }

    /// An answer that was stopped and goes on.
    pub(crate) fn endless(&self) -> Error {
        let message = format!("{} does not stop an answer that is not wanted any more", self.url);
        Error::new(ErrorKind::Network, message)
    }

    /// A connection that is too old to ask over.
    pub(crate) fn retired(&self) -> Error {
        let message = format!("{} will soon end this connection; open another", self.url);
        Error::new(ErrorKind::Network, message)
    }

    /// An answer that counts in part only, where the API takes nothing back.
    pub(crate) fn unforgetting(&self) -> Error {
        let message = format!(
            "{} cannot forget what the model wrote behind what counts; open another connection",
            self.url
        );
        Error::new(ErrorKind::Network, message)
    }

    /// The server closed it, with what codes mean in RFC 6455 and its registry; those from 4400 on
    /// are in use as a status of HTTP, 4000 higher.
    fn closed(&self, code: Option<u16>, reason: &str, hint: Option<&str>) -> Error {
        let fault = Fault::read(reason);
        let told = fault.message.to_ascii_lowercase();
        let status = match code {
            // It goes away, or whoever stands between did not say why.
            None | Some(1000 | 1001 | 1005 | 1006 | 1015) => None,
            Some(1012 | 1013) => Some(503),
            Some(3000) => Some(401),
            Some(3003) => Some(403),
            Some(3008) => Some(408),
            Some(code @ 4400..=4599) => Some(code - 4000),
            Some(1008) if CREDENTIALS.iter().any(|word| told.contains(word)) => Some(401),
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

/// Words by which a violated policy is one about who asks.
const CREDENTIALS: [&str; 6] =
    ["api key", "api_key", "authentic", "credential", "permission", "unauthorized"];
