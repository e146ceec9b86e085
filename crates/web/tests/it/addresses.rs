//! Connections to checked addresses only.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_web::{ErrorKind, Fetcher, Resolver, WebUrl};

use crate::server::{Answer, TestServer, page};

/// A resolver that gives another answer each time.
struct RebindingResolver {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Resolver for RebindingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[at].clone();
        async move { Ok(answer) }.boxed()
    }
}

fn rebinding(answers: &[&[&str]]) -> Arc<RebindingResolver> {
    let parse = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
    Arc::new(RebindingResolver {
        answers: answers.iter().map(parse).collect(),
        asked: AtomicUsize::new(0),
    })
}

#[tokio::test]
async fn connection_uses_the_once_resolved_checked_address() {
    let ok = page("text/plain", b"checked");
    let checked =
        TestServer::start_at("127.0.0.2", 0, move |_| Answer::Bytes(ok.clone())).await.unwrap();
    let port = checked.port;
    let other = page("text/plain", b"other");
    let other = TestServer::start_at("127.0.0.1", port, move |_| Answer::Bytes(other.clone()))
        .await
        .unwrap();
    // 127.0.0.2 takes the place of a public address.
    let resolver = rebinding(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let fetcher = Fetcher::new().with_resolver(Arc::clone(&resolver));
    let fetcher = fetcher.with_allowed_host(&format!("127.0.0.2:{port}")).unwrap();
    let url = WebUrl::parse(&format!("http://rebind.example:{port}/")).unwrap();

    let body = fetcher.get(&url).await.unwrap().read().await.unwrap();
    assert_eq!(body.bytes, b"checked");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);

    // The next request asks again, and is rejected.
    let error = fetcher.get(&url).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    assert_eq!((checked.connections(), other.connections()), (1, 0));
}

#[tokio::test]
async fn names_with_any_private_address_are_rejected() {
    let server = TestServer::with_page("text/plain", "secret").await;
    let (private, allowed) = ("127.0.0.1", "127.0.0.2");
    for answer in [[private, allowed], [allowed, private]] {
        let fetcher = Fetcher::new().with_resolver(rebinding(&[&answer]));
        let fetcher = fetcher.with_allowed_host(&format!("{allowed}:{}", server.port)).unwrap();
        let url = WebUrl::parse(&format!("http://two.example:{}/", server.port)).unwrap();
        assert_eq!(fetcher.get(&url).await.unwrap_err().kind(), ErrorKind::Refused);
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn allowed_name_is_limited_to_its_port() {
    let server = TestServer::with_page("text/plain", "intranet").await;
    let fetcher = Fetcher::new().with_resolver(rebinding(&[&["127.0.0.1"]]));
    let fetcher = fetcher.with_allowed_host(&format!("wiki.example:{}", server.port)).unwrap();
    let url = |host: &str| WebUrl::parse(&format!("http://{host}:{}/", server.port)).unwrap();
    let body = fetcher.get(&url("wiki.example")).await.unwrap().read().await.unwrap();
    assert_eq!(body.bytes, b"intranet");
    // The same address under another name, and the same name on another port.
    for url in [url("other.example"), WebUrl::parse("http://wiki.example/").unwrap()] {
        assert_eq!(fetcher.get(&url).await.unwrap_err().kind(), ErrorKind::Refused, "{url}");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_name_without_an_address_cannot_be_found() {
    let fetcher = Fetcher::new().with_resolver(rebinding(&[&[]]));
    let error = fetcher.get(&WebUrl::parse("http://none.example/").unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resolve);
    assert!(error.is_retryable());
}
