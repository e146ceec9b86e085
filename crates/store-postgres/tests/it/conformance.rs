//! The promises of every store.

use silcrow_store::conformance::{self, StoreCost};
use silcrow_testkit::PostgresServer;

use crate::relay::Relay;
use crate::silent::through;
use crate::{Options, open, open_with};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_store_passes_every_check() {
    let Some(server) = PostgresServer::shared() else { return };
    conformance::check(async || open(&server.database()).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_again_keeps_all() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    conformance::check_reopening(async || open(&database).await).await;
}

/// Counts the messages to and from the server. With one connection every statement is prepared
/// once.
#[tokio::test]
async fn one_conversation_costs_the_same_among_many() {
    let Some(server) = PostgresServer::shared() else { return };
    let relay = Relay::to(server.folder());
    let address = through(&server.database(), server, relay.folder());
    let store = open_with(&address, Options { connections: 1, ..Options::default() }).await;
    conformance::check_costs(store, async || StoreCost { steps: 0, bytes: relay.bytes() as u64 })
        .await;
}
