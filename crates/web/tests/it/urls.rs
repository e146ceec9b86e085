//! The table of URLs, and that nothing which it rejects is connected to.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_web::{Error, ErrorKind, Fetcher, Resolver, WebUrl, is_public};

use crate::server::{Answer, TestServer, page};

/// A line of the table.
struct UrlCase {
    line: usize,
    verdict: &'static str,
    url: String,
    /// The addresses of the host.
    addresses: Option<Vec<IpAddr>>,
}

fn cases() -> Vec<UrlCase> {
    let table = include_str!("../cases/urls.txt");
    let lines = table.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let case = |(at, line): (usize, &'static str)| {
        let (verdict, rest) = line.split_once(' ').unwrap();
        let (url, addresses) = match rest.split_once(" =") {
            Some((url, addresses)) => (url, Some(addresses)),
            None => (rest, None),
        };
        let addresses = addresses
            .map(|list| list.split_whitespace().map(|address| address.parse().unwrap()).collect());
        UrlCase { line: at + 1, verdict, url: unmarked(url), addresses }
    };
    lines.map(case).collect()
}

fn unmarked(url: &str) -> String {
    let marks = [("␉", "\t"), ("␊", "\n"), ("␍", "\r"), ("␀", "\0")];
    let url = marks.iter().fold(url.to_owned(), |url, (mark, text)| url.replace(mark, text));
    let label = "a".repeat(30);
    url.replace("LONG", &"a".repeat(600))
        .replace("HUGE", &"a".repeat(9000))
        .replace("HOST255", &format!("http://{}", "abcd.".repeat(60)))
        .replace("LABEL64", &"a".repeat(64))
        .replace("LABELS", &[&*label, &*label, &*label].join("."))
}

/// A resolver with the addresses of the table.
struct TableResolver(HashMap<String, Vec<IpAddr>>);

impl TableResolver {
    fn new(cases: &[UrlCase]) -> Self {
        let named = |case: &UrlCase| {
            let host = WebUrl::parse(&case.url).ok()?.host().to_owned();
            Some((host, case.addresses.clone()?))
        };
        Self(cases.iter().filter_map(named).collect())
    }
}

impl Resolver for TableResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let known = self.0.get(host).cloned();
        async move { known.ok_or_else(|| io::ErrorKind::NotFound.into()) }.boxed()
    }
}

fn verdict(fetcher: &Fetcher, text: &str) -> Result<&'static str, Error> {
    let url = WebUrl::parse(text)?;
    fetcher.check(&url)?;
    Ok(if fetcher.risk(&url).is_some() { "asked" } else { "allowed" })
}

#[test]
fn url_table_has_enough_cases() {
    assert!(cases().len() >= 300, "{}", cases().len());
}

#[test]
fn each_url_has_its_verdict() {
    let fetcher = Fetcher::new();
    let mut wrong = Vec::new();
    for case in cases() {
        // Checks that depend on addresses happen when a name is resolved, below.
        let expected = if case.addresses.is_some() { "allowed" } else { case.verdict };
        let found = verdict(&fetcher, &case.url);
        let found = found.unwrap_or("refused");
        if found != expected {
            wrong.push(format!("line {}: {} is {found}", case.line, case.url));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn refused_urls_fail_before_any_connection() {
    let cases = cases();
    let ok = page("text/plain", b"secret");
    let v4 = TestServer::start_at("0.0.0.0", 0, move |_| Answer::Bytes(ok.clone())).await.unwrap();
    let ok = page("text/plain", b"secret");
    let v6 = TestServer::start_at("::1", v4.port, move |_| Answer::Bytes(ok.clone())).await;
    let fetcher = Fetcher::new().with_resolver(TableResolver::new(&cases));
    let mut tried = 0;
    for case in cases.iter().filter(|case| case.verdict == "refused") {
        let Ok(url) = WebUrl::parse(&case.url) else { continue };
        // A mistake in the table must not reach the internet.
        let leads_in = match &case.addresses {
            Some(addresses) => {
                !addresses.iter().any(|address| is_public(*address)) || addresses.len() > 1
            }
            None => fetcher.check(&url).is_err(),
        };
        assert!(leads_in, "line {}: {}", case.line, case.url);
        // The same host at the port with a listener.
        let there = WebUrl::parse(&format!("http://{}:{}/", url.host(), v4.port)).unwrap();
        for url in [url, there] {
            let error = fetcher.get(&url).await.unwrap_err();
            let is_empty = case.addresses.as_ref().is_some_and(Vec::is_empty);
            let expected = if is_empty { ErrorKind::Resolve } else { ErrorKind::Refused };
            assert_eq!(error.kind(), expected, "line {}: {error}", case.line);
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
    assert_eq!(v4.connections(), 0);

    // The listeners count what reaches them.
    let allowed = Fetcher::new().with_allowed_host(&format!("127.0.0.1:{}", v4.port)).unwrap();
    allowed.get(&WebUrl::parse(&v4.url("/")).unwrap()).await.unwrap();
    assert_eq!(v4.connections(), 1);
    if let Some(v6) = v6 {
        assert_eq!(v6.connections(), 0);
        let host = format!("[::1]:{}", v6.port);
        let url = WebUrl::parse(&format!("http://{host}/")).unwrap();
        Fetcher::new().with_allowed_host(&host).unwrap().get(&url).await.unwrap();
        assert_eq!(v6.connections(), 1);
    }
}

#[test]
fn errors_suggest_the_correction() {
    let said = |text: &str| WebUrl::parse(text).unwrap_err().to_string();
    assert_eq!(
        said("example.com/page"),
        "the URL cannot be read: it has no scheme; write it as `https://HOST/PATH`"
    );
    assert_eq!(
        said("http://user@example.com/"),
        "the URL is rejected: it has a user name or a password in it; leave them out"
    );
}

#[test]
fn all_spellings_become_one() {
    for text in ["http://0x7f.1/", "http://2130706433", "http://１２７.0.0.1:80/#x"] {
        assert_eq!(WebUrl::parse(text).unwrap().as_str(), "http://127.0.0.1/");
    }
    assert_eq!(
        WebUrl::parse("http://Example.COM.:8080").unwrap().as_str(),
        "http://example.com:8080/"
    );
}

#[test]
fn allowed_hosts_include_their_port() {
    for entry in [
        "",
        "localhost",
        "localhost:",
        "localhost:x",
        "a b:80",
        "u@h.example:80",
        "h:80/a",
        ":80",
        "h:0",
    ] {
        let error = Fetcher::new().with_allowed_host(entry).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{entry}");
    }
    let fetcher = Fetcher::new().with_allowed_host("LocalHost:8888").unwrap();
    let is_checked = |url: &str| fetcher.check(&WebUrl::parse(url).unwrap()).is_ok();
    assert!(is_checked("http://localhost:8888/a"));
    assert!(is_checked("http://localhost.:8888/a"));
    assert!(!is_checked("http://localhost:8889/"));
    assert!(!is_checked("http://localhost/"));
    assert!(!is_checked("http://127.0.0.1:8888/"));
    assert_eq!(fetcher.risk(&WebUrl::parse("http://localhost:8888/").unwrap()), None);
}
