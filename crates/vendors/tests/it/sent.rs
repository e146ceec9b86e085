//! Bytes of requests are reported whatever happens to the answer, and so are known tokens.

use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, ErrorKind, Request};

use crate::server::{Server, answer, ask, events};
use crate::wire::Api;

/// Bytes of the body that the server read.
fn read(server: &Server) -> u64 {
    let request = server.requests.recv_timeout(Duration::from_secs(10)).unwrap();
    request.split_once("\r\n\r\n").unwrap().1.len() as u64
}

#[tokio::test]
async fn each_delivered_request_is_counted_once() {
    for api in Api::ALL {
        let text = api.text("a");
        for (bytes, streaming, failed) in [
            (events(&(text.clone() + &api.stop())), true, None),
            (answer("200 OK", "application/json", &api.whole("a")), false, None),
            (events(&text), true, Some(ErrorKind::Cut)),
            (events(""), true, Some(ErrorKind::Cut)),
            (answer("503 No", "text/plain", "busy"), true, Some(ErrorKind::Overload)),
            (answer("200 OK", "text/html", "<p>"), true, Some(ErrorKind::Malformed)),
        ] {
            let server = Server::playing(bytes, usize::MAX);
            let given = ask(&*api.model(&server), streaming).await;
            assert_eq!(given.error.map(|error| error.kind()), failed, "{api:?}");
            assert_eq!(given.sent, read(&server), "{api:?}, {failed:?}");
        }
        let silent = Server::holding("");
        let model = api.brief(&silent, |limits| limits.first = Duration::from_millis(50));
        let given = ask(&*model, true).await;
        assert_eq!(given.sent, read(&silent), "{api:?}");
        assert_eq!(given.failed().kind(), ErrorKind::Timeout, "{api:?}");
    }
}

#[tokio::test]
async fn unreachable_requests_are_not_counted() {
    let server = Server::playing("", 1);
    let url = server.url().replace("127.0.0.1", "127.0.0.2");
    let chat = silcrow_vendors::Chat::compatible(&url, "m", None).unwrap();
    let given = ask(&chat, true).await;
    assert_eq!(given.sent, 0);
    assert_eq!(given.failed().kind(), ErrorKind::Network);
}

#[tokio::test]
async fn dropped_stream_has_already_reported_usage() {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":7,
        "cache_read_input_tokens":5,"output_tokens":1}}}"#
        .replace('\n', "");
    let body = format!("data: {start}\n\n{}", Api::Messages.text("a"));
    let server = Server::holding(events(&body));
    let model = Api::Messages.model(&server);
    let deltas = model.stream(Request::new(vec![Message::new(Role::User, "hi")]));
    let known: Vec<_> = deltas.take(2).map(Result::unwrap).collect().await;
    let [Delta::Text(text), Delta::Usage(usage)] = &known[..] else { panic!("{known:?}") };
    assert_eq!((&**text, usage.input, usage.cached), ("a", 12, 5));
    // The tokens that were written when the answer began do not cover its text.
    assert_eq!((usage.output, usage.reasoning), (0, 0));
    assert_eq!(usage.sent_bytes, read(&server));
}
