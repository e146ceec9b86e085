//! Servers of Chat Completions that fail, in ways that `vendors` does not try with every API.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::channel;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role, error_chain};
use silcrow_provider::{Delta, ErrorKind, FinishReason, Provider as _, Request};
use silcrow_testkit::check_sources;
use silcrow_vendors::{ApiKey, Chat, Timeouts};

use crate::server::{
    Given, Server, answer, ask, brief, chunk, events, finish, wait_for_close, write,
};

async fn given(bytes: String) -> Given {
    ask(&Server::playing(bytes, usize::MAX).chat(), true).await
}

#[track_caller]
pub(crate) fn check_error(given: Given, kind: ErrorKind, words: &[&str]) {
    let error = given.failed();
    assert_eq!(error.kind(), kind, "{error}");
    check_sources(&error);
    let line = error_chain(&error);
    for word in words {
        assert!(line.contains(word), "{line} lacks {word}");
    }
    assert_eq!(line.lines().count(), 1, "{line}");
}

#[tokio::test]
async fn connection_errors_name_the_server() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let chat = Chat::compatible(&format!("http://u:word@{free}/?key=k"), "m", None).unwrap();
    let given = ask(&chat, true).await;
    let message = error_chain(given.error.as_ref().unwrap());
    assert!(!message.contains("word") && !message.contains("key="), "{message}");
    check_error(
        given,
        ErrorKind::Network,
        &[&free.to_string(), "refused", "is the server running"],
    );
}

#[tokio::test]
async fn closing_without_an_answer_is_a_network_error() {
    check_error(given(String::new()).await, ErrorKind::Network, &["without an answer"]);
    check_error(given("HTTP/1.1 200 O".into()).await, ErrorKind::Network, &[]);
}

#[tokio::test]
async fn silence_before_the_first_piece_passes_a_limit() {
    let soon = Duration::from_millis(100);
    for head in [String::new(), events(""), events(": ping\n\n")] {
        let chat = brief(Server::holding(head).chat(), |timeouts| timeouts.first = soon);
        check_error(ask(&chat, true).await, ErrorKind::Timeout, &["0.1 s", "`first`"]);
    }
    let chat = brief(Server::holding("").chat(), |timeouts| timeouts.whole = soon);
    check_error(ask(&chat, false).await, ErrorKind::Timeout, &["0.1 s"]);
}

#[tokio::test]
async fn finished_answer_waits_only_briefly_for_usage() {
    let body = events(&[chunk("a"), finish("stop")].concat());
    let pinging = body.clone();
    let silent = Server::holding(body);
    let pinging = Server::start(move |mut socket| {
        write(&mut socket, pinging.as_bytes(), usize::MAX);
        while socket.write_all(b": ping\n\n").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    for server in [silent, pinging] {
        let chat = brief(server.chat(), |timeouts| timeouts.idle = Duration::from_millis(400));
        let given = ask(&chat, true).await;
        assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)));
    }
}

#[tokio::test]
async fn answer_without_finish_reason_is_cut() {
    for body in [String::new(), chunk("a"), chunk("a") + "data: [DONE]\n\n", "data: {\"a".into()] {
        check_error(given(events(&body)).await, ErrorKind::Cut, &["finish reason"]);
    }
    let whole = r#"{"choices":[{"message":{"content":"a"}}]}"#;
    let half = answer("200 OK", "application/json", whole);
    check_error(given(half[..half.len() - 9].into()).await, ErrorKind::Cut, &["connection broke"]);
    let half = answer("200 OK", "application/json", &whole[..20]);
    check_error(given(half).await, ErrorKind::Cut, &[]);
}

#[tokio::test]
async fn invalid_answers_are_malformed() {
    let html = "<!DOCTYPE html><html>sign in</html>";
    let page = answer("200 OK", "text/html; charset=utf-8", html);
    check_error(given(page).await, ErrorKind::Malformed, &["HTML page", "URL"]);
    let lines = answer("200 OK", "application/x-ndjson", "{}\n");
    check_error(given(lines).await, ErrorKind::Malformed, &["application/x-ndjson"]);
    let broken = answer("200 OK", "application/json", "{\"choices\": nonsense}");
    check_error(given(broken).await, ErrorKind::Malformed, &["nonsense"]);
    let broken = events(&(chunk("a") + "data: nonsense\n\n" + &finish("stop")));
    check_error(given(broken).await, ErrorKind::Malformed, &["nonsense"]);
    let endless = events(&format!("data: {}", "x".repeat(2 << 20)));
    check_error(given(endless).await, ErrorKind::Malformed, &["1048576 bytes"]);
    let endless = answer("200 OK", "application/json", &" ".repeat(5 << 20));
    check_error(given(endless).await, ErrorKind::Malformed, &["4194304 bytes"]);
}

#[tokio::test]
async fn unstreamed_answer_to_streaming_request_is_accepted() {
    let body = r#"{"choices":[{"message":{"reasoning_content":"r","content":"§end"},
        "finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":1}}"#;
    let given = given(answer("200 OK", "application/json", body)).await;
    assert_eq!((&*given.text, &*given.reasoning, given.pieces), ("§end", "r", 1));
    assert_eq!((given.finish, given.usage), (Some(FinishReason::Stop), Some((2, 1, 0))));
    let failed = answer("200 OK", "application/json", r#"{"error":{"message":"full"}}"#);
    check_error(self::given(failed).await, ErrorKind::Overload, &["full"]);
}

#[tokio::test]
async fn stream_without_content_type_is_read() {
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let given = given(format!("{head}{}{}", chunk("a"), finish("stop"))).await;
    assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)));
}

#[tokio::test]
async fn wrong_content_type_hides_no_answer() {
    let stream = [chunk("a"), finish("stop")].concat();
    let whole = r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    let bodies = [
        stream.clone(),
        format!("\u{FEFF}{stream}"),
        format!(": ping\n\n{stream}"),
        format!("event: message\n{stream}"),
        format!(" \r\n{whole}"),
        whole.to_owned(),
    ];
    for kind in ["text/plain; charset=utf-8", "application/octet-stream", "application/json", ""] {
        for body in &bodies {
            for size in [1, usize::MAX] {
                let server = Server::playing(answer("200 OK", kind, body), size);
                let given = ask(&server.chat(), true).await;
                assert_eq!(
                    (&*given.text, given.finish),
                    ("a", Some(FinishReason::Stop)),
                    "{kind} {body}"
                );
            }
        }
    }
    // Any other body is rejected by its label, at once, although the connection stays open.
    for body in ["hello there", "database error"] {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
        let given = ask(&Server::holding(format!("{head}{body}")).chat(), true).await;
        check_error(given, ErrorKind::Malformed, &["it sent `text/plain`"]);
    }
}

#[tokio::test]
async fn keep_alives_extend_the_first_timeout() {
    let server = |pause: u64, signs: usize| {
        Server::start(move |mut socket| {
            write(&mut socket, events("").as_bytes(), usize::MAX);
            let signs = [": ping\n\n", "event: ping\ndata: {}\n\n"].into_iter().cycle().take(signs);
            for sign in signs {
                std::thread::sleep(Duration::from_millis(pause));
                write(&mut socket, sign.as_bytes(), usize::MAX);
            }
            write(&mut socket, [chunk("a"), finish("stop")].concat().as_bytes(), usize::MAX);
        })
    };
    let limits = |first_total| {
        move |timeouts: &mut Timeouts| {
            timeouts.first = Duration::from_millis(400);
            timeouts.first_total = Duration::from_millis(first_total);
        }
    };
    let given = ask(&brief(server(100, 12).chat(), limits(20_000)), true).await;
    assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)));
    let given = ask(&brief(server(100, 100).chat(), limits(800)), true).await;
    check_error(given, ErrorKind::Timeout, &["0.8 s", "signs of life", "`first_total`"]);
    let given = ask(&brief(server(2000, 2).chat(), limits(20_000)), true).await;
    check_error(given, ErrorKind::Timeout, &["0.4 s", "`first`"]);
}

#[tokio::test]
async fn statuses_map_to_error_kinds() {
    use ErrorKind::{Auth, ContextTooLong, Overload, Rate, Refused};
    let vllm = "This model's maximum context length is 4096 tokens. However, you asked for 5000";
    for (status, body, kind, word) in [
        ("400 Bad Request", r#"{"error":{"message":"bad","code":null}}"#, Refused, "bad"),
        (
            "400 Bad Request",
            r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#,
            ContextTooLong,
            "shorten",
        ),
        ("400 Bad Request", vllm, ContextTooLong, "4096"),
        ("401 Unauthorized", r#"{"detail":"who are you"}"#, Auth, "who are you"),
        ("403 Forbidden", "", Auth, "none was given"),
        ("404 Not Found", r#"{"error":"model not found"}"#, Refused, "model's name"),
        ("408 Request Timeout", "", Overload, "again later"),
        ("409 Conflict", "", Overload, "again later"),
        ("413 Payload Too Large", "<html>", ContextTooLong, "an HTML page"),
        (
            "400 Bad Request",
            r#"{"code":"1261","msg":"Prompt too long"}"#,
            ContextTooLong,
            "shorten",
        ),
        ("400 Bad Request", BEHIND_A_GATEWAY, ContextTooLong, "returned error: the input"),
        ("422 Unprocessable", r#"{"detail":[{"msg":"x"}]}"#, Refused, "422"),
        ("429 Too Many Requests", r#"{"message":"slow down"}"#, Rate, "slow down"),
        (
            "429 Too Many Requests",
            r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#,
            Refused,
            "pay",
        ),
        ("500 Internal Server Error", "\u{1b}[31moh\n\nno", Overload, "[31moh no"),
        ("502 Bad Gateway", "  <html>\n<h1>nginx</h1>", Overload, "an HTML page"),
        ("503 Service Unavailable", "", Overload, "503 Service Unavailable;"),
        ("529 Overloaded", "", Overload, "529"),
    ] {
        check_error(given(answer(status, "application/json", body)).await, kind, &[word]);
    }
}

/// The answer of a gateway, which says only beneath that the window is full.
const BEHIND_A_GATEWAY: &str = r#"{"error":{"message":"Provider returned error","code":400,"metadata":
    {"raw":"{\"error\":{\"message\":\"the input exceeds the context length\"}}"}}}"#;

#[tokio::test]
async fn retry_after_is_read() {
    for (header, millis) in [
        ("Retry-After: 2", Some(2000)),
        ("Retry-After: 0.25", Some(250)),
        ("Retry-After: 2\r\nretry-after-ms: 1500", Some(1500)),
        ("Retry-After: -1", None),
        ("Retry-After: NaN", None),
        ("Retry-After: Sat, 21 Nov", None),
    ] {
        let head = format!(
            "HTTP/1.1 429 Slow\r\n{header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let error = given(head).await.failed();
        assert_eq!(error.retry_after(), millis.map(Duration::from_millis), "{header}");
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn endless_error_is_read_to_a_limit() {
    let server = Server::start(|mut socket| {
        write(&mut socket, b"HTTP/1.1 500 No\r\n\r\n", usize::MAX);
        while socket.write_all("§".repeat(1000).as_bytes()).is_ok() {}
    });
    let error = ask(&server.chat(), true).await.failed();
    assert_eq!(error.kind(), ErrorKind::Overload);
    assert_eq!(error.to_string().matches('§').count(), 500);
}

#[tokio::test]
async fn stream_errors_have_their_kind() {
    use ErrorKind::{Auth, ContextTooLong, Overload, Rate, Refused};
    for (event, kind, word) in [
        (r#"data: {"error":{"message":"full","type":"overloaded_error"}}"#, Overload, "full"),
        (r#"data: {"error":{"message":"slow","code":429}}"#, Rate, "slow"),
        (r#"data: {"error":{"message":"slow","type":"rate_limit_error"}}"#, Rate, "slow"),
        (r#"data: {"error":{"message":"no","type":"authentication_error"}}"#, Auth, "no"),
        (
            r#"data: {"error":{"message":"m","type":"exceed_context_size_error","code":400}}"#,
            ContextTooLong,
            "shorten",
        ),
        (r#"data: {"error":{"message":"what","type":"invalid_request_error"}}"#, Refused, "what"),
        (r#"data: {"error":"out of memory"}"#, Overload, "out of memory"),
        (r#"data: {"error":{"error":{"message":"deep"}},"choices":[]}"#, Overload, "deep"),
        (r#"data: {"object":"error","message":"flat","code":400}"#, Refused, "flat"),
        ("event: error\ndata: plain words", Overload, "plain words"),
        ("event: error\ndata: {\"message\":\"named\",\"code\":500}", Overload, "named"),
    ] {
        // The finish reason of some servers precedes the error.
        for before in [chunk("a"), chunk("a") + &finish("error")] {
            let given = given(events(&format!("{before}{event}\n\ndata: [DONE]\n\n"))).await;
            assert_eq!(given.text, "a");
            check_error(given, kind, &[word, "broke off"]);
        }
    }
}

#[tokio::test]
async fn error_messages_hide_the_key() {
    let secret = "sk-canary-0123456789";
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {secret}."}}}}"#);
    for bytes in [
        answer("401 Unauthorized", "application/json", &body),
        answer("500 No", "text/plain", &format!("{}{secret}", "x".repeat(490))),
        answer("200 OK", "application/json", &format!("\"{secret}\"")),
        events(&format!("data: {body}\n\n")),
        events(&format!("data: {secret}\n\n")),
        format!("HTTP/1.1 302 Found\r\nLocation: http://h/{secret}\r\n\r\n"),
    ] {
        let server = Server::playing(&*bytes, usize::MAX);
        let key = ApiKey::new(secret, "OPENAI_API_KEY");
        let chat = Chat::compatible(&server.url(), "m", Some(key)).unwrap();
        let error = ask(&chat, true).await.failed();
        let mut printed = format!("{error} {error:?}");
        let mut source = std::error::Error::source(&error);
        while let Some(below) = source {
            printed += &format!(" {below} {below:?}");
            source = below.source();
        }
        assert!(!printed.contains("sk-canary"), "{printed}");
        if error.kind() == ErrorKind::Auth {
            assert!(printed.contains("check the key from OPENAI_API_KEY"), "{printed}");
        }
    }
}

#[tokio::test]
async fn dropping_an_answer_closes_its_connection() {
    // After the text comes the usage that is known by then.
    for (bytes, items) in [(String::new(), 0), (events(&chunk("a")), 2)] {
        let (closed, seen) = channel();
        let server = Server::start(move |mut socket| {
            write(&mut socket, bytes.as_bytes(), usize::MAX);
            wait_for_close(&mut socket);
            closed.send(()).unwrap();
        });
        let chat = server.chat();
        let mut deltas = chat.stream(Request::new(vec![Message::new(Role::User, "hi")]));
        for _ in 0..items {
            let delta = deltas.next().await.unwrap().unwrap();
            assert!(matches!(delta, Delta::Text(_) | Delta::Usage(_)), "{delta:?}");
        }
        let asked = tokio::task::spawn_blocking(move || server.requests.recv());
        tokio::select! {
            item = deltas.next() => panic!("{item:?} is more than was sent"),
            asked = asked => assert!(asked.unwrap().is_ok()),
        }
        drop(deltas);
        let seen = tokio::task::spawn_blocking(move || seen.recv_timeout(Duration::from_secs(10)));
        assert_eq!(seen.await.unwrap(), Ok(()));
    }
}
