//! A proxy for confined commands that connects only to granted hosts at public addresses.
//!
//! ```toml
//! [dependencies]
//! silcrow-egress = "0.1"
//! silcrow-event = "0.1"
//! tokio = { version = "1", features = ["io-util", "macros", "net", "rt"] }
//! ```
//!
//! ```
//! use std::net::TcpListener;
//!
//! use silcrow_egress::{EgressProxy, RefusalReason};
//! use silcrow_event::{Grant, Grants};
//! use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     // In a sandbox the listener is one inside the namespace of the commands.
//!     let listener = TcpListener::bind("127.0.0.1:0").unwrap();
//!     let port = listener.local_addr().unwrap().port();
//!     let proxy = EgressProxy::new();
//!     let server = proxy.serve(listener).unwrap();
//!
//!     // A pass belongs to one command. At a host that is not granted, a person could be asked here.
//!     let grants = Grants::from_iter([Grant::Network("example.org".to_owned())]);
//!     let pass = proxy.open(&grants, |_wanted| Box::pin(async { Err("nobody is there".to_owned()) }));
//!     let variable = format!("HTTPS_PROXY={}", pass.url(port));
//!     assert!(variable.starts_with("HTTPS_PROXY=http://"));
//!
//!     let mut client = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
//!     let authorization = pass.authorization();
//!     let head = format!(
//!         "CONNECT example.com:443 HTTP/1.1\r\nProxy-Authorization: {authorization}\r\n\r\n"
//!     );
//!     client.write_all(head.as_bytes()).await.unwrap();
//!     let mut answer = [0; 12];
//!     client.read_exact(&mut answer).await.unwrap();
//!     assert_eq!(&answer, b"HTTP/1.1 403");
//!
//!     let refusal = &pass.refusals()[0];
//!     assert_eq!(refusal.grant, Grant::Network("example.com".to_owned()));
//!     assert_eq!(refusal.reason, RefusalReason::NotGranted("nobody is there".to_owned()));
//!     // The pass is void, and its connections are cut.
//!     drop(pass);
//!     drop(server);
//! }
//! ```
//!
//! ```text
//! command ── proxy variables ── listener ── credentials ── is the host granted? ── resolve ── connect
//! in the sandbox                            of a pass      if not: ask, and wait   once,      to exactly
//!                                                                                  all public these
//! ```
//!
//! One port serves HTTP with absolute URLs, HTTP CONNECT and SOCKS5; the first byte tells them
//! apart. The proxy resolves each name itself, once for each connection and only after the host is
//! granted, so names cannot leak data. Hosts are normalized to [one
//! spelling](silcrow_resolve::HostName) before they are compared with a grant. If any of a host's
//! addresses is not [public](silcrow_resolve::is_public), the connection is refused, regardless of
//! grants.
//!
//! A [`NetworkPass`] lets one command through the proxy: it has random credentials, and a command
//! without them gets nothing. If a host is not granted, the connection waits while the function of
//! the pass is asked, once for all connections to that host; a yes lasts as long as the pass.
//! Dropping the pass revokes its credentials and cuts its connections.
//!
//! For plain HTTP, the proxy forwards one request for each head that it reads, and writes the head
//! anew: it takes `Host` from the URL, drops hop-by-hop headers, and states the length of the body
//! in one way. Each request gets a new connection.
//!
//! A [`PortForward`] carries connections from one port to another: to a server of this machine, or
//! from this machine to a server of a command.
//!
//! # What this crate does not do
//!
//! - It confines nothing: without a sandbox, a command can simply bypass it.
//! - It does not read TLS, so a granted host may lead to others, such as all sites of a content
//!   delivery network.
//! - It does not speak SOCKS4, UDP or SOCKS5's `BIND`, and rejects SOCKS5 clients without
//!   credentials.
//! - It does not chain to another proxy.
//! - A client that closes its half of the connection before the answer counts as gone, and its
//!   question is withdrawn. In a tunnel each half closes independently.
//! - It shares connections only roughly: 192 for all commands together, and 96 for one.

mod admission;
mod body;
mod connection;
mod connection_pass;
mod destination;
mod egress_proxy;
mod forwarded;
mod headers;
mod http;
mod http_connect;
mod http_refusal;
mod limits;
mod outside;
mod outward;
mod pass;
mod pass_state;
mod port_forward;
mod proxy_parts;
mod questions;
mod refused_host;
mod socks;
mod tasks;

pub use crate::destination::{WrongHost, host_grant};
pub use crate::egress_proxy::{EgressProxy, ProxyServer};
pub use crate::limits::ProxyLimits;
pub use crate::outside::{Outside, SystemOutside};
pub use crate::pass::NetworkPass;
pub use crate::port_forward::PortForward;
pub use crate::refused_host::{RefusalReason, RefusedHost};
