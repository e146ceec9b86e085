use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{FutureExt as _, stream};

use super::Secrets;
use super::difference::difference;
use super::line::{Asked, Line};
use super::session::Played;
use crate::error::{Error, ErrorKind};
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::{OpeningSession, Session};

/// A model that says again what was recorded: to each request the answer to the same request, each
/// once, and over a session what was said over one. It offers none if none was recorded.
///
/// A request that was not recorded gets an error of [`ErrorKind::Recording`] that shows where it
/// differs from the first that is left.
#[derive(Debug)]
pub struct Replay {
    left: Arc<Left>,
    /// Whether there was a session.
    sessions: bool,
}

/// The lines that were not said again yet.
#[derive(Debug)]
pub(crate) struct Left {
    lines: Mutex<Vec<Line>>,
    pub(crate) secrets: Secrets,
}

impl Replay {
    /// The answers of a recording whose secrets were these.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Recording`], with the number of the line that is none.
    pub fn parse(text: &str, secrets: Secrets) -> Result<Self, Error> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines = lines.map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} of the recording cannot be read: {error}", at + 1);
                Error::new(ErrorKind::Recording, message)
            })
        });
        let lines = lines.collect::<Result<Vec<Line>, _>>()?;
        let sessions = lines.iter().any(|line| line.session.is_some());
        Ok(Self { left: Arc::new(Left { lines: Mutex::new(lines), secrets }), sessions })
    }
}

impl Left {
    /// The answer to a request of its own, or to the first of a session.
    fn first(&self, session: bool, asked: &Asked) -> Result<Line, Error> {
        self.take(asked, |line| line.session.is_some() == session && line.request.kept.is_none())
    }

    /// The next answer of a session: what is sent over it has its order.
    pub(crate) fn next(&self, name: &str, asked: &Asked) -> Result<Line, Error> {
        let mut first = true;
        self.take(asked, |line| {
            line.session.as_deref() == Some(name)
                && line.request.kept.is_some()
                && std::mem::take(&mut first)
        })
    }

    fn take(&self, asked: &Asked, mut fits: impl FnMut(&Line) -> bool) -> Result<Line, Error> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting: Vec<_> = (0..lines.len()).filter(|at| fits(&lines[*at])).collect();
        if let Some(at) = fitting.iter().find(|at| lines[**at].request == *asked) {
            return Ok(lines.remove(*at));
        }
        let why = match fitting.first() {
            Some(at) => difference(&lines[*at].request, asked),
            None if lines.is_empty() => "every answer of it was given".to_owned(),
            None => "what is left of it was said in another mode, or in another session".to_owned(),
        };
        let message = format!("the recording does not hold this request: {why}; record it anew");
        Err(Error::new(ErrorKind::Recording, message))
    }
}

impl Provider for Replay {
    fn name(&self) -> &str {
        "replay"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        match self.left.first(false, &Asked::new(&request, &self.left.secrets)) {
            Ok(line) => Box::pin(stream::iter(line.answer.into_iter().map(Into::into))),
            Err(error) => Box::pin(stream::iter([Err(error)])),
        }
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let left = self.sessions.then(|| Arc::clone(&self.left))?;
        let asked = Asked::new(&request, &left.secrets);
        let opened = async move {
            let line = left.first(true, &asked)?;
            Ok(Box::new(Played::open(left, line)?) as Box<dyn Session>)
        };
        Some(opened.boxed())
    }
}
