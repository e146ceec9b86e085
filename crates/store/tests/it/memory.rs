//! The store in memory passes the conformance suite.

use silcrow_store::{MemoryStore, conformance};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_passes_every_check() {
    conformance::check(async || MemoryStore::new()).await;
}

#[tokio::test]
async fn memory_passes_every_check_on_one_thread() {
    conformance::check(async || MemoryStore::new()).await;
}
