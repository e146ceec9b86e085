//! Clients that take much or send little.

use std::collections::VecDeque;
use std::time::Duration;

use silcrow_egress::ProxyLimits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::stage::{Stage, read_to_end, status};

fn hasty() -> ProxyLimits {
    ProxyLimits { head: Duration::from_millis(300), ..ProxyLimits::default() }
}

#[tokio::test]
async fn unfinished_head_times_out() {
    let stage = Stage::with_limits(hasty());
    for start in [&b""[..], b"G", b"GET http://example.org/ HTTP/1.1\r\n", b"\x05", b"\x05\x01\x02"]
    {
        let mut client = stage.client().await;
        client.write_all(start).await.unwrap();
        read_to_end(&mut client).await;
    }
}

#[tokio::test]
async fn slowly_dripped_head_is_cut_off() {
    let stage = Stage::with_limits(hasty());
    for start in ["GET http://example.org/ HTTP/1.1\r\n", "\x05\u{7f}"] {
        let mut client = stage.client().await;
        client.write_all(start.as_bytes()).await.unwrap();
        let (mut from, mut to) = client.split();
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        let trickle = async {
            for _ in 0..1000 {
                ticks.tick().await;
                if to.write_all(b"a").await.is_err() {
                    return;
                }
            }
        };
        let mut bytes = Vec::new();
        tokio::select! {
            () = trickle => panic!("the proxy reads {start:?} without end"),
            _ = from.read_to_end(&mut bytes) => {}
        }
    }
}

#[tokio::test]
async fn a_huge_head_is_rejected() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    let pass = stage.pass(&["example.org"]);
    let authorization = pass.authorization();
    let long = "a".repeat(70 << 10);
    let many = "X: y\r\n".repeat(200);
    for (url, lines) in [
        (format!("http://example.org/{long}"), String::new()),
        ("http://example.org/".to_owned(), format!("X: {long}\r\n")),
        ("http://example.org/".to_owned(), many),
    ] {
        let head = format!(
            "GET {url} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: {authorization}\r\n{lines}\r\n"
        );
        let mut client = stage.client().await;
        let (mut from, mut to) = client.split();
        let mut answer = Vec::new();
        // The proxy may answer before it has read everything.
        let (_, _) = tokio::join!(to.write_all(head.as_bytes()), from.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!([0, 400, 414, 431].contains(&status(&answer)), "{answer}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_pass_has_a_number_of_connections() {
    let limits = ProxyLimits { connections_of_pass: 2, ..ProxyLimits::default() };
    let stage = Stage::with_limits(limits);
    let _server = stage.host("example.org", 443).await;
    let (pass, other) = (stage.pass(&["example.org"]), stage.pass(&["example.org"]));
    let first = stage.connect(&pass, "example.org:443").await;
    let second = stage.connect(&pass, "example.org:443").await;
    assert_eq!((first.0, second.0), (200, 200));
    assert_eq!(stage.connect(&pass, "example.org:443").await.0, 403);
    assert_eq!(stage.connect(&other, "example.org:443").await.0, 200);
    assert!(pass.refusals()[0].to_string().contains("too many connections"));
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_flood_uses_bounded_descriptors() {
    let limits = ProxyLimits { connections: 20, ..hasty() };
    let stage = Stage::with_limits(limits);
    let _server = stage.host("example.org", 80).await;
    let pass = stage.pass(&["example.org"]);
    let before = descriptors();
    let mut open = VecDeque::new();
    let mut most = 0;
    for index in 0..10_000 {
        // The backlog of the listener may be full.
        let connecting = TcpStream::connect(("127.0.0.1", stage.port));
        if let Ok(Ok(client)) = tokio::time::timeout(Duration::from_millis(5), connecting).await {
            open.push_back(client);
        }
        if open.len() > 100 {
            open.pop_front();
        }
        if index % 100 == 0 {
            most = most.max(descriptors());
        }
    }
    // Each client has a descriptor here, and the proxy has some more.
    assert!(most <= before + 101 + 20 + 10, "{most} descriptors, {before} before");
    drop(open);
    let answer = stage.get(&pass, "http://example.org/", "").await;
    assert_eq!(status(&answer), 200, "{answer}");
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}
