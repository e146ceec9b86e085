//! A model that is an object of Python.
//!
//! Its answer is an asynchronous generator. The run pulls: it asks for each piece once it has read the one
//! before, so a generator is never ahead of its reader.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, FinishReason, OpeningSession, Provider, Request,
};

use crate::desk::Desk;

/// A model whose answers are generators of Python.
pub(crate) struct GeneratorModel {
    pub(crate) name: String,
    pub(crate) desk: Arc<Desk>,
}

impl Provider for GeneratorModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let messages: Vec<Value> = request
            .messages
            .iter()
            .map(
                |message| json!({"role": message.role.as_str(), "content": message.content.text()}),
            )
            .collect();
        let begin = json!({"messages": messages, "streaming": request.streaming}).to_string();
        let answer =
            GeneratedAnswer { desk: Arc::clone(&self.desk), number: None, begin: Some(begin) };
        stream::unfold(Some(answer), |answer| async move {
            let mut answer = answer?;
            match answer.next().await {
                Ok(Some(text)) => Some((Ok(Delta::Text(text)), Some(answer))),
                Ok(None) => Some((Ok(Delta::Done(FinishReason::Stop)), None)),
                Err(why) => Some((Err(why), None)),
            }
        })
        .boxed()
    }

    fn connect(&self, _request: Request) -> Option<OpeningSession> {
        None
    }
}

/// An answer that Python generates.
struct GeneratedAnswer {
    desk: Arc<Desk>,
    /// The number of the generator in Python.
    number: Option<u64>,
    /// The request, until it is sent.
    begin: Option<String>,
}

impl GeneratedAnswer {
    /// Returns the next piece, or `None` at the end.
    async fn next(&mut self) -> Result<Option<String>, Error> {
        let about = match (self.begin.take(), self.number) {
            (Some(begin), _) => self.desk.ask("answer", begin).await,
            (None, number) => {
                let about = json!({"number": number}).to_string();
                self.desk.ask("piece", about).await
            }
        };
        let ended = || Error::new(ErrorKind::Cut, "the program has ended the run");
        let piece: Value = serde_json::from_str(&about.ok_or_else(ended)?).unwrap_or_default();
        self.number = piece["number"].as_u64();
        match (&piece["text"], &piece["error"]) {
            (_, Value::String(why)) => Err(Error::new(ErrorKind::Refused, why.clone())),
            (Value::String(text), _) => Ok(Some(text.clone())),
            _ => {
                self.number = None;
                Ok(None)
            }
        }
    }
}

impl Drop for GeneratedAnswer {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.desk.tell("dropped", number.to_string());
        }
    }
}
