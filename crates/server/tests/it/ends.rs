//! Servers that stop.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_server::{AgentSource, Error, ErrorKind, Options, PreparedAgent, RunPlace, Server};
use silcrow_store::{MemoryStore, Store as _};
use tokio::sync::Semaphore;

use crate::support::{SlowModel, TestServer, block_on};

#[test]
fn shutdown_ends_streams_and_lets_runs_finish() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let mut server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        let mut all = server.events("/events", None).await;
        server.stop.cancel();
        // The streams end, although the run is still at work.
        assert!(reader.rest().await.is_empty());
        assert!(all.rest().await.is_empty());
        assert!(!server.served.is_finished());
        for piece in ["§respond: Done.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        (&mut server.served).await.unwrap();
        let head = server.store.head("c1").await.unwrap();
        let last = server.store.read("c1", head..=head).await.unwrap();
        assert_eq!(last[0].event, silcrow_event::Event::respond("Done."));
        assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
    });
}

#[test]
fn endless_run_is_cancelled_at_shutdown() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let mut options = Options::default();
        options.patience = Duration::ZERO;
        let mut server = TestServer::with(model, options, |agent| agent).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        server.stop.cancel();
        (&mut server.served).await.unwrap();
        let head = server.store.head("c1").await.unwrap();
        let last = server.store.read("c1", head..=head).await.unwrap();
        assert_eq!(last[0].event.type_name(), "cancelled");
    });
}

/// A source that takes its time.
struct SlowSource {
    agent: Agent,
    may_answer: Arc<Semaphore>,
}

impl AgentSource for SlowSource {
    fn agent<'a>(&'a self, _: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async {
            self.may_answer.acquire().await.unwrap().forget();
            Ok(self.agent.clone().into())
        }
        .boxed()
    }
}

#[test]
fn run_prepared_during_shutdown_is_cancelled() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let store = Arc::new(MemoryStore::new());
        let may_answer = Arc::new(Semaphore::new(0));
        let agent = Agent::new(model, Arc::clone(&store));
        let source = SlowSource { agent, may_answer: Arc::clone(&may_answer) };
        let mut options = Options::default();
        options.patience = Duration::ZERO;
        let server = Server::new(Arc::clone(&store), source).with_options(options);
        let begins = server.start(RunPlace::new("c1"), "Go.");
        let stops = async {
            let mut stopping = std::pin::pin!(server.stop());
            let wait = Duration::from_millis(20);
            // It has cancelled everything by now, and waits for the run that is prepared.
            assert!(tokio::time::timeout(wait, &mut stopping).await.is_err());
            may_answer.add_permits(1);
            stopping.await;
        };
        let (begun, ()) = tokio::join!(begins, stops);
        let is_stored = store.head("c1").await.unwrap() > 0;
        match begun {
            Ok(_) => assert!(is_stored, "a run that has begun has a prompt"),
            Err(error) => {
                assert_eq!((error.kind(), is_stored), (ErrorKind::Unavailable, false), "{error}");
            }
        }
    });
}
