//! Normalizes host names, and tells public addresses from private ones.
//!
//! ```toml
//! [dependencies]
//! silcrow-resolve = "0.1"
//! ```
//!
//! ```
//! use silcrow_resolve::{HostName, is_public};
//!
//! // All spellings of a host become one.
//! let host = HostName::parse("Example.ORG.").unwrap();
//! assert_eq!(host.as_str(), "example.org");
//! let hidden = HostName::parse("0x7f.1").unwrap();
//! assert_eq!(hidden.as_str(), "127.0.0.1");
//!
//! // A host is private by its name or by its address, and a name also by what it leads to.
//! assert!(hidden.is_private());
//! assert!(HostName::parse("printer.local").unwrap().is_private());
//! assert!(!host.is_private());
//! assert!(!is_public("169.254.169.254".parse().unwrap()));
//! ```
//!
//! A program that connects on behalf of others parses the host, rejects it if it is private,
//! resolves it once with a [`Resolver`], rejects it if any of its addresses is not
//! [public](is_public), and then connects to exactly one of these addresses. The web tools and the
//! proxy of confined commands work this way.
//!
//! # What this crate does not do
//!
//! - It does not connect. Only [`SystemResolver`] does I/O.
//! - It does not parse URLs or ports.
//! - It does not decide which hosts are allowed.

mod address;
mod host_name;
mod resolver;

pub use crate::address::is_public;
pub use crate::host_name::{HostName, ParseHostError, is_private_name};
pub use crate::resolver::{Resolver, SystemResolver};
