//! Events that the process before adds while another one takes its run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_agent::Agent;
use silcrow_event::Event;
use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
use silcrow_store::search::SearchedUser;
use silcrow_store::{MemoryStore, SharedRuns, Store, WaitingRun};

use crate::lost_runs::{STREAMS, WaitingRuns, Waits, append};
use crate::support::{SlowModel, TestServer, block_on};

/// A store in which the process that had a run adds an event before another one has taken it.
struct LateStore {
    store: Arc<MemoryStore>,
    runs: WaitingRuns,
    is_added: AtomicBool,
}

impl LateStore {
    async fn after_the_event<T>(&self, taken: impl Future<Output = T>) -> T {
        if !self.is_added.swap(true, Ordering::SeqCst) {
            append(&*self.store, "c1", Event::think("What was asked?")).await;
        }
        taken.await
    }
}

impl Store for LateStore {
    silcrow_testkit::store_methods!(store: append, read, head, follow, list, summary, get, put, keys);
    silcrow_testkit::store_methods!(store: ids_beginning_with, delete, verify, search);
    silcrow_testkit::store_methods!(store, after_the_event: hold);

    fn shared_runs(&self) -> &dyn SharedRuns {
        &self.runs
    }
}

#[test]
fn events_during_takeover_precede_the_answer() {
    block_on(async {
        let (inner, waits) = (Arc::new(MemoryStore::new()), Waits::set());
        let (store, runs) = (Arc::clone(&inner), WaitingRuns(Arc::clone(&waits)));
        let late = Arc::new(LateStore { store, runs, is_added: false.into() });
        let (token, kept) = (AccessToken::random().unwrap(), Arc::clone(&late));
        let (model, pieces) = SlowModel::new();
        let source = move |_: &RunPlace| Agent::new(model.clone(), Arc::clone(&kept));
        let server = Server::new(late, source).with_token(token.clone(), ServerUser::default());
        let works = server.clone();
        tokio::spawn(async move { works.work_off(SearchedUser::Any).await });
        let server = TestServer::serve(server, Arc::clone(&inner), token.reveal()).await;
        append(&*inner, "c1", Event::user("Count.")).await;
        let mut reader = server.events(STREAMS[0], None).await;
        waits.until_asked(2).await;
        let (conversation, user) = ("c1".to_owned(), None);
        let queued = WaitingRun { conversation, user, is_orphaned: true, is_abandoned: false };
        *waits.queued.lock().unwrap() = Some(queued);
        pieces.send("\u{a7}respond: Seven".to_owned()).await.unwrap();
        let mut read = String::new();
        while !read.contains("Seven") {
            read += &reader.next_data().await.unwrap().to_string();
        }
        for piece in ["teen.\n\u{a7}end", ""] {
            pieces.send(piece.to_owned()).await.unwrap();
        }
        let completed = loop {
            let data = reader.next_data().await.unwrap();
            if data["type"] == "response.completed" {
                break data;
            }
        };
        let output = completed["response"]["output"].as_array().unwrap();
        let kinds: Vec<_> = output.iter().map(|item| item["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["reasoning", "message"], "{completed}");
    });
}
