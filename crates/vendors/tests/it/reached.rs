//! Proxies, additional headers and fields, and keys that are sent to no other server.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use silcrow_provider::{Error, ErrorKind, FinishReason, Provider};
use silcrow_vendors::{
    ApiKey, Chat, Gemini, Interactions, Live, Messages, Proxy, Realtime, Responses, Timeouts,
};

use crate::faults::check_error;
use crate::server::{Server, answer, ask, chunk, events, finish};
use crate::socket::{Wire, texts};
use crate::talk::{Talk, request};
use crate::wire::SECRET;

/// Longer than anything here takes.
const SOON: Duration = Duration::from_secs(20);

fn key() -> ApiKey {
    ApiKey::new(SECRET, "THE_KEY")
}

/// A model of each API at `url`, after `change`, which is written once for all of their types.
macro_rules! models {
    ($url:expr, |$model:ident| $change:expr) => {{
        let url: &str = $url;
        let models: Vec<Box<dyn Provider>> = vec![
            models!(Chat::new("m", key()), url, |$model| $change),
            models!(Messages::new("m", key()), url, |$model| $change),
            models!(Responses::new("m", key()), url, |$model| $change),
            models!(Gemini::new("m", key()), url, |$model| $change),
            models!(Interactions::new("m", key()), url, |$model| $change),
            models!(Realtime::new("m", key()), url, |$model| $change),
            models!(Live::new("m", key()), url, |$model| $change),
        ];
        models
    }};
    ($new:expr, $url:expr, |$model:ident| $change:expr) => {{
        let $model = $new.unwrap().with_base($url).unwrap();
        Box::new($change)
    }};
}

/// Starts a listener that never answers, and returns the first bytes of each connection.
fn listener() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, mut bytes) = (socket.unwrap(), vec![0; 4096]);
            let count = socket.read(&mut bytes).unwrap_or_default();
            bytes.truncate(count);
            let _ = sender.send(bytes);
            let _ = socket.write_all(b"HTTP/1.1 502 No\r\n\r\n");
        }
    });
    (address, heard)
}

#[tokio::test]
async fn https_goes_through_a_proxy_tunnel() {
    let (address, heard) = listener();
    let url = "https://host.example:8443";
    for proxy in [format!("http://{address}"), address.clone()] {
        let proxy = Proxy::new(&proxy, "other.example").unwrap();
        for model in models!(url, |model| model.with_proxy(proxy.clone())) {
            ask(&*model, true).await.failed();
            let mut asked = 1;
            if let Some(opening) = model.connect(request()) {
                assert_eq!(opening.await.err().unwrap().kind(), ErrorKind::Network);
                asked += 1;
            }
            for _ in 0..asked {
                let request = String::from_utf8(heard.recv_timeout(SOON).unwrap()).unwrap();
                assert!(request.starts_with("CONNECT host.example:8443 HTTP/1.1\r\n"), "{request}");
                assert!(!request.contains(SECRET), "{request}");
            }
        }
    }
    let proxy = Proxy::new(&format!("socks5h://{address}"), "").unwrap();
    let chat = Chat::compatible(url, "m", None).unwrap().with_proxy(proxy);
    ask(&chat, true).await.failed();
    assert_eq!(heard.recv_timeout(SOON).unwrap()[0], 5, "the version of SOCKS");
}

#[tokio::test]
async fn plain_http_and_excepted_hosts_bypass_the_proxy() {
    let (address, heard) = listener();
    let server = Server::playing(events(&(chunk("a") + &finish("stop"))), usize::MAX);
    let proxy = Proxy::new(&format!("http://{address}"), "").unwrap();
    let given = ask(&server.chat().with_proxy(proxy), true).await;
    assert_eq!(given.finish, Some(FinishReason::Stop));

    let (nobody, refused) = listener();
    for except in ["127.0.0.1", "127.0.0.0/8", "*", "example, 127.0.0.1"] {
        let proxy = Proxy::new(&format!("http://{address}"), except).unwrap();
        let chat = Chat::compatible(&format!("https://{nobody}"), "m", None).unwrap();
        ask(&chat.with_proxy(proxy), true).await.failed();
        assert_eq!(refused.recv_timeout(SOON).unwrap()[0], 0x16, "a handshake of TLS");
    }
    assert!(heard.try_recv().is_err());

    for wrong in ["", "ftp://h", "http://", "http://user:canary@ho st:1"] {
        let error = Proxy::new(wrong, "").unwrap_err();
        assert!(error.to_string().contains("http://proxy.example:3128"), "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
    }
    let proxy = Proxy::new("http://user:canary@h:1", "").unwrap();
    assert!(!format!("{proxy:?}").contains("canary"));
}

#[tokio::test]
async fn http_proxy_gets_only_plain_http_requests() {
    let (address, heard) = listener();
    let proxy = Proxy::new(&format!("http://user:pass@{address}"), "").unwrap().for_plain_http();
    for model in models!("http://host.example:8080", |model| {
        model.with_plain_http().with_proxy(proxy.clone())
    }) {
        ask(&*model, true).await.failed();
        let request = String::from_utf8(heard.recv_timeout(SOON).unwrap()).unwrap();
        assert!(
            request.lines().next().unwrap().contains(" http://host.example:8080/"),
            "{request}"
        );
        assert!(request.contains(SECRET) && request.contains("roxy-"), "{request}");
    }
    // Each kind has its own, and this machine's servers are reached without one.
    let (other, tunnels) = listener();
    let tunnel = Proxy::new(&format!("http://{other}"), "").unwrap();
    let both = Chat::compatible("https://host.example", "m", None).unwrap();
    ask(&both.with_proxy(tunnel).with_proxy(proxy.clone()), true).await.failed();
    assert!(tunnels.recv_timeout(SOON).unwrap().starts_with(b"CONNECT "));
    for name in ["127.0.0.1", "localhost"] {
        let server = Server::playing(events(&(chunk("a") + &finish("stop"))), usize::MAX);
        let url = server.url().replace("127.0.0.1", name);
        let chat = Chat::compatible(&url, "m", None).unwrap().with_proxy(proxy.clone());
        assert_eq!(ask(&chat, true).await.finish, Some(FinishReason::Stop), "{name}");
    }
    while let Ok(bytes) = heard.try_recv() {
        let request = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!request.contains("127.0.0.1") && !request.contains("localhost"), "{request}");
    }
}

#[tokio::test]
async fn further_headers_and_fields_are_sent() {
    for api in 0..5 {
        let server = Server::playing(answer("500 No", "text/plain", ""), usize::MAX);
        let url = server.url();
        let with = models!(&url, |model| {
            let model = model.with_header("OpenAI-Organization", "org-1").unwrap();
            model.with_header("X-Team", "one").unwrap().with_header("x-team", " two ").unwrap()
        });
        ask(&*with[api], true).await.failed();
        let asked = server.requests.recv_timeout(SOON).unwrap().to_ascii_lowercase();
        assert!(asked.contains("\r\nopenai-organization: org-1\r\n"), "{asked}");
        assert!(asked.contains("\r\nx-team: two\r\n") && !asked.contains("one"), "{asked}");
        assert!(asked.contains(SECRET), "{asked}");
    }
    // Upgrades, too.
    for talk in Talk::ALL {
        let wire = Wire::playing(texts(&talk.whole()), usize::MAX, true).await;
        let url = wire.url();
        let models = models!(&url, |model| model.with_header("X-Team", "two").unwrap());
        let model = &models[match talk {
            Talk::Responses => 2,
            Talk::Realtime => 5,
            Talk::Live => 6,
        }];
        crate::talk::ask(&**model).await;
        let head = wire.heads.lock().unwrap()[0].to_ascii_lowercase();
        assert!(head.contains("x-team") && head.contains("two"), "{head}");
    }
}

#[tokio::test]
async fn body_fields_are_added_and_replace_existing_ones() {
    let fields = [("num_ctx", "8192"), ("reasoning", r#"{"effort":"high"}"#)];
    let server = || Server::playing(answer("500 No", "text/plain", ""), usize::MAX);
    macro_rules! sent {
        ($new:expr) => {{
            let server = server();
            let model = $new.unwrap().with_base(&server.url()).unwrap();
            let model = fields
                .iter()
                .fold(model, |model, (name, value)| model.with_body_field(name, value).unwrap());
            ask(&model, true).await.failed();
            let asked = server.requests.recv_timeout(SOON).unwrap();
            asked.split_once("\r\n\r\n").unwrap().1.to_owned()
        }};
    }
    for body in [
        sent!(Chat::new("m", key())),
        sent!(Messages::new("m", key())),
        sent!(Responses::new("m", key())),
        sent!(Gemini::new("m", key())),
        sent!(Interactions::new("m", key())),
    ] {
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (&read["num_ctx"], &read["reasoning"]["effort"]),
            (&json!(8192), &json!("high"))
        );
        assert!(read.as_object().unwrap().len() > 2, "{body}");
        // The messages stay last, for the caches of prompts.
        assert!(body.starts_with(r#"{"num_ctx":8192,"reasoning":"#), "{body}");
        assert!(body.ends_with("}]}") || body.ends_with("}]}]}"), "{body}");
    }
    let server = server();
    let model = Messages::new("m", key()).unwrap().with_base(&server.url()).unwrap();
    let model = model.with_body_field("max_tokens", "7").unwrap();
    ask(&model, true).await.failed();
    let asked = server.requests.recv_timeout(SOON).unwrap();
    assert_eq!(asked.matches("max_tokens").count(), 1);
    assert!(asked.contains(r#""max_tokens":7,"#), "{asked}");

    // Over a WebSocket, in each question.
    let wire = Wire::start(|mut line| async move {
        line.receive().await;
        line.send_events(&Talk::Responses.whole()).await;
        line.receive().await;
    })
    .await;
    let model = Responses::new("m", key()).unwrap().with_base(&wire.url()).unwrap();
    crate::talk::ask(&model.with_body_field("num_ctx", "8192").unwrap()).await;
    let asked: Value = serde_json::from_str(&wire.texts.lock().unwrap()[0]).unwrap();
    assert_eq!((&asked["type"], &asked["num_ctx"]), (&json!("response.create"), &json!(8192)));
}

#[test]
fn conversations_refuse_body_fields() {
    let errors = [
        Realtime::new("m", key()).unwrap().with_body_field("num_ctx", "1").unwrap_err(),
        Realtime::new("m", key()).unwrap().with_body_fields("{}").unwrap_err(),
        Live::new("m", key()).unwrap().with_body_field("num_ctx", "1").unwrap_err(),
        Live::new("m", key()).unwrap().with_body_fields("{}").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("have no body"), "{error}");
    }
}

#[tokio::test]
async fn request_headers_cannot_be_replaced() {
    let chat = || Chat::new("m", key()).unwrap();
    for name in
        ["Authorization", "authorization ", "x-api-key", "Host", "Sec-WebSocket-Key", "Accept"]
    {
        let error = chat().with_header(name, "canary").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("set by the request itself"), "{error}");
    }
    let version = Messages::new("m", key()).unwrap().with_header("Anthropic-Version", "1");
    assert!(version.unwrap_err().to_string().contains("itself"));
    for (name, value) in [("", "canary"), ("X-A: canary", "b"), ("X-A", "canary\n"), ("é", "b")] {
        let result = chat().with_header(name, value);
        let error = result.err().map(|error| format!("{error} {error:?}"));
        // White space around a value is not part of it.
        assert_eq!(error.is_none(), value == "canary\n", "{name}");
        assert!(!error.unwrap_or_default().contains("canary"));
    }
    for (name, value) in [("messages", "[]"), ("stream", "false"), ("", "1"), ("a", "high")] {
        assert_eq!(chat().with_body_field(name, value).unwrap_err().kind(), ErrorKind::Refused);
    }
}

#[tokio::test]
async fn error_messages_hide_extra_header_secrets() {
    let body = r#"{"error":{"message":"bad canary-1, canary-2"}}"#;
    let server = Server::playing(answer("400 No", "application/json", body), usize::MAX);
    let chat = server.chat().with_header("X-Gateway-Token", "canary-1").unwrap();
    let chat = chat.with_header("Cookie", "canary-2").unwrap();
    let given = ask(&chat, true).await;
    let error = given.failed();
    assert_eq!(error.to_string().matches("[key]").count(), 2, "{error}");
    assert!(!format!("{chat:?} {error:?}").contains("canary"));
}

/// An address without a host (RFC 5737).
const ELSEWHERE: &str = "http://192.0.2.1:9";

#[tokio::test]
async fn keys_never_go_over_remote_plain_http() {
    let is_plain = |error: &Error| {
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        let message = error.to_string();
        assert!(message.contains("THE_KEY") && message.contains("plain http"), "{message}");
        assert!(message.contains("192.0.2.1") && !message.contains(SECRET), "{message}");
    };
    for model in models!(ELSEWHERE, |model| {
        is_plain(&model.check().unwrap_err());
        model
    }) {
        is_plain(&ask(&*model, true).await.failed());
        if let Some(opening) = model.connect(request()) {
            is_plain(&opening.await.err().unwrap());
        }
    }
    let chat = Chat::compatible(ELSEWHERE, "m", Some(key())).unwrap();
    is_plain(&chat.models().await.unwrap_err());
    assert!(chat.with_plain_http().check().is_ok());
    assert!(Chat::compatible(ELSEWHERE, "m", None).unwrap().check().is_ok());
    let secret = Chat::compatible(ELSEWHERE, "m", None).unwrap();
    assert!(secret.with_header("X-Token", "t").unwrap().check().is_err());
    for (url, may) in [
        ("http://127.0.0.1:1", true),
        ("http://127.9.9.9", true),
        ("http://[::1]:1", true),
        ("http://localhost:1", true),
        ("http://a.localhost", true),
        ("https://192.0.2.1", true),
        ("http://localhost.example", false),
        ("http://127.0.0.1.example", false),
        ("http://10.0.0.1", false),
        ("http://[::2]", false),
    ] {
        let chat = Chat::compatible(url, "m", Some(key())).unwrap();
        assert_eq!(chat.check().is_ok(), may, "{url}");
    }
}

#[tokio::test]
async fn limits_go_with_the_rest() {
    let server = Server::holding("");
    let limits = Timeouts::default().with_first(Duration::from_millis(100));
    let proxy = Proxy::new("http://127.0.0.1:1", "").unwrap();
    let chat = server.chat().with_timeouts(limits).with_proxy(proxy);
    check_error(ask(&chat, true).await, ErrorKind::Timeout, &["0.1 s"]);
}
