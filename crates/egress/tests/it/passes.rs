//! The pass of a connection, and the connection's end.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::socks::{greet, token};
use crate::stage::{PUBLIC, Stage, connect_head, read_head, read_to_end, status};

#[tokio::test]
async fn credentials_open_their_own_pass_only() {
    let stage = Stage::new();
    let server = stage.host("a.example", 443).await;
    stage.name("b.example", &[PUBLIC]);
    let (a, b) = (stage.pass(&["a.example"]), stage.pass(&["b.example"]));
    assert_ne!(token(&a), token(&b));
    assert_eq!(stage.connect(&a, "a.example:443").await.0, 200);
    assert_eq!(stage.connect(&b, "b.example:443").await.0, 200);
    assert_eq!(stage.connect(&a, "b.example:443").await.0, 403);
    assert_eq!(stage.connect(&b, "a.example:443").await.0, 403);
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn requests_need_credentials_of_open_pass() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    stage.place(&format!("{PUBLIC}:443"), server.address);
    let pass = stage.pass(&["*"]);
    let good = pass.authorization();
    let encoded = good.strip_prefix("Basic ").unwrap().to_owned();
    let ended = stage.pass(&["*"]).authorization();
    for line in [
        String::new(),
        format!("Authorization: {good}\r\n"),
        format!("Proxy-Authorization: Bearer {encoded}\r\n"),
        format!("Proxy-Authorization: {encoded}\r\n"),
        format!("Proxy-Authorization: Basic {}\r\n", &encoded[1..]),
        "Proxy-Authorization: Basic\r\n".to_owned(),
        "Proxy-Authorization: Basic Og==\r\n".to_owned(),
        "Proxy-Authorization: Basic ????\r\n".to_owned(),
        format!("Proxy-Authorization: {ended}\r\n"),
        format!("Proxy-Authorization: {ended}\r\nProxy-Authorization: {good}\r\n"),
    ] {
        for request in ["CONNECT example.org:443", "GET http://example.org/"] {
            let head = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{line}\r\n");
            let answer = stage.exchange(&head).await;
            assert_eq!(status(&answer), 407, "{line}: {answer}");
            assert!(answer.to_lowercase().contains("proxy-authenticate: basic"), "{answer}");
        }
    }
    assert_eq!(server.connections(), 0);
    // A client that shows its credentials only when it is asked to.
    let mut client = stage.client().await;
    client.write_all(b"CONNECT example.org:443 HTTP/1.1\r\n\r\n").await.unwrap();
    let head = read_head(&mut client).await;
    assert_eq!(status(&head), 407);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    client.read_exact(&mut vec![0; length.parse().unwrap()]).await.unwrap();
    client.write_all(connect_head(&pass, "example.org:443").as_bytes()).await.unwrap();
    assert_eq!(status(&read_head(&mut client).await), 200);
}

#[tokio::test]
async fn a_connection_has_one_pass() {
    let stage = Stage::new();
    let _server = stage.host("example.org", 80).await;
    let (first, second) = (stage.pass(&["example.org"]), stage.pass(&["example.org"]));
    let mut client = stage.client().await;
    for (pass, expected) in [(&first, 200), (&second, 407)] {
        let head = format!(
            "GET http://example.org/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: {}\r\n\r\n",
            pass.authorization()
        );
        client.write_all(head.as_bytes()).await.unwrap();
        let head = read_head(&mut client).await;
        assert_eq!(status(&head), expected);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        client.read_exact(&mut vec![0; length.parse().unwrap()]).await.unwrap();
    }
}

#[tokio::test]
async fn ending_a_pass_cuts_its_connections() {
    let stage = Stage::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    stage.name("example.org", &[PUBLIC]);
    for port in [80, 443] {
        stage.place(&format!("{PUBLIC}:{port}"), listener.local_addr().unwrap());
    }
    let (pass, other) = (stage.pass(&["example.org"]), stage.pass(&["example.org"]));
    let token = token(&pass);
    let mut ends = Vec::new();

    let (_, mut tunnel) = stage.connect(&pass, "example.org:443").await;
    tunnel.write_all(b"pinned open").await.unwrap();
    ends.push(listener.accept().await.unwrap().0);

    let (_, mut others) = stage.connect(&other, "example.org:443").await;
    let (mut others_end, _) = listener.accept().await.unwrap();

    let (mut socks, _) = greet(&stage, &token).await;
    let request = async { crate::socks::ask(&mut socks, 1, "example.org", 443).await };
    let (reply, accepted) = tokio::join!(request, listener.accept());
    assert_eq!(reply, 0);
    ends.push(accepted.unwrap().0);

    // A request that waits for its answer, and an answer that never ends.
    let mut waiting = stage.client().await;
    let mut endless = stage.client().await;
    for client in [&mut waiting, &mut endless] {
        let head = format!(
            "GET http://example.org/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: {}\r\n\r\n",
            pass.authorization()
        );
        client.write_all(head.as_bytes()).await.unwrap();
        ends.push(listener.accept().await.unwrap().0);
    }
    let last = ends.last_mut().unwrap();
    last.write_all(b"HTTP/1.1 200 OK\r\n\r\nstarted").await.unwrap();
    read_head(&mut endless).await;
    // A connection between two requests, and one in the middle of its credentials.
    let (mut idle, _) = greet(&stage, &token).await;

    drop(pass);
    for client in [&mut tunnel, &mut socks, &mut waiting, &mut endless, &mut idle] {
        read_to_end(client).await;
    }
    for end in &mut ends {
        read_to_end(end).await;
    }
    assert!(!greet(&stage, &token).await.1);
    // Connections of other passes stay.
    others.write_all(b"still here").await.unwrap();
    let mut bytes = [0; 10];
    others_end.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"still here");
}

#[tokio::test]
async fn the_end_of_the_server_cuts_everything() {
    let stage = Stage::new();
    let _server = stage.host("example.org", 443).await;
    let pass = stage.pass(&["example.org"]);
    let (status, mut client) = stage.connect(&pass, "example.org:443").await;
    assert_eq!(status, 200);
    assert!(stage.server.is_running());
    drop(stage.server);
    assert_eq!(read_to_end(&mut client).await, "");
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", stage.port)).await.is_err());
}

#[test]
fn a_pass_hides_its_credentials() {
    let proxy = silcrow_egress::EgressProxy::new();
    let pass = proxy.open(&silcrow_event::Grants::none(), |_| Box::pin(async { Ok(()) }));
    assert!(!format!("{pass:?}{proxy:?}").contains(&token(&pass)));
    assert!(proxy.serve(std::net::TcpListener::bind("127.0.0.1:0").unwrap()).is_err());
}
