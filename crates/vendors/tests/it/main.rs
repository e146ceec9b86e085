//! Chat Completions against real sockets.

mod captures;
mod cuts;
mod environment;
mod faults;
mod requests;
mod server;
