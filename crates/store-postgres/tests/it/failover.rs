//! A primary that is gone, and its standby, which is promoted while a store writes.

use std::sync::Arc;
use std::time::Duration;

use silcrow_event::Event;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_postgres::{Options, PostgresStore};
use silcrow_testkit::PostgresServer;
use tokio::sync::watch::{self, Receiver};
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::timeout;

use crate::{open, open_with, said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_takes_over_from_frozen_primary() {
    let Some(mut pair) = Pair::start().await else { return };
    block_in_place(|| pair.primary.freeze());
    pair.fail_over().await;
    // A server that was taken for gone may come back.
    block_in_place(|| pair.primary.wake());
    let acknowledged = pair.seen.borrow().acknowledged;
    let readers = (0..8).map(|_| {
        let store = Arc::clone(&pair.store);
        tokio::spawn(async move { store.head("c").await })
    });
    for reader in readers.collect::<Vec<_>>() {
        let head = reader.await.unwrap().unwrap();
        assert!(head >= acknowledged, "{head} is older than {acknowledged}");
    }
    pair.goes_on().await;
    pair.ends_at_the_standby().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_takes_over_from_crashed_primary() {
    let Some(mut pair) = Pair::start().await else { return };
    block_in_place(|| pair.primary.stop());
    pair.fail_over().await;
    pair.ends_at_the_standby().await;
}

/// Two servers, and a store that writes to the current primary.
struct Pair {
    primary: PostgresServer,
    standby: PostgresServer,
    store: Arc<PostgresStore>,
    writer: JoinHandle<()>,
    seen: Receiver<Progress>,
}

#[derive(Clone, Default)]
struct Progress {
    acknowledged: u64,
    failed: u64,
    error: String,
}

impl Pair {
    async fn start() -> Option<Self> {
        let primary = block_in_place(PostgresServer::start_primary)?;
        let standby = block_in_place(|| primary.standby());
        block_in_place(|| primary.run("postgres", &format!("create database {NAME}")));
        let hosts = [&primary, &standby].map(|server| server.folder().replace('/', "%2F"));
        let address = format!("postgres://postgres@{}/{NAME}", hosts.join(","));
        let options = Options { patience: PATIENCE, ..Options::default() };
        let store = Arc::new(open_with(&address, options).await);
        let (progress, seen) = watch::channel(Progress::default());
        let writing = Arc::clone(&store);
        let writer = tokio::spawn(async move {
            let mut now = Progress::default();
            while progress.send(now.clone()).is_ok() {
                match append(&writing, now.acknowledged).await {
                    Ok(head) => now.acknowledged = head,
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                        now.failed += 1;
                        now.error = error.to_string();
                    }
                }
            }
        });
        let mut pair = Self { primary, standby, store, writer, seen };
        pair.goes_on().await;
        Some(pair)
    }

    /// Waits for the message that there is no primary, and promotes the standby.
    async fn fail_over(&mut self) {
        let waits = |now: &Progress| now.error.contains("promote a standby");
        let Ok(seen) = timeout(LONG, self.seen.wait_for(waits)).await else {
            panic!("{:?} does not say what is missing", self.seen.borrow().error);
        };
        let before = seen.expect("the writer runs").clone();
        // Everything is at the standby already, and it got nothing in any other way.
        let recovers = block_in_place(|| self.standby.run(NAME, "select pg_is_in_recovery()"));
        assert_eq!(recovers, "t");
        let head = block_in_place(|| self.standby.run(NAME, HEAD)).parse::<u64>().unwrap();
        assert!(head == before.acknowledged || head == before.acknowledged + 1, "{head}");
        block_in_place(|| self.standby.promote());
        self.goes_on().await;
    }

    /// Waits until more is acknowledged.
    async fn goes_on(&mut self) {
        let enough = self.seen.borrow().acknowledged + 50;
        let is_enough = |now: &Progress| now.acknowledged >= enough;
        let seen = timeout(LONG, self.seen.wait_for(is_enough)).await;
        drop(seen.expect("appends continue").expect("the writer runs"));
    }

    /// Compares the acknowledged events with the new primary's.
    async fn ends_at_the_standby(self) {
        let Self { standby, writer, mut seen, .. } = self;
        let Progress { acknowledged, failed, .. } = seen.borrow_and_update().clone();
        drop(seen);
        writer.await.unwrap();
        let stored = open(&standby.address(NAME)).await.read("c", 1..=u64::MAX).await.unwrap();
        let count = stored.len() as u64;
        // One more was on its way when the counting ended.
        assert!(count >= acknowledged && failed > 0, "{acknowledged} of {count}");
        for (entry, text) in stored.iter().zip(0..) {
            assert_eq!(entry.event, Event::user(format!("{text}")));
        }
    }
}

/// Appends at the end of the log, where everything that was acknowledged is.
async fn append(store: &PostgresStore, acknowledged: u64) -> Result<u64, Error> {
    let head = store.head("c").await?;
    assert!(head >= acknowledged, "{acknowledged} were acknowledged, {head} are there");
    store.append("c", head, said(format!("{head}"))).await
}

const NAME: &str = "failover";

const HEAD: &str = "select head from silcrow.conversation";

const PATIENCE: Duration = Duration::from_secs(2);

/// The longest time until anything here comes, on a busy machine.
const LONG: Duration = Duration::from_secs(90);
