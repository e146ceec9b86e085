//! Every API against real sockets.

mod captures;
mod cuts;
mod environment;
mod faults;
mod interactions;
mod prefixes;
mod requests;
mod sent;
mod server;
mod vendors;
mod wire;
