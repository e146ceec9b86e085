//! Integration tests, which speak the protocol as clients do, line by line and over HTTP.

mod declared;
mod doors;
mod http;
mod lines;
mod questions;
mod stops;
mod support;
mod tasks;
