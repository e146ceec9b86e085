//! Ways to reach hosts that are not granted, or not public.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use silcrow_egress::{ProxyLimits, RefusalReason};
use tokio::io::AsyncWriteExt as _;

use crate::socks::{ask, greet, token};
use crate::stage::{PUBLIC, Stage, TestServer, read_to_end, status};

/// Addresses that no name may lead to, regardless of grants.
const NOT_PUBLIC: &[&str] = &[
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001::1",
    "fc00::1",
    "fe80::1",
    "ff02::1",
];

#[tokio::test]
async fn names_never_lead_to_private_addresses() {
    let stage = Stage::new();
    let pass = stage.pass(&["*"]);
    for address in NOT_PUBLIC {
        for answer in [&[*address][..], &[PUBLIC, address], &[address, PUBLIC]] {
            stage.name("evil.example", answer);
            for port in [80, 443, 5432] {
                let authority = format!("evil.example:{port}");
                assert_eq!(stage.connect(&pass, &authority).await.0, 403, "{answer:?}");
            }
            let plain = stage.get(&pass, "http://evil.example/", "").await;
            assert_eq!(status(&plain), 403, "{answer:?}");
            let (mut client, _) = greet(&stage, &token(&pass)).await;
            assert_eq!(ask(&mut client, 1, "evil.example", 80).await, 2, "{answer:?}");
        }
    }
    assert!(stage.outside.connected.lock().unwrap().is_empty());
    assert!(pass.refusals().iter().all(|refusal| refusal.reason == RefusalReason::NotPublic));
}

#[tokio::test]
async fn no_spelling_reaches_private_addresses() {
    let stage = Stage::new();
    let pass = stage.pass(&["*", "127.0.0.1", "localhost", "[::1]", "10.0.0.1"]);
    let port = 80;
    let mut hosts: Vec<String> = ["localhost", "LOCALHOST", "localhost.", "a.localhost", "x.local"]
        .map(str::to_owned)
        .to_vec();
    hosts.extend(
        [
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "0",
            "0x0",
            "0xa9fea9fe",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::127.0.0.1]",
        ]
        .map(str::to_owned),
    );
    for host in hosts {
        let (status, _) = stage.connect(&pass, &format!("{host}:{port}")).await;
        assert_eq!(status, 403, "{host}");
        let plain = stage.get(&pass, &format!("http://{host}/"), "").await;
        assert_eq!(self::status(&plain), 403, "{host}: {plain}");
        let (mut client, _) = greet(&stage, &token(&pass)).await;
        let name = host.trim_matches(['[', ']']);
        assert_ne!(ask(&mut client, 1, name, port).await, 0, "{host}");
    }
    for address in NOT_PUBLIC {
        let authority = match address.contains(':') {
            true => format!("[{address}]:{port}"),
            false => format!("{address}:{port}"),
        };
        assert_eq!(stage.connect(&pass, &authority).await.0, 403, "{address}");
    }
    assert!(stage.outside.connected.lock().unwrap().is_empty());
    assert!(stage.outside.resolved.lock().unwrap().is_empty());
}

#[tokio::test]
async fn rebound_name_reaches_only_the_checked_address() {
    let stage = Stage::new();
    let server = TestServer::start().await;
    stage.place(&format!("{PUBLIC}:443"), server.address);
    stage.names("evil.example", &[&[PUBLIC], &["127.0.0.1"], &[PUBLIC, "::1"], &["10.0.0.1"]]);
    let pass = stage.pass(&["evil.example"]);
    for expected in [200, 403, 403, 403] {
        assert_eq!(stage.connect(&pass, "evil.example:443").await.0, expected);
    }
    let public: SocketAddr = format!("{PUBLIC}:443").parse().unwrap();
    assert_eq!(*stage.outside.connected.lock().unwrap(), [public]);
    assert_eq!(stage.outside.resolved.lock().unwrap().len(), 4, "once for each connection");
}

#[tokio::test]
async fn ungranted_hosts_are_not_resolved() {
    let stage = Stage::new();
    let pass = stage.pass(&["example.org"]);
    for authority in ["secret.evil.example:443", "example.org.evil.example:443", "evil.example:80"]
    {
        assert_eq!(stage.connect(&pass, authority).await.0, 403, "{authority}");
    }
    assert!(stage.outside.resolved.lock().unwrap().is_empty());
}

#[tokio::test]
async fn conflicting_hosts_never_bypass_the_grant() {
    let stage = Stage::new();
    let granted = stage.host("granted.example", 80).await;
    stage.name("evil.example", &["93.184.215.99"]);
    let evil = TestServer::start().await;
    for port in [80, 443] {
        stage.place(&format!("93.184.215.99:{port}"), evil.address);
    }
    let pass = stage.pass(&["granted.example"]);
    let authorization = pass.authorization();
    let authorized = format!("Proxy-Authorization: {authorization}\r\nConnection: close\r\n");
    // The line of the request, further lines, and the status that is expected.
    let attacks = [
        ("GET http://granted.example/ HTTP/1.1", "Host: evil.example", 200),
        ("GET http://evil.example/ HTTP/1.1", "Host: granted.example", 403),
        ("GET http://granted.example@evil.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET http://granted.example:80@evil.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET http://evil.example#@granted.example/ HTTP/1.1", "Host: granted.example", 403),
        ("GET http://evil.example?@granted.example/ HTTP/1.1", "Host: granted.example", 403),
        ("GET http://evil.example\\@granted.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET http://granted.example%2eevil.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET http://granted.example%00.evil.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET //evil.example/ HTTP/1.1", "Host: granted.example", 400),
        ("GET / HTTP/1.1", "Host: granted.example", 400),
        ("GET evil.example:80 HTTP/1.1", "Host: granted.example", 400),
        ("CONNECT evil.example:443 HTTP/1.1", "Host: granted.example:443", 403),
        ("CONNECT granted.example@evil.example:443 HTTP/1.1", "Host: granted.example", 400),
        ("CONNECT http://granted.example:80/ HTTP/1.1", "Host: granted.example", 400),
        ("CONNECT granted.example:80/@evil.example HTTP/1.1", "Host: x", 400),
        ("CONNECT /granted.example:80 HTTP/1.1", "Host: granted.example", 400),
        ("CONNECT granted.example:22 HTTP/1.1", "Host: granted.example:80", 403),
        ("CONNECT granted.example:80 HTTP/1.1", "Content-Length: 3", 400),
        ("CONNECT granted.example:80 HTTP/1.1", "Transfer-Encoding: chunked", 400),
    ];
    for (line, more, expected) in attacks {
        let mut client = stage.client().await;
        let head = format!("{line}\r\n{more}\r\n{authorized}\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        let answer = read_to_end(&mut client).await;
        assert_eq!(status(&answer), expected, "{line}: {answer}");
    }
    assert_eq!((granted.connections(), evil.connections()), (1, 0));
    assert!(granted.received()[0].contains("host: granted.example\r\n"));
}

#[tokio::test]
async fn bodies_cannot_smuggle_requests() {
    // Between two requests the proxy waits this long for the next one.
    let head = Duration::from_millis(200);
    let stage = Stage::with_limits(ProxyLimits { head, ..ProxyLimits::default() });
    let server = stage.host("granted.example", 80).await;
    let pass = stage.pass(&["granted.example"]);
    let authorization = pass.authorization();
    let hidden = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let chunked_hidden = format!("0\r\n\r\n{hidden}");
    let length = hidden.len();
    let attacks = [
        (format!("Content-Length: {length}\r\nTransfer-Encoding: chunked"), &*chunked_hidden),
        (format!("Transfer-Encoding: chunked\r\nContent-Length: {length}"), &chunked_hidden),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity".to_owned(), &chunked_hidden),
        ("Transfer-Encoding: identity, chunked, identity".to_owned(), &chunked_hidden),
        ("Transfer-Encoding: xchunked".to_owned(), &chunked_hidden),
        ("Transfer-Encoding : chunked".to_owned(), &chunked_hidden),
        ("Transfer-Encoding:\x0bchunked".to_owned(), &chunked_hidden),
        (" Transfer-Encoding: chunked".to_owned(), &chunked_hidden),
        ("X: y\n\nGET http://evil.example/ HTTP/1.1".to_owned(), ""),
        ("Content-Length: 0\r\nContent-Length: 5".to_owned(), hidden),
        ("Content-Length: 0, 5".to_owned(), hidden),
        ("Content-Length: +0".to_owned(), hidden),
        ("Content-Length: -1".to_owned(), hidden),
        ("Content-Length: 0x5".to_owned(), hidden),
        ("Content-Length: 18446744073709551616".to_owned(), hidden),
        ("Connection: content-length\r\nContent-Length: 0".to_owned(), hidden),
        ("Connection: host\r\nContent-Length: 0".to_owned(), hidden),
    ];
    for (lines, body) in attacks {
        let before = server.connections();
        let head = format!(
            "POST http://granted.example/ HTTP/1.1\r\nHost: x\r\n\
             Proxy-Authorization: {authorization}\r\n{lines}\r\n\r\n{body}"
        );
        let mut client = stage.client().await;
        client.write_all(head.as_bytes()).await.unwrap();
        let answer = read_to_end(&mut client).await;
        // The hidden request, if it was read as one, shows no credentials.
        for part in answer.split("HTTP/1.1 ").skip(1) {
            let code = part.get(..3).unwrap_or_default();
            assert!(["200", "400", "407"].contains(&code), "{lines:?}: {answer}");
        }
        for received in &server.received()[before..] {
            assert!(!received.contains("evil"), "{lines:?}: {received}");
            assert_eq!(received.matches("HTTP/1.1").count(), 1, "{lines:?}: {received}");
            assert!(received.contains("host: granted.example\r\n"), "{lines:?}: {received}");
        }
    }
    assert!(server.connections() > 3, "not everything was rejected at once");
}

#[tokio::test]
async fn conflicting_response_lengths_are_normalized() {
    let stage = Stage::new();
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\
        Connection: X-Hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic realm=\"give me\"\r\n\r\n\
        5\r\nhello\r\n0\r\n\r\n";
    let server = TestServer::answering(two).await;
    stage.name("example.org", &[PUBLIC]);
    stage.place(&format!("{PUBLIC}:80"), server.address);
    let pass = stage.pass(&["example.org"]);
    let answer = stage.get(&pass, "http://example.org/", "").await.to_lowercase();
    assert!(answer.contains("hello"), "{answer}");
    for word in ["content-length", "x-hop", "proxy-authenticate"] {
        assert!(!answer.contains(word), "{word}: {answer}");
    }
}

#[tokio::test]
async fn proxy_does_not_reach_itself() {
    let stage = Stage::new();
    stage.name("self.example", &[&Ipv4Addr::LOCALHOST.to_string()]);
    let pass = stage.pass(&["*"]);
    for host in ["self.example", "127.0.0.1", "localhost"] {
        let (status, _) = stage.connect(&pass, &format!("{host}:{}", stage.port)).await;
        assert_eq!(status, 403, "{host}");
    }
}
