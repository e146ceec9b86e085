//! The allocations of the store in memory for one conversation, among few others and among many.

use std::alloc::System;

use silcrow_store::MemoryStore;
use silcrow_store::conformance::{StoreCost, check_costs};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[tokio::test]
async fn one_conversation_costs_the_same_among_many() {
    check_costs(MemoryStore::new(), async || {
        let done = ALLOCATOR.stats();
        StoreCost { steps: done.allocations as u64, bytes: done.bytes_allocated as u64 }
    })
    .await;
}
