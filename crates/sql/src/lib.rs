//! Offers declared PostgreSQL statements to an agent as a tool.
//!
//! ```toml
//! [dependencies]
//! silcrow-sql = "0.1"
//! silcrow-store-postgres = "0.1"
//! silcrow-tool = "0.1"
//! ```
//!
//! ```no_run
//! use silcrow_sql::{SqlOperation, SqlService};
//! use silcrow_store_postgres::{PostgresAddress, PostgresQueries};
//! use silcrow_tool::{ServiceOperation, ServiceParameter};
//!
//! let customer = ServiceParameter::parse("customer:integer").unwrap();
//! let open = ServiceOperation::new("open", "The open orders of a customer.", [customer]);
//! let open =
//!     SqlOperation::reading(open, "select id, total from orders where customer = $1 and open");
//! let address = PostgresAddress::parse("postgres://app@db.example.com/shop", |_| None).unwrap();
//! let shop = SqlService::new("shop", "The shop.", PostgresQueries::new(address).unwrap(), [open]);
//! ```
//!
//! The model calls `shop {"operation": "open", "customer": 7}` and reads the rows as a JSON array.
//! It chooses an operation and its parameters but writes no SQL: a parameter is always a value,
//! whatever it contains. Unless a statement is declared as [changing
//! something](SqlOperation::changing), it runs in a read-only transaction.
//!
//! # What this crate does not do
//!
//! - It creates no tables, and supports no other database.
//! - It does not decide who may see a row; the permissions of the database user do.
//! - It undoes nothing. In a transaction of calls, a changing operation needs a `compensate`.

mod service;

pub use service::{SqlOperation, SqlService};
