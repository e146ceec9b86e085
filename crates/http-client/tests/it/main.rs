//! Clients against servers on this machine, over real sockets.

mod environment;
mod plain;
mod server;
mod tls;
