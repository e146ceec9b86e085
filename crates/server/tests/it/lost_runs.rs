//! Runs whose server is gone, in a store where no process continues them, or where they are over.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_event::{Entry, Event};
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, Options, RunPlace, Server, ServerUser};
use silcrow_store::search::SearchedUser;
use silcrow_store::{Error, MemoryStore, SharedRuns, Store, WaitingRun};
use tokio::time::sleep;

use crate::support::{TestServer, block_on};

/// A store in which all runs wait for a process, while the flag is set.
struct WaitingStore {
    store: Arc<MemoryStore>,
    runs: WaitingRuns,
}

pub(crate) struct WaitingRuns(pub(crate) Arc<Waits>);

/// Whether runs wait, and how often the store was asked.
#[derive(Default)]
pub(crate) struct Waits {
    is_set: AtomicBool,
    asked: AtomicUsize,
    /// A run that waits in the queue, which another process answers while one takes it here.
    pub(crate) queued: Mutex<Option<WaitingRun>>,
}

impl Waits {
    pub(crate) fn set() -> Arc<Self> {
        Arc::new(Self { is_set: true.into(), ..Self::default() })
    }

    pub(crate) async fn until_asked(&self, times: usize) {
        while self.asked.load(Ordering::SeqCst) < times {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

impl SharedRuns for WaitingRuns {
    fn waits<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        async { Ok(self.0.is_set.load(Ordering::SeqCst)) }.boxed()
    }

    fn next<'a>(
        &'a self,
        _: &'a SearchedUser,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Option<WaitingRun>, Error>> {
        async { Ok(self.0.queued.lock().unwrap().take()) }.boxed()
    }
}

impl Store for WaitingStore {
    silcrow_testkit::store_methods!(store: append, read, head, follow, list, summary, get, put, keys);
    silcrow_testkit::store_methods!(store: ids_beginning_with, delete, verify, search, hold);

    fn shared_runs(&self) -> &dyn SharedRuns {
        &self.runs
    }
}

/// Returns a server whose runs wait while the flag is set.
async fn waiting(takeover: Duration) -> (TestServer, Arc<Waits>) {
    let store = Arc::new(MemoryStore::new());
    let waits = Waits::set();
    let runs = WaitingRuns(Arc::clone(&waits));
    let shared = WaitingStore { store: Arc::clone(&store), runs };
    let (token, kept) = (AccessToken::random().unwrap(), Arc::clone(&store));
    let source = move |place: &RunPlace| {
        let answered = append(&kept, &place.conversation, Event::respond("Seventeen."));
        answered.now_or_never().expect("memory is there at once");
        Agent::new(ScriptedModel::parse("§respond: Here.\n§end", 1), Arc::clone(&kept))
    };
    let mut options = Options::default();
    options.takeover = takeover;
    let server = Server::new(shared, source)
        .with_options(options)
        .with_token(token.clone(), ServerUser::default());
    tokio::spawn({
        let server = server.clone();
        async move { server.work_off(SearchedUser::Any).await }
    });
    (TestServer::serve(server, store, token.reveal()).await, waits)
}

async fn store(server: &TestServer, event: Event) {
    append(&*server.store, "c1", event).await;
}

pub(crate) async fn append(store: &dyn Store, conversation: &str, event: Event) {
    let head = store.head(conversation).await.unwrap();
    let mut entry = Entry::from(event);
    entry.timestamp = Some(SystemTime::now().into());
    entry.turn = matches!(entry.event, Event::Respond(_) | Event::Think(_)).then_some(1);
    store.append(conversation, head, vec![entry]).await.unwrap();
}

pub(crate) const STREAMS: [&str; 2] =
    ["/v1/responses/resp_0_c1?stream=true", "/api/chat/c1/stream"];

#[test]
fn abandoned_run_fails_after_timeout() {
    block_on(async {
        let (server, _) = waiting(Duration::from_millis(900)).await;
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", "/v1/responses/resp_0_c1", "").await.json();
        assert_eq!(read["status"], "in_progress", "{read}");
        for (path, failed) in STREAMS.into_iter().zip(["response.failed", r#""type":"error""#]) {
            let reply = server.send("GET", path, "").await;
            assert!(reply.body.contains(failed), "{}", reply.body);
            assert!(reply.body.contains("no other one has continued it"), "{}", reply.body);
        }
    });
}

#[test]
fn run_ended_meanwhile_is_read_to_end() {
    block_on(async {
        let (server, waits) = waiting(Duration::from_secs(60)).await;
        store(&server, Event::user("Count.")).await;
        let reads = STREAMS.map(|path| server.send("GET", path, ""));
        let ends = async {
            // Each of both asks when it begins, and again while it waits.
            waits.until_asked(4).await;
            store(&server, Event::respond("Seventeen.")).await;
            waits.is_set.store(false, Ordering::SeqCst);
        };
        let [responses, sdk] = reads;
        let (responses, sdk, ()) = tokio::join!(responses, sdk, ends);
        assert!(responses.body.contains("response.completed"), "{}", responses.body);
        assert!(sdk.body.contains(r#""finishReason":"stop""#), "{}", sdk.body);
        for body in [responses.body, sdk.body] {
            assert!(body.contains("Seventeen."), "{body}");
        }
        assert_eq!(server.send("GET", STREAMS[1], "").await.status, 204);
    });
}

#[test]
fn briefly_ownerless_response_is_streamed_to_end() {
    block_on(async {
        let (server, waits) = waiting(Duration::from_secs(60)).await;
        waits.is_set.store(false, Ordering::SeqCst);
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", STREAMS[0], "");
        let ends = async {
            // It is asked for when the stream begins, and again while it waits.
            waits.until_asked(2).await;
            store(&server, Event::respond("Seventeen.")).await;
        };
        let (read, ()) = tokio::join!(read, ends);
        assert!(read.body.contains("Seventeen."), "{}", read.body);
        assert!(read.body.contains("response.completed"), "{}", read.body);
        // One that was lost long ago has failed.
        let (server, waits) = waiting(Duration::ZERO).await;
        waits.is_set.store(false, Ordering::SeqCst);
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", STREAMS[0], "").await;
        assert!(read.body.contains("ended without an answer"), "{}", read.body);
    });
}

#[test]
fn run_ended_elsewhere_is_read_to_end() {
    block_on(async {
        let (server, waits) = waiting(Duration::from_secs(60)).await;
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", STREAMS[0], "");
        let ends = async {
            waits.until_asked(2).await;
            let (conversation, user) = ("c1".to_owned(), None);
            let queued = WaitingRun { conversation, user, is_orphaned: true, is_abandoned: false };
            *waits.queued.lock().unwrap() = Some(queued);
            // The one that takes it finds its answer, which another one has given meanwhile.
            while server.store.head("c1").await.unwrap() < 2 {
                sleep(Duration::from_millis(10)).await;
            }
            waits.is_set.store(false, Ordering::SeqCst);
        };
        let (read, ()) = tokio::join!(read, ends);
        assert!(read.body.contains("Seventeen."), "{}", read.body);
        assert!(read.body.contains("response.completed"), "{}", read.body);
        assert!(!read.body.contains("waits for nothing"), "{}", read.body);
    });
}

#[test]
fn given_up_run_ends_with_reason() {
    block_on(async {
        let (server, waits) = waiting(Duration::from_secs(60)).await;
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", STREAMS[0], "");
        let ends = async {
            waits.until_asked(2).await;
            let (conversation, user) = ("c1".to_owned(), None);
            let queued = WaitingRun { conversation, user, is_orphaned: true, is_abandoned: true };
            *waits.queued.lock().unwrap() = Some(queued);
            while server.store.head("c1").await.unwrap() < 2 {
                sleep(Duration::from_millis(10)).await;
            }
            waits.is_set.store(false, Ordering::SeqCst);
        };
        let (read, ()) = tokio::join!(read, ends);
        assert!(read.body.contains(r#""status":"cancelled""#), "{}", read.body);
        let log = server.send("GET", "/conversations/c1", "").await.body;
        assert!(log.contains(r#""type":"cancelled","content":"the run was given up"#), "{log}");
        // No process holds it any more.
        server.start("c1", "Again.").await;
    });
}

#[test]
fn a_run_ends_where_the_person_has_continued() {
    block_on(async {
        let (server, _) = waiting(Duration::from_secs(60)).await;
        store(&server, Event::user("Count.")).await;
        let read = server.send("GET", STREAMS[0], "");
        let goes_on = async {
            store(&server, Event::user("Never mind.")).await;
            store(&server, Event::respond("All right.")).await;
        };
        let (read, ()) = tokio::join!(read, goes_on);
        assert!(!read.body.contains("All right."), "{}", read.body);
        assert!(read.body.contains("response.failed"), "{}", read.body);
    });
}
