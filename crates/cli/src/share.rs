//! A store that another process has open: one process serves it, others ask it.
//!
//! ```text
//! silcrow run ── has the store open, listens at DIR/share/socket
//!     ▲  one line in:    {"ask":"follow","conversation":"c1","after":0}
//!     ▼  lines back:     {"silcrow":"share 1"}, then {"item":…} each, then {"end":"done"}
//! silcrow log ── prints the items
//! ```
//!
//! A connection is for one question, and questions only read. Instead of its end an answer may have
//! `{"error":…}`. A process that ends in order takes the socket away, and then cuts what it was
//! saying; one that was killed leaves it. The socket is its owner's alone. A client that asks nothing,
//! asks nonsense or does not read takes up a place and no more: serving has a thread of its own.

mod line;
mod remote;
mod serve;
mod socket;

pub(crate) use self::line::{StoreRequest, StoreResponse};
pub(crate) use self::remote::Remote;
pub(crate) use self::serve::Sharing;
