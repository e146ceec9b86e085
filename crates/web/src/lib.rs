//! The tools `web_search` and `web_scrape`, which reach only public addresses.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-web = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_tool::{CallContext, Tool as _, ToolArgs};
//! use silcrow_web::{Fetcher, WebScrape};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//! # use tokio::io::AsyncWriteExt as _;
//!     // A server on this machine, which a person allows by name.
//!     let host = "127.0.0.1:8000";
//! # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
//! # let served = listener.local_addr().unwrap().to_string();
//! # let host = &*served;
//! # tokio::spawn(async move {
//! #     let (mut stream, _) = listener.accept().await.unwrap();
//! #     tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await.unwrap();
//! #     let page = "<title>A</title><nav>menu</nav><main><h1>Hi</h1><a href=/b>more</a></main>";
//! #     let head = format!("content-type: text/html\r\ncontent-length: {}", page.len());
//! #     let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{page}");
//! #     stream.write_all(answer.as_bytes()).await.unwrap();
//! # });
//!     let scrape = WebScrape::new(Fetcher::new().with_allowed_host(host).unwrap());
//!
//!     let args = format!(r#"{{"url":"http://{host}/a"}}"#);
//!     let context = CallContext::new("c", "a1");
//!     let output = scrape.call(ToolArgs::new(&args), &context).await.unwrap();
//!     println!("{}", output.content.text());
//! # assert_eq!(output.content.text(), format!("# Hi\n\n[more](http://{host}/b)"));
//! # assert_eq!(output.notices[0], r#"title: "A""#);
//!
//!     // Everything else that is not public is out of reach.
//!     let args = ToolArgs::new(r#"{"url":"http://0x7f.1:8080/"}"#);
//!     assert!(scrape.call(args, &context).await.is_err());
//! }
//! ```
//!
//! Every URL passes these checks:
//!
//! 1. [`WebUrl`] reads it as browsers do, so that all spellings of an address become one, and
//!    rejects other schemes, credentials, and spellings that programs read differently.
//! 2. [`Fetcher::check`] rejects names of private networks, and addresses that are not
//!    [public](is_public).
//! 3. The name is resolved once. If one of its addresses is not public, the request fails;
//!    otherwise the connection goes to one of these addresses and to no other.
//! 4. Each of at most 5 redirects passes the same checks. No redirect leads from https to http or
//!    to another host: the model gets the new URL and may ask for it in another call.
//! 5. Time, headers and body have [limits](FetchLimits), and the body is decompressed with a limit.
//! 6. A page of HTML is read without recursion, and then converted from a small, well-formed copy.
//!
//! Both tools send something out, so each call needs approval. An approval for the conversation
//! covers a host. An unusual port or a long text in the URL is a
//! [risk](silcrow_tool::Preview::risk) that needs a separate yes. A
//! [preview](silcrow_tool::Tool::preview) sends nothing, and does not even resolve the name.
//!
//! [`HttpService`] offers a declared API as one tool, behind the same checks: a base address,
//! operations, and a key that is never shown.
//!
//! Searches go through a [`SearchEngine`]: [`DuckDuckGo`] needs no key, [`SearxNg`] is your own
//! server, and [`BraveSearch`] has a key, which is never shown.
//!
//! This crate runs no scripts, ignores style sheets, and reads neither PDFs nor images. It sends
//! and keeps no cookies. It does not check `robots.txt`. It ignores the environment's proxies;
//! [`Fetcher::with_proxy`] sets one, which then resolves the names itself. A page is untrusted
//! text, and nothing here stops a model from obeying it.

mod allowed;
mod body;
mod charset;
mod connection;
mod decode;
mod engine;
mod engines;
mod error;
mod failure;
mod fetch_response;
mod fetcher;
mod html;
mod limits;
mod media_type;
mod medium;
mod page;
mod scrape;
mod search;
mod search_key;
mod service;
mod web_url;

pub use silcrow_resolve::{Resolver, SystemResolver, is_public};

pub use body::{BodyGap, FetchedBody};
pub use engine::{SearchEngine, SearchResult};
pub use engines::{BraveSearch, DuckDuckGo, SearxNg};
pub use error::{Error, ErrorKind};
pub use fetch_response::FetchResponse;
pub use fetcher::Fetcher;
pub use limits::FetchLimits;
pub use scrape::WebScrape;
pub use search::WebSearch;
pub use search_key::SearchKey;
pub use service::{HttpOperation, HttpService};
pub use web_url::WebUrl;
