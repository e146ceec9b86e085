//! A model that replays a recording.
//!
//! The state is the set of lines that were not replayed yet; each line is replayed once.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{FutureExt as _, stream};

use super::Secrets;
use super::difference::difference;
use super::line::{RecordedLine, RecordedRequest};
use super::session::ReplayedSession;
use crate::error::{Error, ErrorKind};
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::{OpeningSession, Session};

/// A model that replays a recording: it returns each recorded answer once, to the same request. It
/// has sessions if the recording has one.
///
/// A request that was not recorded fails with an error of [`ErrorKind::Recording`], which shows the
/// difference from the next recorded one.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::record::{Replay, Secrets};
/// use silcrow_provider::{ErrorKind, Provider as _, Request};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// let line = r#"{"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"text":"§end"},{"done":"stop"}]}"#;
/// let model = Replay::parse(line, Secrets::default())?;
/// let error = model.stream(Request::new(vec![Message::user("hello")])).next().await.unwrap();
/// // The error shows the difference, so that a test says what changed.
/// assert_eq!(error.as_ref().unwrap_err().kind(), ErrorKind::Recording);
/// assert!(error.unwrap_err().to_string().contains("hello"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Replay {
    left: Arc<UnplayedLines>,
    /// Whether a session was recorded.
    sessions: bool,
}

/// The lines that were not replayed yet.
#[derive(Debug)]
pub(crate) struct UnplayedLines {
    lines: Mutex<Vec<RecordedLine>>,
    pub(crate) secrets: Secrets,
}

impl Replay {
    /// Parses a recording in which `secrets` were masked.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Recording`] with the number of a line that cannot be read.
    pub fn parse(text: &str, secrets: Secrets) -> Result<Self, Error> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines = lines.map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} of the recording cannot be read", at + 1);
                Error::new(ErrorKind::Recording, message).with_source(error)
            })
        });
        let lines = lines.collect::<Result<Vec<RecordedLine>, _>>()?;
        let sessions = lines.iter().any(|line| line.session.is_some());
        Ok(Self { left: Arc::new(UnplayedLines { lines: Mutex::new(lines), secrets }), sessions })
    }
}

impl UnplayedLines {
    /// Returns the answer to a request without a session, or to the first request of one.
    fn first(&self, session: bool, asked: &RecordedRequest) -> Result<RecordedLine, Error> {
        self.take(asked, |line| line.session.is_some() == session && line.request.kept.is_none())
    }

    /// Returns the next answer of a session, whose requests keep their order.
    pub(crate) fn next(&self, name: &str, asked: &RecordedRequest) -> Result<RecordedLine, Error> {
        let mut first = true;
        self.take(asked, |line| {
            line.session.as_deref() == Some(name)
                && line.request.kept.is_some()
                && std::mem::take(&mut first)
        })
    }

    fn take(
        &self,
        asked: &RecordedRequest,
        mut fits: impl FnMut(&RecordedLine) -> bool,
    ) -> Result<RecordedLine, Error> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting: Vec<_> = (0..lines.len()).filter(|at| fits(&lines[*at])).collect();
        if let Some(at) = fitting.iter().find(|at| lines[**at].request == *asked) {
            return Ok(lines.remove(*at));
        }
        let why = match fitting.first() {
            Some(at) => difference(&lines[*at].request, asked),
            None if lines.is_empty() => "every answer of it was replayed".to_owned(),
            None => {
                "what is left of it was recorded in another mode, or in another session".to_owned()
            }
        };
        let message = format!("the recording does not hold this request: {why}; record it again");
        Err(Error::new(ErrorKind::Recording, message))
    }
}

impl Provider for Replay {
    fn name(&self) -> &str {
        "replay"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        match self.left.first(false, &RecordedRequest::new(&request, &self.left.secrets)) {
            Ok(line) => Box::pin(stream::iter(line.answer.into_iter().map(Into::into))),
            Err(error) => Box::pin(stream::iter([Err(error)])),
        }
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let left = self.sessions.then(|| Arc::clone(&self.left))?;
        let asked = RecordedRequest::new(&request, &left.secrets);
        let opened = async move {
            let line = left.first(true, &asked)?;
            Ok(Box::new(ReplayedSession::open(left, line)?) as Box<dyn Session>)
        };
        Some(opened.boxed())
    }
}
