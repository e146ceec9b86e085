//! Requests with absolute URLs.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::stage::{Stage, TestServer, read_head, status};

#[tokio::test]
async fn a_request_is_written_anew_for_its_server() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    let pass = stage.pass(&["example.org"]);
    let more = "Accept: a/b\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nUpgrade: x\r\n\
        Keep-Alive: 5\r\nConnection: X-Secret, close\r\nX-Secret: 1\r\nX-Other: 2\r\n";
    let answer = stage.get(&pass, "http://EXAMPLE.org./a?b=c#d", more).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nhello"), "{answer}");
    assert!(!answer.to_lowercase().contains("keep-alive"), "{answer}");
    let [received] = &server.received()[..] else { panic!("{:?}", server.received()) };
    let mut lines: Vec<_> = received.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["", "GET /a?b=c HTTP/1.1", "accept: a/b", "host: example.org", "x-other: 2"]
    );
}

#[tokio::test]
async fn only_absolute_http_urls_are_accepted() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    let pass = stage.pass(&["*"]);
    for url in [
        "/",
        "https://example.org/",
        "ftp://example.org/",
        "http://user@example.org/",
        "http://granted.example@example.org/",
        "http://granted.example:80@example.org/",
        "http://example.org:0/",
        "http://example.org:/",
        "*",
    ] {
        let answer = stage.get(&pass, url, "").await;
        assert_eq!(status(&answer), 400, "{url}: {answer}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_connection_serves_requests_to_several_hosts() {
    let stage = Stage::new();
    let server = stage.host("a.example", 80).await;
    stage.name("b.example", &["93.184.215.14"]);
    let pass = stage.pass(&["a.example", "b.example"]);
    let mut client = stage.client().await;
    for (host, expected) in [("a", 200), ("c", 403), ("b", 200), ("a", 200)] {
        let authorization = pass.authorization();
        let head = format!(
            "GET http://{host}.example/ HTTP/1.1\r\nHost: x\r\n\
             Proxy-Authorization: {authorization}\r\n\r\n"
        );
        client.write_all(head.as_bytes()).await.unwrap();
        let head = read_head(&mut client).await;
        assert_eq!(status(&head), expected, "{head}");
        let length = head.to_lowercase();
        let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        client.read_exact(&mut body).await.unwrap();
    }
    let hosts: Vec<_> = server.received().iter().map(|text| text.contains("host: b.")).collect();
    assert_eq!(hosts, [false, true, false]);
}

#[tokio::test]
async fn http_1_0_clients_get_terminated_answers() {
    let stage = Stage::new();
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let server = TestServer::answering(chunked).await;
    stage.name("example.org", &["93.184.215.14"]);
    stage.place("93.184.215.14:80", server.address);
    let pass = stage.pass(&["example.org"]);
    let authorization = pass.authorization();
    let answer = stage
        .exchange(&format!(
            "GET http://example.org HTTP/1.0\r\nProxy-Authorization: {authorization}\r\n\r\n"
        ))
        .await;
    assert!(answer.starts_with("HTTP/1.0 200") && answer.ends_with("\r\n\r\nhello"), "{answer}");
    assert!(!answer.contains("chunked"), "{answer}");
    assert!(server.received()[0].starts_with("GET / HTTP/1.1\r\n"), "{:?}", server.received());
}

#[tokio::test]
async fn bodies_are_forwarded_with_one_length() {
    let stage = Stage::new();
    let server = stage.host("example.org", 80).await;
    let pass = stage.pass(&["example.org"]);
    let chunks = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
    for (method, lines, body, expected) in [
        ("POST", "Content-Length: 3\r\n", "abc", "content-length: 3"),
        ("POST", "Content-Length: 3\r\nContent-Length: 3\r\n", "abc", "content-length: 3"),
        ("POST", "Transfer-Encoding: chunked\r\n", chunks, "transfer-encoding: chunked"),
        ("GET", "Transfer-Encoding: chunked\r\n", chunks, "transfer-encoding: chunked"),
        ("PUT", "Content-Length: 0\r\n", "", "content-length: 0"),
    ] {
        let before = server.connections();
        let authorization = pass.authorization();
        let answer = stage
            .exchange(&format!(
                "{method} http://example.org/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                 Proxy-Authorization: {authorization}\r\n{lines}\r\n{body}"
            ))
            .await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{lines}: {answer}");
        let received = server.received()[before].clone();
        let lengths: Vec<_> = received
            .lines()
            .filter(|line| line.starts_with("content-length") || line.starts_with("transfer-"))
            .collect();
        assert_eq!(lengths, [expected], "{received}");
        let sent = received.split_once("\r\n\r\n").unwrap().1;
        match expected.starts_with("transfer") {
            true => assert!(sent.contains("abc") && sent.ends_with("0\r\n\r\n"), "{received}"),
            false => assert_eq!(sent, body, "{received}"),
        }
    }
}

#[tokio::test]
async fn answer_without_length_ends_with_connection() {
    let stage = Stage::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    stage.name("example.org", &["93.184.215.14"]);
    stage.place("93.184.215.14:80", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_head(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nuntil the end").await.unwrap();
    });
    let pass = stage.pass(&["example.org"]);
    let answer = stage.get(&pass, "http://example.org/", "").await;
    assert!(answer.contains("until the end"), "{answer}");
    server.await.unwrap();
}
