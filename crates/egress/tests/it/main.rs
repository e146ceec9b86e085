//! The proxy between real clients and real servers on this machine, which stand for public ones: names
//! resolve to public addresses, the rules apply to these, and only then a connection leads to a server
//! here.

mod attacks;
mod connect;
mod floods;
mod forwards;
mod passes;
mod plain;
mod socks;
mod stage;
mod wall;
