//! A PostgreSQL store for silcrow, which many machines can share.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-store = "0.1"
//! silcrow-store-postgres = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```no_run
//! use std::env;
//!
//! use silcrow_event::Event;
//! use silcrow_store::Store as _;
//! use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let variable = |name: &str| env::var(name).ok();
//!     let address =
//!         PostgresAddress::parse("postgres://silcrow@db.example.com/agents", variable).unwrap();
//!     let store = PostgresStore::open(address, Options::default()).await.unwrap();
//!
//!     // From here on no other machine can run the conversation.
//!     let hold = store.hold("c1").await.unwrap();
//!     store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
//!     hold.release().await;
//! }
//! ```
//!
//! ```text
//! append ─► one statement: compare head and epoch, insert ─► committed ─► hint to others, later
//! hold   ─► lease by the server's clock, with its own epoch ─► renewed with all others
//! follow ◄─ the heads of all that is followed, each second and at each hint
//! ```
//!
//! [`PostgresQueries`] runs other programs' statements against their own database, with rows as
//! JSON.
//!
//! The tables are in the schema `silcrow` (`src/schema/`). The store does not encrypt anything,
//! does not create databases or users, and attaches no meaning to events. If an owner is given up
//! for dead but still runs, the store rejects its writes but cannot stop its tools' effects
//! elsewhere. [The page on many
//! machines](https://github.com/silcrow/silcrow/blob/main/docs/many-machines.md) lists its
//! guarantees.

mod address;
mod busy;
mod bytes;
mod connections;
mod connector;
mod counts;
mod fault;
mod hold;
mod leases;
mod logs;
mod news;
mod options;
mod queries;
mod runs;
mod schema;
mod search;
mod shared;
mod side_connection;
mod store;
mod tls;
mod values;

pub use address::PostgresAddress;
pub use options::Options;
pub use queries::{PostgresQueries, QueryLimits, QueryRows};
pub use store::PostgresStore;
