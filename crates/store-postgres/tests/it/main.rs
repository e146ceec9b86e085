//! The store on a real server, in this process and in others.

mod backup;
mod conformance;
mod failover;
mod follow;
mod holds;
mod pages;
mod place;
mod relay;
mod restart;
mod runs;
mod search;
mod silent;
mod tls;
mod writers;
mod zombie;

use std::time::Duration;

use silcrow_event::{Entry, Event};
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};

/// Opens a store.
async fn open(address: &str) -> PostgresStore {
    open_with(address, Options::default()).await
}

/// Opens a store whose leases are so short that a test can outlast them.
async fn open_briefly(address: &str) -> PostgresStore {
    open_with(address, Options { lease: SHORT, ..Options::default() }).await
}

/// Opens a store with settings.
async fn open_with(address: &str, options: Options) -> PostgresStore {
    let address = PostgresAddress::parse(address, |_| None).unwrap();
    PostgresStore::open(address, options).await.unwrap()
}

/// Returns a batch of one message.
fn said(text: impl Into<String>) -> Vec<Entry> {
    vec![Event::user(text.into()).into()]
}

const SHORT: Duration = Duration::from_millis(1_500);
