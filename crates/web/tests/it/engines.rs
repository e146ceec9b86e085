//! The engines, against servers that answer as the real ones do.

use silcrow_web::{
    BraveSearch, DuckDuckGo, ErrorKind, Fetcher, SearchEngine, SearchKey, SearchResult, SearxNg,
};

use crate::server::{Answer, TestServer};

fn result(title: &str, url: &str, snippet: &str) -> SearchResult {
    let [title, url, snippet] = [title, url, snippet].map(str::to_owned);
    SearchResult { title, url, snippet }
}

async fn status(line: &str, body: &str) -> TestServer {
    let answer = format!(
        "HTTP/1.1 {line}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    TestServer::start(move |_| Answer::Bytes(answer.clone().into_bytes())).await
}

fn duckduckgo(server: &TestServer) -> DuckDuckGo {
    DuckDuckGo::new(server.fetcher()).with_endpoint(&server.url("/html/")).unwrap()
}

fn brave(server: &TestServer) -> BraveSearch {
    let key = SearchKey::new("hunter2").unwrap();
    BraveSearch::new(server.fetcher(), key).with_endpoint(&server.url("/web/search")).unwrap()
}

#[tokio::test]
async fn the_page_of_duckduckgo_is_read() {
    let html = include_str!("../cases/duckduckgo.html");
    let server = TestServer::with_page("text/html; charset=UTF-8", html).await;
    let found = duckduckgo(&server).search("rust & more", 10).await.unwrap();
    let expected = [
        result(
            "Rust Programming Language",
            "https://www.rust-lang.org/",
            "A language empowering everyone to build reliable & efficient software.",
        ),
        result(
            "The Rust Book: \"Foreword\"",
            "https://doc.rust-lang.org/book/?a=1&b=2",
            "It wasn't always so clear, but the Rust programming language is about empowerment.",
        ),
        result("A page without words", "https://plain.example/", ""),
    ];
    assert_eq!(found, expected);
    let request = &server.requests()[0];
    assert!(request.starts_with("GET /html/?q=rust+%26+more HTTP/1.1"), "{request}");
    assert_eq!(duckduckgo(&server).search("rust", 1).await.unwrap().len(), 1);
}

#[tokio::test]
async fn empty_duckduckgo_result_says_why() {
    let nothing = "<div class='no-results'>No results found for <b>x</b></div>";
    let server = TestServer::with_page("text/html", nothing).await;
    assert_eq!(duckduckgo(&server).search("x", 9).await.unwrap(), []);
    let captcha = "<form id='challenge-form'><div class='anomaly-modal__title'>\
                   Unfortunately, bots use DuckDuckGo too.</div></form>";
    let blocked = [
        TestServer::with_page("text/html", captcha).await,
        status("202 Accepted", captcha).await,
        status("403 Forbidden", "").await,
        status("429 Too Many Requests", "").await,
    ];
    for server in blocked {
        let error = duckduckgo(&server).search("x", 9).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Blocked, "{error}");
    }
    let changed = [
        TestServer::with_page("text/html", "<p>a new page</p>").await,
        TestServer::with_page("text/html", "").await,
        status("500 Internal Server Error", "").await,
    ];
    for server in changed {
        let error = duckduckgo(&server).search("x", 9).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Answer, "{error}");
    }
}

#[tokio::test]
async fn searxng_may_be_on_this_machine() {
    let json = r#"{"query":"x","number_of_results":0,"results":[
        {"url":"https://a.example/","title":"A","content":"words","engine":"b","score":1.5},
        {"url":"https://b.example/","title":"B","content":null}],"answers":[]}"#;
    let server = TestServer::with_page("application/json", json).await;
    for base in ["", "/", "/search", "/search/"] {
        // Only its URL allows the server.
        let engine = SearxNg::new(Fetcher::new(), &server.url(base)).unwrap();
        let found = engine.search("a b", 5).await.unwrap();
        let expected =
            [result("A", "https://a.example/", "words"), result("B", "https://b.example/", "")];
        assert_eq!(found, expected);
    }
    for request in server.requests() {
        assert!(request.starts_with("GET /search?q=a+b&format=json HTTP/1.1"), "{request}");
    }
    let engine = SearxNg::new(Fetcher::new(), &server.url("")).unwrap();
    assert_eq!((engine.name(), engine.host()), ("SearXNG", "127.0.0.1"));
    let without_json = status("403 Forbidden", "").await;
    let engine = SearxNg::new(Fetcher::new(), &without_json.url("")).unwrap();
    let error = engine.search("x", 5).await.unwrap_err().to_string();
    assert!(error.contains("`formats`"), "{error}");
    SearxNg::new(Fetcher::new(), "localhost").unwrap_err();
}

#[tokio::test]
async fn brave_key_is_never_shown() {
    let json = r#"{"type":"search","web":{"results":[{"title":"A &amp; <strong>B</strong>",
        "url":"https://a.example/","description":"some <strong>words</strong> of it&#x27;s page"}]}}"#;
    let server = TestServer::with_page("application/json", json).await;
    let engine = brave(&server);
    let found = engine.search("x", 3).await.unwrap();
    assert_eq!(found, [result("A & B", "https://a.example/", "some words of it's page")]);
    let request = server.requests().remove(0);
    assert!(request.starts_with("GET /web/search?q=x&count=3 "), "{request}");
    assert!(request.contains("x-subscription-token: hunter2"), "{request}");
    assert!(!format!("{engine:?}").contains("hunter2"));

    let empty = TestServer::with_page("application/json", r#"{"type":"search"}"#).await;
    assert_eq!(brave(&empty).search("x", 3).await.unwrap(), []);
    for (line, kind) in [
        ("401 Unauthorized", ErrorKind::Blocked),
        ("402 Payment Required", ErrorKind::Blocked),
        ("429 Too Many Requests", ErrorKind::Blocked),
        ("422 Unprocessable", ErrorKind::Answer),
        ("200 OK", ErrorKind::Answer),
    ] {
        let server = status(line, "hunter2").await;
        let error = brave(&server).search("x", 3).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{line}");
        assert!(!silcrow_event::error_chain(&error).contains("hunter2"), "{error}");
    }
}

#[test]
fn keys_go_only_over_https_or_loopback() {
    let engine = || BraveSearch::new(Fetcher::new(), SearchKey::new("k").unwrap());
    engine().with_endpoint("https://search.example/").unwrap();
    engine().with_endpoint("http://127.0.0.1:8888/").unwrap();
    for url in ["http://search.example/", "http://10.0.0.1/", "http://localhost.example/"] {
        assert_eq!(engine().with_endpoint(url).unwrap_err().kind(), ErrorKind::Invalid);
    }
    for key in ["", "  ", "a\nb", "a\0b"] {
        SearchKey::new(key).unwrap_err();
    }
}
