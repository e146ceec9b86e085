//! The error about a named database in a program that was built without databases.

use std::convert::Infallible;
use std::sync::Arc;

use silcrow_store::{Error, ErrorKind, Store};

/// No address can be used.
pub(super) type Address = Infallible;

pub(super) fn is_address(word: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| word.starts_with(scheme))
}

pub(super) fn parse(_: &str) -> Result<Address, Error> {
    Err(Error::new(
        ErrorKind::Refused,
        "this program was built without databases; name a folder with --store DIR, or build it with \
         the feature `postgres`",
    ))
}

pub(super) async fn open(
    address: &Address,
    _: Option<String>,
    _: bool,
) -> Result<Arc<dyn Store>, Error> {
    match *address {}
}
