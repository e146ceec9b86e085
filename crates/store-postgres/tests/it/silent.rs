//! A server that vanishes without a word: no connection is cut, and no answer comes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_postgres::{Options, PostgresStore};
use silcrow_testkit::PostgresServer;
use tokio::time::timeout;

use crate::relay::Relay;
use crate::{open_with, said};

async fn open(address: &str) -> PostgresStore {
    open_with(address, Options { patience: PATIENCE, ..Options::default() }).await
}

pub(crate) fn through(database: &str, server: &PostgresServer, folders: &str) -> String {
    let address = database.replace(server.folder(), folders);
    assert_ne!(address, database);
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_server_connections_are_replaced() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let relay = Relay::to(server.folder());
    let store = Arc::new(open(&through(&database, server, relay.folder())).await);
    let hold = store.hold("c").await.unwrap();
    store.append("c", 0, said("one")).await.unwrap();
    // Many connections are open, and all of them fall silent.
    let readers = (0..8).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.list(None).await })
    });
    for reader in readers.collect::<Vec<_>>() {
        assert_eq!(reader.await.unwrap().unwrap().len(), 1);
    }
    // The connections take turns, and each has the statement after two rounds. One that has to
    // learn it first is left before anything is appended, and the append succeeds on another one.
    let mut head = 1;
    for _ in 0..2 * relay.opened() {
        head = store.append("c", head, said("more")).await.unwrap();
    }
    relay.silence();
    let begin = Instant::now();
    let appended = timeout(LONG, store.append("c", head, said("two"))).await;
    let error = appended.expect("an append gives up").expect_err("nobody answers");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("gives no answer"), "{error}");
    // From here on the connections lead to the new server.
    assert_eq!(timeout(LONG, store.head("c")).await.unwrap().unwrap(), head);
    assert_eq!(store.append("c", head, said("two")).await.unwrap(), head + 1);
    assert!(begin.elapsed() < LONG, "{:?}", begin.elapsed());
    assert!(!hold.is_lost(), "the lease was renewed on another connection");
    hold.release().await;
}

#[tokio::test]
async fn abandoned_read_leaves_no_silent_connection() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let relay = Relay::to(server.folder());
    let store = open(&through(&database, server, relay.folder())).await;
    store.append("c", 0, said("one")).await.unwrap();
    relay.silence();
    // Such as a balancer that asks whether a server is ready.
    for _ in 0..2 {
        let _ = timeout(PATIENCE - Duration::from_millis(500), store.head("c")).await;
    }
    assert_eq!(timeout(PATIENCE, store.head("c")).await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn unresponsive_host_fails_over_to_next() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Relay::to(server.folder()), Relay::to(server.folder()));
    let hosts = [&one, &other].map(|relay| relay.folder().replace('/', "%2F")).join(",");
    let (_, name) = database.rsplit_once("@/").unwrap();
    let (name, _) = name.split_once('?').unwrap();
    let store = open(&format!("postgres://postgres@{hosts}/{name}")).await;
    store.append("c", 0, said("one")).await.unwrap();
    assert_eq!(other.opened(), 0, "the first host has everything");
    one.die();
    // The first attempt may be the one that notices it.
    let read = timeout(LONG, store.head("c")).await.expect("a read gives up");
    assert_eq!(read.unwrap(), 1);
    assert_eq!(timeout(LONG, store.append("c", 1, said("two"))).await.unwrap().unwrap(), 2);
    assert!(other.opened() > 0);
}

#[tokio::test]
async fn initially_silent_server_is_named() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let relay = Relay::to(server.folder());
    relay.die();
    let address = through(&database, server, relay.folder());
    let address = silcrow_store_postgres::PostgresAddress::parse(&address, |_| None).unwrap();
    let options = Options { patience: PATIENCE, ..Options::default() };
    let opened = timeout(LONG, PostgresStore::open(address, options)).await;
    let error = opened.expect("it gives up").expect_err("nobody answers");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("gives no answer"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lock_wait_times_out_and_next_statement_runs() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let store = open(&database).await;
    store.append("c", 0, said("one")).await.unwrap();
    let locked = database.clone();
    let locks = tokio::task::spawn_blocking(move || {
        let rows = "with held as (select id from silcrow.conversation for update)";
        server.run(&locked, &format!("{rows} select pg_sleep(6) from held"))
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let error = timeout(LONG, store.append("c", 1, said("two"))).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    locks.await.unwrap();
    // It is unknown whether it was carried out.
    let head = store.head("c").await.unwrap();
    assert!(head == 1 || head == 2, "{head}");
    assert_eq!(store.append("c", head, said("three")).await.unwrap(), head + 1);
}

const PATIENCE: Duration = Duration::from_secs(2);

/// The longest time of anything that is tried twice, on a busy machine.
const LONG: Duration = Duration::from_secs(20);
