//! Tunnels by CONNECT.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::stage::{Stage, connect_head, read_head, read_to_end, status};

#[tokio::test]
async fn a_granted_host_is_reached_at_its_ports() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    let pass = stage.pass(&["example.org"]);
    for authority in ["example.org:443", "EXAMPLE.org.:443"] {
        let (status, mut client) = stage.connect(&pass, authority).await;
        assert_eq!(status, 200, "{authority}");
        client.write_all(b"echo this").await.unwrap();
        client.shutdown().await.unwrap();
        // The server answers after the client has ended its half.
        assert_eq!(read_to_end(&mut client).await, "echo this");
    }
    assert_eq!(server.received(), ["echo this", "echo this"]);
    assert!(pass.refusals().is_empty());
    for (authority, expected) in [
        ("example.org:22", 403),
        ("example.org:8443", 403),
        ("other.example:443", 403),
        ("www.example.org:443", 403),
        ("example.org", 400),
        ("example.org:0", 400),
        ("example.org:99999", 400),
    ] {
        assert_eq!(stage.connect(&pass, authority).await.0, expected, "{authority}");
    }
    assert_eq!(server.connections(), 2);
    assert_eq!(*stage.outside.resolved.lock().unwrap(), ["example.org", "example.org"]);
}

#[tokio::test]
async fn grant_with_port_opens_only_that_port() {
    let stage = Stage::new();
    let _server = stage.host("git.example", 22).await;
    let pass = stage.pass(&["git.example:22"]);
    assert_eq!(stage.connect(&pass, "git.example:22").await.0, 200);
    assert_eq!(stage.connect(&pass, "git.example:443").await.0, 403);
}

#[tokio::test]
async fn bytes_following_the_head_reach_server() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    let pass = stage.pass(&["example.org"]);
    let mut client = stage.client().await;
    let head = connect_head(&pass, "example.org:443");
    client.write_all(format!("{head}echo early").as_bytes()).await.unwrap();
    assert_eq!(status(&read_head(&mut client).await), 200);
    let mut echoed = [0; 10];
    client.read_exact(&mut echoed).await.unwrap();
    assert_eq!((&echoed, server.received()), (b"echo early", vec!["echo early".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_transfer_uses_little_memory() {
    let stage = Stage::new();
    let _server = stage.host("example.org", 443).await;
    let pass = stage.pass(&["example.org"]);
    let (_, mut client) = stage.connect(&pass, "example.org:443").await;
    client.write_all(b"echo").await.unwrap();
    let (mut from, mut to) = client.split();
    let block = [b'x'; 64 * 1024];
    let sent = async {
        for _ in 0..256 {
            to.write_all(&block).await.unwrap();
        }
        to.shutdown().await.unwrap();
    };
    let mut total = 0;
    let received = async {
        let mut bytes = [0; 64 * 1024];
        loop {
            let read = from.read(&mut bytes).await.unwrap();
            if read == 0 {
                break;
            }
            total += read;
        }
    };
    tokio::join!(sent, received);
    assert_eq!(total, 4 + 256 * 64 * 1024);
}

#[tokio::test]
async fn unreachable_server_is_named() {
    let stage = Stage::new();
    stage.name("gone.example", &["93.184.215.14"]);
    let pass = stage.pass(&["*"]);
    for (authority, words) in [
        ("gone.example:443", "gone.example: it cannot be connected to"),
        ("unknown.example:443", "unknown.example: its name is not resolved"),
    ] {
        let mut client = stage.client().await;
        client.write_all(connect_head(&pass, authority).as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let answer = read_to_end(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 502") && answer.contains(words), "{answer}");
    }
    assert!(pass.refusals().is_empty());
}

#[tokio::test]
async fn dual_stack_host_is_reached_by_either_family() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    stage.name("example.org", &["2606:4700::1", "2606:4700::2", "93.184.215.14"]);
    let pass = stage.pass(&["example.org"]);
    assert_eq!(stage.connect(&pass, "example.org:443").await.0, 200);
    let connected: Vec<_> =
        stage.outside.connected.lock().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(connected, ["[2606:4700::1]:443", "93.184.215.14:443"]);
    assert_eq!(server.connections(), 1);
}
