//! The tables of addresses, and the spellings of hosts.

mod addresses;
mod hosts;
