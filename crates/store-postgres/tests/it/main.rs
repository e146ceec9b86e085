//! The store on a real server.

mod conformance;
mod place;

use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};

/// Opens a store.
async fn open(address: &str) -> PostgresStore {
    open_with(address, Options::default()).await
}

/// Opens a store with settings.
async fn open_with(address: &str, options: Options) -> PostgresStore {
    let address = PostgresAddress::parse(address, |_| None).unwrap();
    PostgresStore::open(address, options).await.unwrap()
}
