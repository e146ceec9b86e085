use std::sync::{Mutex, PoisonError};

use futures_util::stream;

use super::Secrets;
use super::difference::difference;
use super::line::{Asked, Line};
use crate::error::{Error, ErrorKind};
use crate::provider::{Deltas, Provider, Request};

/// A model that says again what was recorded: to each request the answer to the same request, each
/// once.
///
/// A request that was not recorded gets an error of [`ErrorKind::Recording`] that shows where it
/// differs from the first that is left.
#[derive(Debug)]
pub struct Replay {
    left: Mutex<Vec<Line>>,
    secrets: Secrets,
}

impl Replay {
    /// The answers of a recording whose secrets were these.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Recording`], with the number of the line that is none.
    pub fn parse(text: &str, secrets: Secrets) -> Result<Self, Error> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let left = lines.map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| {
                let message = format!("line {} of the recording cannot be read: {error}", at + 1);
                Error::new(ErrorKind::Recording, message)
            })
        });
        Ok(Self { left: Mutex::new(left.collect::<Result<_, _>>()?), secrets })
    }

    fn take(&self, asked: &Asked) -> Result<Line, Error> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = left.iter().position(|line| line.request == *asked) {
            return Ok(left.remove(at));
        }
        let why = match left.first() {
            Some(next) => difference(&next.request, asked),
            None => "every answer of it was given".to_owned(),
        };
        let message = format!("the recording does not hold this request: {why}; record it anew");
        Err(Error::new(ErrorKind::Recording, message))
    }
}

impl Provider for Replay {
    fn name(&self) -> &str {
        "replay"
    }

    fn stream(&self, request: Request) -> Deltas {
        match self.take(&Asked::new(&request, &self.secrets)) {
            Ok(line) => Box::pin(stream::iter(line.answer.into_iter().map(Into::into))),
            Err(error) => Box::pin(stream::iter([Err(error)])),
        }
    }
}
