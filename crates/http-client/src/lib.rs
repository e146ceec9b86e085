//! Builds HTTP clients for programs that hold keys: certificates, proxies and limits are explicit,
//! and nothing is followed, decoded or taken from the environment unasked.
//!
//! ```toml
//! [dependencies]
//! silcrow-http-client = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use std::time::Duration;
//!
//! use silcrow_http_client::{ClientOptions, HttpClient, Url};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
//! # let served = format!("http://{}/v1/models", server.local_addr()?);
//!     let options = ClientOptions::new().with_connect_timeout(Duration::from_secs(10));
//!     let client = HttpClient::new(options);
//!
//!     let address = "http://127.0.0.1:8080/v1/models";
//! # let address = &*served;
//!     let url = Url::parse(address)?;
//!     let request = client.for_url(&url)?.get(url.clone());
//! # tokio::spawn(async move {
//! #     use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//! #     let (mut stream, _) = server.accept().await.unwrap();
//! #     stream.read(&mut [0; 4096]).await.unwrap();
//! #     let moved = "HTTP/1.1 302 Found\r\nlocation: http://elsewhere.example/\r\ncontent-length: 0\r\n\r\n";
//! #     stream.write_all(moved.as_bytes()).await.unwrap();
//! # });
//!     let response = request.send().await?;
//!     // If the server redirects, this is a status such as 302, and the caller decides what to do.
//!     println!("{}", response.status());
//! # assert_eq!(response.status().as_u16(), 302);
//!     Ok(())
//! }
//! ```
//!
//! A client of [`ClientOptions`]
//!
//! - follows no redirect, so a key reaches no other server,
//! - ignores the proxies of the environment, unless [told to use
//!   them](ClientOptions::with_environment_proxies),
//! - decompresses nothing, so a small body does not become a large one before anybody counts it,
//! - sends `silcrow/VERSION` as its user agent, and no referrer,
//! - trusts the certificate authorities of the machine, or Mozilla's if the machine has none.
//!
//! Reading a machine's certificate authorities takes milliseconds, so an [`HttpClient`] waits for
//! the first request that needs them, one to an https URL or through a proxy. Requests to a server
//! on the same machine never do.
//!
//! TLS uses the ciphers that the process has installed with `rustls`; otherwise the first client
//! installs the ciphers of `ring`.
//!
//! [`retry_after`] reads when to try again.
//!
//! This crate sends no requests, limits no bodies, and does not decide which addresses may be
//! reached; its callers do. [`Client`] is `reqwest`'s client, whose types appear in no other public
//! interface of these libraries.

mod authorities;
mod client;
mod error;
mod options;
mod proxy;
mod retry_after;

pub use client::HttpClient;
pub use error::{Error, ErrorKind};
pub use options::ClientOptions;
pub use proxy::ClientProxy;
pub use reqwest::header::HeaderMap;
pub use reqwest::{Client, Url};
pub use retry_after::retry_after;
