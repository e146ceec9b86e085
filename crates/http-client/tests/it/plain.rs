//! The requests of a client, and things that it does not do by itself.

use std::error::Error as _;
use std::time::Duration;

use silcrow_http_client::{ClientOptions, ClientProxy, ErrorKind, HttpClient, Url};

use crate::server::TestServer;

/// Returns the status and the body of an answer.
async fn asked(options: ClientOptions, url: &Url) -> Result<(u16, Vec<u8>), reqwest::Error> {
    let client = HttpClient::new(options).for_url(url).unwrap();
    let response = client.get(url.clone()).send().await?;
    Ok((response.status().as_u16(), response.bytes().await?.to_vec()))
}

#[tokio::test]
async fn request_headers_reveal_only_the_client() {
    let server = TestServer::saying("hello");
    assert_eq!(asked(ClientOptions::new(), &server.url()).await.unwrap(), (200, b"hello".to_vec()));
    let [request] = &server.requests()[..] else { panic!() };
    let mut lines: Vec<_> = request.trim_end().lines().collect();
    // Headers have no order.
    lines[1..].sort_unstable();
    let agent = concat!("user-agent: silcrow/", env!("CARGO_PKG_VERSION"));
    let host = format!("host: {}", server.address);
    assert_eq!(lines, ["GET / HTTP/1.1", "accept: */*", &*host, agent]);
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let elsewhere = TestServer::saying("secret");
    let moved =
        format!("HTTP/1.1 307 Moved\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", elsewhere.url());
    let server = TestServer::answering(moved.as_bytes());
    assert_eq!(asked(ClientOptions::new(), &server.url()).await.unwrap().0, 307);
    assert_eq!(elsewhere.requests().len(), 0);
}

/// Code that decompresses counts the size of the result.
#[tokio::test]
async fn a_compressed_body_stays_compressed() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: 4\r\n\r\nbomb"
        );
        let server = TestServer::answering(answer.as_bytes());
        let answer = asked(ClientOptions::new(), &server.url()).await.unwrap();
        assert_eq!(answer, (200, b"bomb".to_vec()), "{coding}");
        assert!(!server.requests()[0].contains("accept-encoding"));
    }
}

#[tokio::test]
async fn client_reaches_only_its_given_addresses() {
    let server = TestServer::saying("here");
    let url =
        |host: &str| Url::parse(&format!("http://{host}:{}/", server.address.port())).unwrap();
    let options = ClientOptions::new().reaching_only("pages.example", &[server.address]);
    let found = asked(options.clone(), &url("pages.example")).await.unwrap();
    assert_eq!(found, (200, b"here".to_vec()));
    let error = asked(options, &url("localhost")).await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn proxy_serves_only_its_configured_servers() {
    let server = TestServer::saying("direct");
    let proxy = TestServer::saying("by proxy");
    let chosen = || ClientProxy::new(&proxy.address.to_string()).unwrap();
    for (chosen, expected) in [
        (chosen(), "by proxy"),
        (chosen().for_plain(), "by proxy"),
        (chosen().for_encrypted(), "direct"),
        (chosen().with_exceptions("127.0.0.0/8"), "direct"),
        (chosen().with_exceptions("*"), "direct"),
        (chosen().with_exceptions("example.org").with_exceptions("10.0.0.0/8"), "by proxy"),
        (chosen().with_exceptions("example.org").with_exceptions("127.0.0.1"), "direct"),
    ] {
        let shown = format!("{chosen:?}");
        let (_, body) =
            asked(ClientOptions::new().with_proxy(chosen), &server.url()).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&body), expected, "{shown}");
    }
    // Of a server that speaks https it learns the name and the port.
    let https = Url::parse("https://api.example/v1/secret").unwrap();
    let options = ClientOptions::new().with_proxy(chosen().for_encrypted());
    asked(options, &https).await.unwrap_err();
    let last = proxy.requests().pop().unwrap();
    assert!(last.starts_with("CONNECT api.example:443 HTTP/1.1"), "{last}");
    assert!(!last.contains("secret"), "{last}");
}

#[test]
fn invalid_proxy_error_hides_password() {
    for url in ["no proxy", "ftp://ann:canary@proxy.example", "http://", "http://ann:canary@:1"] {
        let error = ClientProxy::new(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Proxy, "{url}");
        let mut words = error.to_string();
        if let Some(source) = error.source() {
            words += &source.to_string();
        }
        assert!(words.contains("write it like http://proxy.example:3128"), "{words}");
        assert!(!words.contains("canary"), "{words}");
    }
    let shown = format!("{:?}", ClientProxy::new("http://ann:canary@proxy.example").unwrap());
    assert!(shown.contains("proxy.example") && !shown.contains("canary"), "{shown}");
}

/// A server that listens and never accepts takes no connection once its backlog is full, so the limit
/// is tested with one that accepts and says nothing: TLS is a part of the connection.
#[tokio::test]
async fn a_connection_has_a_limit_with_its_tls() {
    let silent = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = Url::parse(&format!("https://{}/", silent.local_addr().unwrap())).unwrap();
    let options = ClientOptions::new().with_connect_timeout(Duration::from_millis(50));
    let (answer, _stream) = tokio::join!(asked(options, &url), silent.accept());
    let error = answer.unwrap_err();
    assert!(error.is_timeout() && error.is_connect(), "{error:?}");
}
