//! The tables of addresses, and connections to checked addresses only.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_web::{ErrorKind, Fetcher, Resolver, WebUrl, is_public};

use crate::server::{Answer, TestServer, page};

#[test]
fn the_first_and_the_last_address_of_each_network_is_not_public_and_its_neighbours_are() {
    // The network's first and last address; and whether the addresses next to it are public.
    let networks = [
        ("0.0.0.0", "0.255.255.255", false, true),
        ("10.0.0.0", "10.255.255.255", true, true),
        ("100.64.0.0", "100.127.255.255", true, true),
        ("127.0.0.0", "127.255.255.255", true, true),
        ("169.254.0.0", "169.254.255.255", true, true),
        ("172.16.0.0", "172.31.255.255", true, true),
        ("192.0.0.0", "192.0.0.255", true, true),
        ("192.0.2.0", "192.0.2.255", true, true),
        ("192.88.99.0", "192.88.99.255", true, true),
        ("192.168.0.0", "192.168.255.255", true, true),
        ("198.18.0.0", "198.19.255.255", true, true),
        ("198.51.100.0", "198.51.100.255", true, true),
        ("203.0.113.0", "203.0.113.255", true, true),
        ("224.0.0.0", "255.255.255.255", true, false),
        ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, true),
        ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", true, true),
        ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true, false),
    ];
    for (first, last, is_before, is_after) in networks {
        let (first, last): (IpAddr, IpAddr) = (first.parse().unwrap(), last.parse().unwrap());
        assert!(!is_public(first) && !is_public(last), "{first} to {last}");
        assert_eq!(beside(first, -1).is_some_and(is_public), is_before, "before {first}");
        assert_eq!(beside(last, 1).is_some_and(is_public), is_after, "after {last}");
    }
}

fn beside(address: IpAddr, step: i128) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => {
            let bits = u32::try_from(i128::from(address.to_bits()) + step).ok()?;
            Some(IpAddr::V4(bits.into()))
        }
        IpAddr::V6(address) => Some(IpAddr::V6(address.to_bits().checked_add_signed(step)?.into())),
    }
}

#[test]
fn an_ipv4_address_in_an_ipv6_one_counts_where_it_is_used() {
    for (v4, public) in [("8.8.8.8", true), ("127.0.0.1", false), ("10.1.2.3", false)] {
        for prefix in ["::ffff:", "64:ff9b::"] {
            let address = format!("{prefix}{v4}").parse().unwrap();
            assert_eq!(is_public(address), public, "{address}");
        }
        for prefix in ["::", "::ffff:0:", "64:ff9b:1::", "2002:", "fe80::"] {
            let hex = v4.parse::<std::net::Ipv4Addr>().unwrap().to_bits();
            let text = match prefix {
                "2002:" => format!("2002:{:x}:{:x}::", hex >> 16, hex & 0xffff),
                prefix => format!("{prefix}{:x}:{:x}", hex >> 16, hex & 0xffff),
            };
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}

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
async fn a_name_is_resolved_once_and_the_connection_goes_to_the_checked_address() {
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
    let fetcher = fetcher.allowing(&format!("127.0.0.2:{port}")).unwrap();
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
async fn a_name_with_one_private_address_is_rejected_whatever_the_order() {
    let server = TestServer::with_page("text/plain", "secret").await;
    let (private, allowed) = ("127.0.0.1", "127.0.0.2");
    for answer in [[private, allowed], [allowed, private]] {
        let fetcher = Fetcher::new().with_resolver(rebinding(&[&answer]));
        let fetcher = fetcher.allowing(&format!("{allowed}:{}", server.port)).unwrap();
        let url = WebUrl::parse(&format!("http://two.example:{}/", server.port)).unwrap();
        assert_eq!(fetcher.get(&url).await.unwrap_err().kind(), ErrorKind::Refused);
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn an_allowed_name_is_allowed_on_its_port_only() {
    let server = TestServer::with_page("text/plain", "intranet").await;
    let fetcher = Fetcher::new().with_resolver(rebinding(&[&["127.0.0.1"]]));
    let fetcher = fetcher.allowing(&format!("wiki.example:{}", server.port)).unwrap();
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
