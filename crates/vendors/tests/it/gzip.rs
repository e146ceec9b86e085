//! Bodies in gzip that was not requested.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, ErrorKind, FinishReason, Request};

use crate::cuts::cut_anywhere;
use crate::faults::check_error;
use crate::server::{Server, answer, ask};
use crate::wire::Api;

/// The bodies as one stream, each to be read as soon as it is there.
fn zipped(bodies: &[&str]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    for body in bodies {
        encoder.write_all(body.as_bytes()).unwrap();
        encoder.flush().unwrap();
    }
    encoder.finish().unwrap()
}

fn head(kind: &str, encoding: &str) -> Vec<u8> {
    let lines = format!("Content-Type: {kind}\r\nContent-Encoding: {encoding}\r\n\r\n");
    format!("HTTP/1.1 200 OK\r\n{lines}").into_bytes()
}

fn events(zipped: &[u8]) -> Vec<u8> {
    [&head("text/event-stream", "gzip"), zipped].concat()
}

#[tokio::test]
async fn unrequested_gzip_is_decoded() {
    for api in Api::ALL {
        let body = zipped(&[&api.text("§a"), &api.text("é🗼"), &api.stop()]);
        for size in [1, 7, usize::MAX] {
            let server = Server::playing(events(&body), size);
            let given = ask(&*api.model(&server), true).await;
            assert_eq!(
                (&*given.text, given.finish),
                ("§aé🗼", Some(FinishReason::Stop)),
                "{api:?}"
            );
            let request = server.requests.try_recv().unwrap();
            assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
        }
        let whole = [head("application/json", "gzip"), zipped(&[&api.whole("a")])].concat();
        let given = ask(&*api.model(&Server::playing(whole, 3)), false).await;
        assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)), "{api:?}");
        let busy =
            String::from_utf8_lossy(&head("application/json", "gzip")).replace("200 OK", "429 No");
        let busy = [busy.into_bytes(), zipped(&[r#"{"error":{"message":"slow down"}}"#])].concat();
        let given = ask(&*api.model(&Server::playing(busy, 5)), true).await;
        check_error(given, ErrorKind::Rate, &["slow down"]);
    }
}

#[tokio::test]
async fn concatenated_gzip_members_are_decoded() {
    for api in Api::ALL {
        let body = [zipped(&[&api.text("§a")]), zipped(&[&api.text("é🗼"), &api.stop()])].concat();
        for (encoding, size) in [("gzip", 1), ("GZip", 7), ("x-gzip", usize::MAX)] {
            let bytes = [&head("text/event-stream", encoding), &body[..]].concat();
            let given = ask(&*api.model(&Server::playing(bytes, size)), true).await;
            assert_eq!(
                (&*given.text, given.finish),
                ("§aé🗼", Some(FinishReason::Stop)),
                "{api:?}"
            );
        }
    }
}

#[tokio::test]
async fn gzip_pieces_arrive_without_delay() {
    let api = Api::Chat;
    let body = zipped(&[&api.text("a"), &api.stop()]);
    let first = zipped(&[&api.text("a")]).len() - END;
    let server = Server::holding(events(&body[..first]));
    let mut deltas = api.model(&server).stream(Request::new(vec![Message::new(Role::User, "hi")]));
    let item = tokio::time::timeout(Duration::from_secs(10), deltas.next()).await.unwrap();
    assert_eq!(item.unwrap().unwrap(), Delta::Text("a".to_owned()));
}

#[tokio::test]
async fn cut_at_any_byte_it_is_cut() {
    for api in Api::ALL {
        let body = zipped(&[&api.text("a"), &api.text("b"), &api.stop()]);
        let head = events(&[]).len();
        cut_anywhere(api, &events(&body), head, "ab").await;
    }
}

#[tokio::test]
async fn gzip_bomb_is_decoded_only_to_line_limit() {
    let zeros = vec![b'0'; 1 << 20];
    let [bomb, whole] = [&b"data: "[..], b"[\""].map(|begins| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(begins).unwrap();
        (0..32).for_each(|_| encoder.write_all(&zeros).unwrap());
        encoder.finish().unwrap()
    });
    assert!(bomb.len() < 1 << 17, "{} bytes for 32 MiB", bomb.len());
    for api in Api::ALL {
        let given = ask(&*api.model(&Server::playing(events(&bomb), usize::MAX)), true).await;
        check_error(given, ErrorKind::Malformed, &["1048576 bytes"]);
        let whole = [&head("application/json", "gzip"), &whole[..]].concat();
        let given = ask(&*api.model(&Server::playing(whole, usize::MAX)), true).await;
        check_error(given, ErrorKind::Malformed, &["4194304 bytes"]);
    }
}

#[tokio::test]
async fn unknown_or_invalid_encodings_are_malformed() {
    for api in Api::ALL {
        for encoding in ["br", "deflate", "gzip, br", "zstd"] {
            let body = [head("text/event-stream", encoding), b"\x0b\x02".to_vec()].concat();
            let given = ask(&*api.model(&Server::playing(body, usize::MAX)), true).await;
            check_error(given, ErrorKind::Malformed, &[&format!("`{encoding}`")]);
        }
        let plain = events((api.text("a") + &api.stop()).as_bytes());
        let given = ask(&*api.model(&Server::playing(plain, usize::MAX)), true).await;
        check_error(given, ErrorKind::Malformed, &["cannot be read"]);
        let same = [head("text/event-stream", "identity"), api.stop().into_bytes()].concat();
        let given = ask(&*api.model(&Server::playing(same, usize::MAX)), true).await;
        assert_eq!(given.finish, Some(FinishReason::Stop));
        let busy = answer("503 No\r\nContent-Encoding: br", "application/json", "\u{b}\u{2}");
        let given = ask(&*api.model(&Server::playing(busy, usize::MAX)), true).await;
        check_error(given, ErrorKind::Overload, &["503"]);
    }
}

/// Bytes that a stream in gzip ends with: its last block, its sum and its length.
const END: usize = 10;
