//! A database in PostgreSQL.

use std::env;
use std::sync::Arc;

use silcrow_store::{Error, Store};
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};

use crate::machine::machine_name;

/// The address of a database. It shows no password.
pub(super) type Address = PostgresAddress;

pub(super) fn is_address(word: &str) -> bool {
    PostgresAddress::is_address(word)
}

pub(super) fn parse(given: &str) -> Result<Address, Error> {
    PostgresAddress::parse(given, |name| env::var(name).ok())
}

/// Connects to a database. Others read the runs of this process at `serves_at`, and continue them if it
/// is gone and `is_continued`.
pub(super) async fn open(
    address: &Address,
    serves_at: Option<String>,
    is_continued: bool,
) -> Result<Arc<dyn Store>, Error> {
    let owner = format!("process {} on {}", std::process::id(), machine_name());
    let options = Options { owner, address: serves_at, is_continued, ..Options::default() };
    Ok(Arc::new(PostgresStore::open(address.clone(), options).await?))
}
