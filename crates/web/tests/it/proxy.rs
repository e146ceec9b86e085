//! Proxies: one that a person sets, and the environment's.

use std::env;
use std::process::Command;

use silcrow_web::{ErrorKind, Fetcher, WebUrl};

use crate::server::TestServer;

#[tokio::test]
async fn configured_proxy_resolves_names() {
    let proxy = TestServer::with_page("text/plain", "by proxy").await;
    let fetcher = Fetcher::new().with_proxy(&proxy.url("")).unwrap();
    // The name does not exist.
    let url = WebUrl::parse("http://nothing.invalid/a").unwrap();
    let body = fetcher.get(&url).await.unwrap().read().await.unwrap();
    assert_eq!(body.bytes, b"by proxy");
    let request = &proxy.requests()[0];
    assert!(request.starts_with("GET http://nothing.invalid/a HTTP/1.1"), "{request}");
    // A host that is private by its text is rejected here.
    for url in ["http://127.0.0.1/", "http://localhost/", "http://a.internal/", "http://[::1]/"] {
        let error = fetcher.get(&WebUrl::parse(url).unwrap()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{url}");
    }
    assert_eq!(proxy.connections(), 1);
    assert_eq!(Fetcher::new().with_proxy("no proxy").unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    let server = TestServer::with_page("text/plain", "direct").await;
    let proxy = TestServer::with_page("text/plain", "by proxy").await;
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "proxy::a_process_with_proxies_in_its_environment", "--ignored"]);
    child.env("SILCROW_TEST_PORT", server.port.to_string());
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    {
        child.env(name, proxy.url("/"));
    }
    child.env_remove("REQUEST_METHOD").env_remove("NO_PROXY").env_remove("no_proxy");
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((server.connections(), proxy.connections()), (1, 0));
}

#[tokio::test]
#[ignore = "run by `proxies_of_the_environment_are_ignored`"]
async fn a_process_with_proxies_in_its_environment() {
    let host = format!("127.0.0.1:{}", env::var("SILCROW_TEST_PORT").unwrap());
    let url = WebUrl::parse(&format!("http://{host}/")).unwrap();
    let fetcher = Fetcher::new().with_allowed_host(&host).unwrap();
    assert_eq!(fetcher.get(&url).await.unwrap().read().await.unwrap().bytes, b"direct");
}
