//! Redirects: each passes the walls, and no secret follows it.

use silcrow_web::{ErrorKind, Fetcher, SearchEngine as _, SearchKey, WebUrl};

use crate::server::{Answer, TestServer, page, redirect};

async fn error(fetcher: &Fetcher, url: &str) -> silcrow_web::Error {
    fetcher.get(&WebUrl::parse(url).unwrap()).await.unwrap_err()
}

#[tokio::test]
async fn redirects_within_a_host_are_followed() {
    for status in [301, 302, 303, 307, 308] {
        let server = TestServer::start(move |target| match target {
            "/1" => redirect(status, "2?x=1#part"),
            "/2?x=1" => redirect(status, "/3"),
            _ => Answer::Bytes(page("text/plain", target.as_bytes())),
        })
        .await;
        let url = WebUrl::parse(&server.url("/1")).unwrap();
        let response = server.fetcher().get(&url).await.unwrap();
        assert_eq!(response.url().as_str(), server.url("/3"));
        assert_eq!(response.read().await.unwrap().bytes, b"/3");
        assert_eq!(server.requests().len(), 3);
    }
}

#[tokio::test]
async fn no_more_than_five_redirects_are_followed() {
    let chain = |last: usize| {
        TestServer::start(move |target| match target[1..].parse::<usize>().unwrap() {
            number if number < last => redirect(302, &format!("/{}", number + 1)),
            _ => Answer::Bytes(page("text/plain", b"end")),
        })
    };
    let five = chain(5).await;
    five.fetcher().get(&WebUrl::parse(&five.url("/0")).unwrap()).await.unwrap();
    let six = chain(6).await;
    assert_eq!(error(&six.fetcher(), &six.url("/0")).await.kind(), ErrorKind::Redirect);
    assert_eq!(six.requests().len(), 6);
    let endless = TestServer::start(|_| redirect(302, "/")).await;
    assert_eq!(error(&endless.fetcher(), &endless.url("/")).await.kind(), ErrorKind::Redirect);
    assert_eq!(endless.requests().len(), 6);
}

#[tokio::test]
async fn redirect_to_private_address_is_not_followed() {
    let secret = TestServer::with_page("text/plain", "secret").await;
    let port = secret.port;
    let places = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://１２７.0.0.1:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://0:{port}/"),
        format!("\\\\127.0.0.1:{port}\\"),
        format!("http:\\\\127.0.0.1:{port}"),
        format!("http:127.0.0.1:{port}"),
        format!("http://user@127.0.0.1:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/".to_owned(),
        "javascript:alert(1)".to_owned(),
        "data:text/plain,hello".to_owned(),
        "http://".to_owned(),
        "http://[::1".to_owned(),
    ];
    for place in places {
        for status in [301, 307] {
            let to = place.clone();
            // The first server is the only one that a person allows.
            let server = TestServer::start(move |_| redirect(status, &to)).await;
            let error = error(&server.fetcher(), &server.url("/")).await;
            // `http:PATH` is relative to the same host, so it only redirects too often.
            let is_known = matches!(error.kind(), ErrorKind::Refused | ErrorKind::Redirect);
            assert!(is_known, "{place}: {error}");
        }
    }
    assert_eq!(secret.connections(), 0);
}

#[tokio::test]
async fn cross_host_redirect_is_reported_not_followed() {
    let other = TestServer::with_page("text/plain", "other").await;
    let to = other.url("/page?x=1");
    let server = TestServer::start(move |_| redirect(302, &to)).await;
    let fetcher = server.fetcher().with_allowed_host(&format!("127.0.0.1:{}", other.port)).unwrap();
    // The same host on another port is another origin, and here both are allowed.
    let url = WebUrl::parse(&server.url("/")).unwrap();
    assert_eq!(fetcher.get(&url).await.unwrap().read().await.unwrap().bytes, b"other");

    let elsewhere = TestServer::start(|_| redirect(302, "https://example.com/page?x=1")).await;
    let error = error(&elsewhere.fetcher(), &elsewhere.url("/")).await;
    assert_eq!(error.kind(), ErrorKind::Redirect);
    assert_eq!(
        error.to_string(),
        "it redirects to another host or port: https://example.com/page?x=1; fetch that if it is \
         what you want"
    );
}

#[tokio::test]
async fn redirect_to_unusual_port_is_not_followed() {
    let closed = TestServer::start(|_| redirect(302, "http://127.0.0.1:22/")).await;
    assert_eq!(error(&closed.fetcher(), &closed.url("/")).await.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn no_referrer_cookie_or_credential_is_sent() {
    let server = TestServer::start(|target| match target {
        "/1" => Answer::Bytes(
            b"HTTP/1.1 302 Found\r\nLocation: /2\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_vec(),
        ),
        _ => Answer::Bytes(page("text/plain", b"")),
    })
    .await;
    server.fetcher().get(&WebUrl::parse(&server.url("/1")).unwrap()).await.unwrap();
    for request in server.requests() {
        let request = request.to_lowercase();
        assert!(request.starts_with("get /"), "{request}");
        for header in ["cookie:", "referer:", "authorization:", "origin:"] {
            assert!(!request.contains(header), "{request}");
        }
    }
}

#[tokio::test]
async fn a_key_reaches_its_origin_only() {
    let other = TestServer::with_page("application/json", r#"{"web":{"results":[]}}"#).await;
    let to = other.url("/");
    let server = TestServer::start(move |target| match target {
        "/again" => redirect(302, &to),
        _ => redirect(302, "/again"),
    })
    .await;
    let fetcher = server.fetcher().with_allowed_host(&format!("127.0.0.1:{}", other.port)).unwrap();
    let engine = silcrow_web::BraveSearch::new(fetcher, SearchKey::new("hunter2").unwrap());
    let engine = engine.with_endpoint(&server.url("/search")).unwrap();
    assert_eq!(engine.search("q", 1).await.unwrap(), []);
    for request in server.requests() {
        assert!(request.contains("x-subscription-token: hunter2"), "{request}");
    }
    assert_eq!((server.requests().len(), other.requests().len()), (2, 1));
    assert!(!other.requests()[0].contains("hunter2"));
}
