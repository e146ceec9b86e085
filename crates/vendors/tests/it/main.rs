//! Every API against real sockets.

mod caches;
mod captures;
mod catalog;
mod conversation;
mod cuts;
mod environment;
mod estimates;
mod faults;
mod gzip;
mod histories;
mod interactions;
mod live;
mod prefixes;
mod reached;
mod realtime;
mod requests;
mod sampling;
mod sent;
mod server;
mod silences;
mod socket;
mod sockets;
mod talk;
mod talks;
mod vendors;
mod wire;
