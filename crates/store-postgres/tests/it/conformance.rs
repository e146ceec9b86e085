//! What every store promises.

use silcrow_store::conformance;
use silcrow_testkit::PostgresServer;

use crate::open;

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
