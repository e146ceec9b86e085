//! Bodies that are too large, too slow, cut or compressed.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use silcrow_web::{BodyGap, Error, ErrorKind, FetchLimits, FetchedBody, Fetcher, WebUrl};

use crate::server::{Answer, TestServer};

async fn read(fetcher: &Fetcher, server: &TestServer) -> Result<FetchedBody, Error> {
    fetcher.get(&WebUrl::parse(&server.url("/")).unwrap()).await?.read().await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Starts a server with one compressed body.
async fn compressed(encoding: &str, body: Vec<u8>) -> TestServer {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let answer = [head.into_bytes(), body].concat();
    TestServer::start(move |_| Answer::Bytes(answer.clone())).await
}

async fn raw(answer: Answer) -> TestServer {
    TestServer::start(move |_| answer.clone()).await
}

#[tokio::test]
async fn one_layer_of_compression_is_undone() {
    let text = "a page ".repeat(10_000).into_bytes();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(&text).unwrap();
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(&text).unwrap();
    let two_members = [gzip(&text[..100]), gzip(&text[100..])].concat();
    let forms = [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("GZIP", two_members),
        ("deflate", zlib.finish().unwrap()),
        ("deflate", deflate.finish().unwrap()),
        ("identity", text.clone()),
    ];
    for (encoding, body) in forms {
        let server = compressed(encoding, body).await;
        let body = read(&server.fetcher(), &server).await.unwrap();
        assert!(body.bytes == text && body.gap.is_none(), "{encoding}");
    }
    for encoding in ["gzip", "deflate"] {
        let server = compressed(encoding, Vec::new()).await;
        let body = read(&server.fetcher(), &server).await.unwrap();
        assert!(body.bytes.is_empty(), "{encoding}");
    }
}

#[tokio::test]
async fn other_compression_is_an_error() {
    for encoding in
        ["br", "zstd", "compress", "gzip, gzip", "gzip, br", "x", "gzip\r\nContent-Encoding: gzip"]
    {
        let server = compressed(encoding, gzip(&gzip(b"text"))).await;
        let error = read(&server.fetcher(), &server).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Answer, "{encoding}");
    }
}

#[tokio::test]
async fn a_bomb_is_decompressed_up_to_the_limit() {
    // 1 GiB of zeros, in 1024 members.
    let bomb = gzip(&vec![0; 1 << 20]).repeat(1024);
    assert!(bomb.len() < 5 << 20);
    let server = compressed("gzip", bomb).await;
    let before = resident();
    let body = read(&server.fetcher(), &server).await.unwrap();
    assert_eq!(body.bytes.len(), 10 << 20);
    assert_eq!(body.gap, Some(BodyGap::TooLong(10 << 20)));
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown}");
}

/// Returns the memory of this process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = status.split(' ').nth(1).unwrap_or("0").parse().unwrap();
    pages * 4096
}

#[tokio::test]
async fn damaged_compression_is_noticed() {
    let text = "some text of a page\n".repeat(2000);
    let whole = gzip(text.as_bytes());
    let server = compressed("gzip", whole[..whole.len() - 9].to_vec()).await;
    let body = read(&server.fetcher(), &server).await.unwrap();
    assert_eq!(body.gap, Some(BodyGap::Damaged));
    assert!(text.as_bytes().starts_with(&body.bytes) && !body.bytes.is_empty());
    let server = compressed("gzip", b"no gzip".to_vec()).await;
    let body = read(&server.fetcher(), &server).await.unwrap();
    assert_eq!((body.bytes.len(), body.gap), (0, Some(BodyGap::Damaged)));
}

#[tokio::test]
async fn an_endless_body_ends_at_the_limit() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    let server = raw(Answer::Endless(head, vec![b'a'; 1 << 16])).await;
    let body = read(&server.fetcher(), &server).await.unwrap();
    assert_eq!(body.bytes.len(), 5 << 20);
    assert_eq!(body.gap, Some(BodyGap::TooLong(5 << 20)));

    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let server =
        raw(Answer::Endless(head, format!("400\r\n{}\r\n", "a".repeat(1024)).into_bytes())).await;
    let body = read(&server.fetcher(), &server).await.unwrap();
    assert_eq!(body.gap, Some(BodyGap::TooLong(5 << 20)));
}

#[tokio::test]
async fn slow_body_ends_at_the_timeout() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec();
    let server = raw(Answer::Drip(head.clone(), b"a".to_vec())).await;
    let limits = FetchLimits { whole: Duration::from_millis(500), ..FetchLimits::default() };
    let body = read(&server.fetcher().with_limits(limits), &server).await.unwrap();
    assert_eq!(body.gap, Some(BodyGap::Slow));

    let server = raw(Answer::Silence(head)).await;
    let limits = FetchLimits { idle: Duration::from_millis(100), ..FetchLimits::default() };
    let body = read(&server.fetcher().with_limits(limits), &server).await.unwrap();
    assert_eq!(body.gap, Some(BodyGap::Idle));
}

#[tokio::test]
async fn a_server_without_an_answer_is_a_timeout() {
    let (connect, headers) = (Duration::from_secs(5), Duration::from_millis(100));
    let limits = FetchLimits { connect: connect.min(headers), headers, ..FetchLimits::default() };
    let half = Answer::Drip(b"HTTP/1.1 200 OK\r\nA: ".to_vec(), b"a".to_vec());
    for answer in [Answer::Silence(Vec::new()), half] {
        let server = raw(answer).await;
        let error = read(&server.fetcher().with_limits(limits), &server).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
    }
}

#[tokio::test]
async fn endless_and_large_headers_are_an_error() {
    let start = b"HTTP/1.1 200 OK\r\n".to_vec();
    let endless = Answer::Endless(start.clone(), b"A: a\r\n".repeat(100));
    let long = Answer::Endless([&*start, b"A: "].concat(), vec![b'a'; 1 << 16]);
    let status = Answer::Endless(b"HTTP/1.1 200 ".to_vec(), vec![b'a'; 1 << 16]);
    let hints = Answer::Endless(Vec::new(), b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100));
    let time = Duration::from_millis(300);
    let limits = FetchLimits { connect: time, headers: time, ..FetchLimits::default() };
    for answer in [endless, long, status, hints] {
        let server = raw(answer).await;
        read(&server.fetcher().with_limits(limits), &server).await.unwrap_err();
    }
    let large = format!("A: {}\r\n", "a".repeat(10_000)).repeat(8);
    let head = format!("HTTP/1.1 200 OK\r\n{large}Content-Length: 0\r\n\r\n");
    let server = raw(Answer::Bytes(head.into_bytes())).await;
    let error = read(&server.fetcher(), &server).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Answer);
}

#[tokio::test]
async fn truncated_body_is_incomplete() {
    let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginning",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nthe beginning\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nthe beginning\r\n64\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nthe beginning\r\nx\r\n",
    ];
    for answer in answers {
        let server = raw(Answer::Bytes(answer.into())).await;
        let body = read(&server.fetcher(), &server).await.unwrap();
        assert_eq!(body, cut("the beginning"), "{answer}");
    }
    // A body that is longer than its declared length ends there.
    let long = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nthe beginning";
    let server = raw(Answer::Bytes(long.into())).await;
    assert_eq!(read(&server.fetcher(), &server).await.unwrap().bytes, b"the");
}

fn cut(text: &str) -> FetchedBody {
    let mut body = FetchedBody::default();
    body.bytes = text.into();
    body.gap = Some(BodyGap::Cut);
    body
}

#[tokio::test]
async fn overflowing_chunk_size_ends_the_body() {
    // The last of them are 13 in 32 and in 64 bits.
    for size in ["ffffffffffffffff", "fffffffffffffffff", "10000000d", "1000000000000000d"] {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let first = format!("{head}{size}\r\nthe beginning\r\n0\r\n\r\n");
        let second = format!("{head}4\r\nthe \r\n{size}\r\nthe beginning\r\n0\r\n\r\n");
        for answer in [first, second] {
            let server = raw(Answer::Bytes(answer.clone().into())).await;
            let body = read(&server.fetcher(), &server).await.unwrap();
            assert_eq!(body.gap, Some(BodyGap::Cut), "{answer}");
        }
    }
}

#[tokio::test]
async fn non_http_response_is_an_error() {
    for answer in ["", "\r\n", "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/0.9"] {
        let server = raw(Answer::Bytes(answer.into())).await;
        let error = read(&server.fetcher(), &server).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{answer:?}");
    }
}
