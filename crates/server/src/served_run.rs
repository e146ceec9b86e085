//! A run as the faces of a server see it: it can be stopped, steered, and read by any encoder.

use std::fmt;
use std::sync::Arc;

use futures_util::stream::{self, BoxStream};
use silcrow_agent::SteerMessage;
use silcrow_event::RunEvent;
use silcrow_front::{RunEncoder, RunEnd};

use crate::error::Error;
use crate::live_run::{LiveRun, RunOutput};
use crate::run_encoding::RunEncoding;
use crate::run_reader::{RunItem, RunReader};
use crate::server::Server;
use crate::takeover;

/// A run of a server, running or over. Nothing that happens to this value stops it.
#[derive(Clone)]
pub struct ServedRun {
    pub(crate) run: Arc<LiveRun>,
    pub(crate) server: Server,
}

impl ServedRun {
    /// Returns the id that the server gave the run.
    pub fn id(&self) -> &str {
        &self.run.id
    }

    /// Returns the id of its conversation.
    pub fn conversation(&self) -> &str {
        &self.run.place.conversation
    }

    /// Returns the position in the log after which the run began.
    pub fn began_after(&self) -> u64 {
        self.run.began_after
    }

    /// Returns the end of the run; `None` while it runs.
    pub fn ended(&self) -> Option<RunEnd> {
        self.run.ended()
    }

    /// Stops the run: it stops its model and its tools, and leaves a valid history.
    pub fn stop(&self) {
        self.run.cancel.cancel();
    }

    /// Sends a message to the run, and waits until it is stored.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`Stale`](crate::ErrorKind::Stale) if the message is blank, the run is
    /// over, or too many messages wait.
    pub async fn steer(&self, message: impl Into<SteerMessage>) -> Result<(), Error> {
        let handle = self.run.handle.get().ok_or_else(Error::not_begun)?;
        Ok(handle.steer(message).await?)
    }

    /// Encodes the run from its beginning to its end: first the existing events, then later ones.
    ///
    /// The encoder skips the events before the run, and gets every event of the run once: the stored
    /// ones that the run does not hold any more from the log, and all others from the run itself.
    /// Pieces of a text come only from its beginning; otherwise its whole text comes as an event. So
    /// a reader that is [too slow](crate::Options::behind) may get a text in one piece.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use std::sync::Arc;
    /// # use futures_util::StreamExt as _;
    /// # use silcrow_agent::Agent;
    /// # use silcrow_front::NativeEncoder;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_server::{RunPlace, Server};
    /// # use silcrow_store::MemoryStore;
    /// let store = Arc::new(MemoryStore::new());
    /// let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    /// let agent = Agent::new(model, Arc::clone(&store));
    /// let server = Server::new(store, move |_: &RunPlace| agent.clone());
    ///
    /// let run = server.start(RunPlace::new("sums"), "2 + 2?").await.unwrap();
    /// let text: String = run.encode(NativeEncoder::new()).collect().await;
    /// assert!(text.ends_with("{\"type\":\"idle\",\"outcome\":\"answered\"}\n\n"));
    /// # });
    /// ```
    pub fn encode(&self, encoder: impl RunEncoder + 'static) -> BoxStream<'static, String> {
        let pieces = stream::unfold(self.encoding(encoder), |mut encoding| async {
            loop {
                let piece = encoding.next().await?;
                if !piece.is_empty() {
                    return Some((piece, encoding));
                }
            }
        });
        Box::pin(pieces)
    }

    /// Returns the events of the run from its beginning, each once, and then its end. Like
    /// [`encode`](Self::encode), without an encoder.
    pub fn events(&self) -> BoxStream<'static, RunOutput> {
        let reader =
            RunReader::new(&self.run, Arc::clone(&self.server.store), (self.run.began_after, 0));
        let run = self.clone();
        let events = stream::unfold(Some(reader), move |reader| {
            let run = run.clone();
            async move {
                let mut reader = reader?;
                loop {
                    let output = match reader.next().await {
                        Ok(RunItem::Stored(entry)) => RunOutput::Event(RunEvent::Entry(entry)),
                        Ok(RunItem::Live(message)) => message.output.clone(),
                        // The event with the whole text follows.
                        Ok(RunItem::Reset(_)) => continue,
                        Ok(RunItem::Over) => return None,
                        Ok(RunItem::Cut) if run.run.is_broken() => {
                            RunOutput::End(takeover::unavailable())
                        }
                        Ok(RunItem::Cut) => {
                            let at = reader.position();
                            reader = RunReader::new(&run.run, Arc::clone(&run.server.store), at);
                            continue;
                        }
                        Err(error) => {
                            let (code, message) = ("store".to_owned(), error.to_string());
                            RunOutput::End(RunEnd::Failed { code, message })
                        }
                    };
                    let is_end = matches!(output, RunOutput::End(_));
                    return Some((output, (!is_end).then_some(reader)));
                }
            }
        });
        Box::pin(events)
    }

    pub(crate) fn encoding<E: RunEncoder>(&self, encoder: E) -> RunEncoding<E> {
        RunEncoding::new(&self.server, &self.run, encoder)
    }
}

impl fmt::Debug for ServedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedRun")
            .field("id", &self.run.id)
            .field("place", &self.run.place)
            .finish_non_exhaustive()
    }
}
