//! The properties that all APIs share, with real sockets.

use std::io::Write as _;
use std::thread::sleep;
use std::time::Duration;

use silcrow_provider::{ErrorKind, FinishReason};

use silcrow_vendors::ApiKey;

use crate::faults::check_error;
use crate::server::{Server, answer, ask, events, write};
use crate::wire::{Api, SECRET};

/// Asks a server that plays `bytes`.
async fn given(api: Api, bytes: String) -> crate::server::Given {
    ask(&*api.model(&Server::playing(bytes, usize::MAX)), true).await
}

#[tokio::test]
async fn answer_and_usage_survive_any_chunking() {
    for api in Api::ALL {
        let body = [": ping\n\n", &api.text("§a\\n"), &api.text("é🗼"), &api.stop()].concat();
        let lines = [body.clone(), body.replace('\n', "\r\n"), body.replace('\n', "\r")];
        let marked = format!("\u{FEFF}{body}");
        for body in lines.into_iter().chain([marked]) {
            for size in [1, 7, usize::MAX] {
                let server = Server::playing(events(&body), size);
                let given = ask(&*api.model(&server), true).await;
                assert_eq!((&*given.text, given.finish), ("§a\né🗼", Some(FinishReason::Stop)));
                assert_eq!(given.usage, Some((12, 3, 5)), "{api:?}");
            }
        }
    }
}

#[tokio::test]
async fn unstreamed_answer_arrives_complete() {
    for api in Api::ALL {
        let server = Server::playing(answer("200 OK", JSON, &api.whole("a")), usize::MAX);
        for streaming in [false, true] {
            let given = ask(&*api.model(&server), streaming).await;
            assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)), "{api:?}");
        }
    }
}

#[tokio::test]
async fn reading_stops_at_the_end_despite_open_connection() {
    for api in Api::ALL {
        let server = Server::holding(events(&(api.text("a") + &api.stop())));
        let model = api.brief(&server, |timeouts| timeouts.idle = Duration::from_millis(400));
        let given = ask(&*model, true).await;
        assert_eq!((&*given.text, given.finish), ("a", Some(FinishReason::Stop)), "{api:?}");
    }
}

#[tokio::test]
async fn early_end_is_reported_and_text_kept() {
    for api in Api::ALL {
        for end in ["", "data: [DONE]\n\n", "data: {\"can", ": ping\n\n"] {
            let given = given(api, events(&(api.text("a") + end))).await;
            assert_eq!(given.text, "a");
            check_error(given, ErrorKind::Cut, &["finish reason"]);
        }
        let whole = answer("200 OK", JSON, &api.whole("a"));
        check_error(given(api, whole[..whole.len() - 5].to_owned()).await, ErrorKind::Cut, &[]);
    }
}

#[tokio::test]
async fn stream_errors_are_not_answer_text() {
    for api in Api::ALL {
        for before in [String::new(), api.text("a")] {
            let given = given(api, events(&(before.clone() + &api.overload()))).await;
            assert_eq!(given.text.is_empty(), before.is_empty());
            check_error(given, ErrorKind::Overload, &["broke off", "full"]);
        }
    }
}

#[tokio::test]
async fn waits_are_read_in_every_form() {
    let details = r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
        {"@type":"type.googleapis.com/google.rpc.Help"},
        {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}"#;
    let date = "Date: Sat, 21 Nov 2026 05:57:05 GMT\r\n";
    for (headers, body, wait) in [
        ("Retry-After: 20".to_owned(), "", "20 s"),
        ("Retry-After: 20\r\nretry-after-ms: 1500".to_owned(), "", "1.5 s"),
        (format!("{date}Retry-After: Sat, 21 Nov 2026 05:57:25 GMT"), "", "20 s"),
        (format!("{date}Retry-After: Saturday, 21-Nov-26 05:57:25 GMT"), "", "20 s"),
        (format!("{date}Retry-After: Sat, 21 Nov 2026 05:57:01 GMT"), "", "0 s"),
        ("X: y".to_owned(), details, "2.5 s"),
        ("X: y".to_owned(), &format!("[{details}]"), "2.5 s"),
        ("Retry-After: 3".to_owned(), details, "3 s"),
        ("X: y".to_owned(), r#"{"error":{"message":"Please try again in 1m2.5s."}}"#, "62.5 s"),
        ("X: y".to_owned(), "slow down: retry after 5 seconds", "5 s"),
        ("Retry-After: 3".to_owned(), r#"{"error":"try again in 20s"}"#, "3 s"),
        (
            "X: y".to_owned(),
            r#"{"error":{"message":"retry in 9s","details":[{"retryDelay":"2.5s"}]}}"#,
            "2.5 s",
        ),
    ] {
        for api in Api::ALL {
            let head = format!("HTTP/1.1 429 Slow\r\n{headers}\r\n\r\n{body}");
            let given = given(api, head).await;
            let wait_told = given.error.as_ref().unwrap().retry_after().unwrap();
            assert_eq!(format!("{} s", wait_told.as_secs_f64()), wait, "{headers}");
            check_error(given, ErrorKind::Rate, &["429", &format!("it asks to wait {wait}")]);
        }
    }
    // Without the server's clock a date is counted from ours.
    let far = "HTTP/1.1 503 Later\r\nRetry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n\r\n";
    let error = given(Api::Chat, far.to_owned()).await.failed();
    assert!(error.retry_after().unwrap() > Duration::from_secs(3600));
}

#[tokio::test]
async fn server_decides_whether_to_retry() {
    let spent = r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#;
    for api in Api::ALL {
        for (status, header, body, retryable) in [
            ("400 No", "true", "", true),
            ("429 Slow", "false", "", false),
            ("503 No", "false", "", false),
            ("503 No", "perhaps", "", true),
            ("429 Slow", "true", spent, false),
        ] {
            let head = format!("HTTP/1.1 {status}\r\nx-should-retry: {header}\r\n\r\n{body}");
            let error = given(api, head).await.failed();
            assert_eq!(error.is_retryable(), retryable, "{api:?}: {status}, {header}");
        }
    }
}

#[tokio::test]
async fn invalid_answers_have_distinct_kinds() {
    use ErrorKind::{Auth, Malformed, Overload, Refused};
    for api in Api::ALL {
        let html = "<!DOCTYPE html><html>sign in</html>";
        check_error(
            given(api, answer("200 OK", "text/html", html)).await,
            Malformed,
            &["HTML page"],
        );
        check_error(
            given(api, answer("502 Bad", "text/html", html)).await,
            Overload,
            &["HTML page"],
        );
        let full = given(api, answer("529 Full", JSON, "")).await;
        check_error(full, Overload, &["answered 529, the service is overloaded; try again later"]);
        check_error(given(api, answer("401 Who", JSON, "")).await, Auth, &["THE_KEY"]);
        check_error(given(api, answer("404 No", JSON, "")).await, Refused, &["model's name"]);
        check_error(given(api, events("data: nonsense\n\n")).await, Malformed, &["nonsense"]);
        let endless = events(&format!("data: {}", "x".repeat(2 << 20)));
        check_error(given(api, endless).await, Malformed, &["1048576 bytes"]);
        let endless = events(&format!("data: {}\n", "x".repeat(1 << 19)).repeat(9));
        check_error(given(api, endless).await, Malformed, &["4194304 bytes"]);
        check_error(given(api, String::new()).await, ErrorKind::Network, &["without an answer"]);
    }
}

#[tokio::test]
async fn gateway_errors_of_other_shapes_are_read() {
    for (error, kind) in [
        (r#"{"error":{"code":429,"message":"slow down"}}"#, ErrorKind::Rate),
        (r#"{"error":{"type":"overloaded_error","message":"slow down"}}"#, ErrorKind::Overload),
        (r#"{"error":"slow down"}"#, ErrorKind::Overload),
    ] {
        for api in Api::ALL {
            for before in [String::new(), api.text("a")] {
                let body = format!("{before}data: {error}\n\n");
                check_error(given(api, events(&body)).await, kind, &["slow down"]);
            }
        }
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for api in Api::ALL {
        let target = Server::playing(events(&api.stop()), usize::MAX);
        let head = format!("HTTP/1.1 308 There\r\nLocation: {}/x\r\n\r\n", target.url());
        check_error(given(api, head).await, ErrorKind::Refused, &["redirects to", &target.url()]);
        assert!(target.requests.try_recv().is_err(), "the key would have gone along");
    }
}

#[tokio::test]
async fn neither_silence_nor_pings_pass_for_an_answer() {
    let soon = Duration::from_millis(100);
    for api in Api::ALL {
        let silent = Server::holding(events(""));
        let model = api.brief(&silent, |timeouts| timeouts.first = soon);
        check_error(ask(&*model, true).await, ErrorKind::Timeout, &["`first`"]);
        let pinging = Server::start(move |mut socket| {
            write(&mut socket, events(&api.text("a")).as_bytes(), usize::MAX);
            while socket.write_all(PINGS).is_ok() {
                sleep(Duration::from_millis(5));
            }
        });
        let given = ask(&*api.brief(&pinging, |timeouts| timeouts.idle = soon), true).await;
        assert_eq!(given.text, "a");
        check_error(given, ErrorKind::Timeout, &["`idle`"]);
    }
}

#[tokio::test]
async fn error_messages_hide_the_key() {
    let body = format!(r#"{{"error":{{"message":"bad key {SECRET}","code":401}}}}"#);
    for api in Api::ALL {
        for form in [
            &*SECRET.to_uppercase(),
            &SECRET.replace("-01", "-\\n01"),
            &SECRET.replace("-01", "\\u002d01"),
            &SECRET.replace('-', "%2D"),
            "sk-canary-0…",
        ] {
            let body = format!(r#"{{"error":{{"message":"bad key {form}","code":401}}}}"#);
            let plain = format!("bad key {form}");
            for bytes in [answer("401 Who", JSON, &body), answer("401 Who", JSON, &plain)] {
                let error = given(api, bytes).await.failed().to_string();
                assert!(error.contains("bad key [key]"), "{api:?}: {error}");
                assert!(!error.to_lowercase().contains("canary"), "{api:?}: {error}");
            }
        }
        for bytes in [
            answer("401 Who", JSON, &body),
            events(&format!("data: {body}\n\n")),
            events(&format!("data: {SECRET}\n\n")),
            answer("200 OK", JSON, &format!("[\"{SECRET}\"")),
        ] {
            let error = given(api, bytes).await.failed();
            assert!(!format!("{error} {error:?}").contains("canary"), "{api:?}: {error:?}");
        }
    }
}

#[test]
fn printed_urls_hide_credentials() {
    for api in Api::ALL {
        let key = ApiKey::new(SECRET, "THE_KEY");
        let printed = api.print("http://user:canary@127.0.0.1:9/v1?key=canary", key);
        assert!(printed.contains("127.0.0.1:9/v1") && !printed.contains("canary"), "{printed}");
    }
}

/// Comments, an event without text, and one whose data is not JSON.
const PINGS: &[u8] =
    b": ping\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: ping\ndata: now\n\n";

const JSON: &str = "application/json";
