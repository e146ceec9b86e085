//! The properties of every API over a WebSocket, with real sockets and byte for byte.

use std::time::Duration;

use silcrow_provider::{Delta, ErrorKind, FinishReason, sse};
use silcrow_vendors::Timeouts;

use crate::faults::check_error;
use crate::server::{Given, Server, answer, long};
use crate::socket::{Wire, close, frame, texts};
use crate::talk::{STOP, Talk, ask, request};
use crate::wire::SECRET;

/// Asks a server that plays `bytes` and closes.
async fn given(talk: Talk, bytes: Vec<u8>) -> Given {
    let wire = Wire::playing(bytes, usize::MAX, false).await;
    ask(&*talk.model(&wire.url(), Timeouts::default())).await
}

/// The same in texts of events.
async fn given_events(talk: Talk, events: &str) -> Given {
    given(talk, texts(events)).await
}

pub(crate) fn brief(change: impl FnOnce(&mut Timeouts)) -> Timeouts {
    let mut timeouts = long();
    change(&mut timeouts);
    timeouts
}

const JSON: &str = "application/json";

pub(crate) const SOON: Duration = Duration::from_millis(100);

#[tokio::test]
async fn answer_survives_any_frame_splitting() {
    for talk in Talk::ALL {
        let (text, end) = (talk.text("§a\\n"), talk.text("é🗼"));
        let events = [talk.begun(), r#"{"type":"new"}"#, &text, &end, talk.stop()].join("\n");
        let bytes = |event: &str| frame(2, true, event.as_bytes());
        let fragments = |event: &str| {
            let pieces = event.as_bytes().chunks(3).map(|piece| frame(0, false, piece));
            let mut pieces: Vec<_> = pieces.collect();
            pieces[0][0] |= 1;
            // Control frames may stand between fragments.
            let ping = frame(9, true, b"there?");
            [pieces.join(&ping[..]), ping, frame(0, true, b"")].concat()
        };
        let ways = [
            texts(&events),
            events.lines().flat_map(bytes).collect(),
            events.lines().flat_map(fragments).collect(),
        ];
        for way in ways {
            for size in [1, 7, usize::MAX] {
                let wire = Wire::playing(&*way, size, true).await;
                let given = ask(&*talk.model(&wire.url(), long())).await;
                assert_eq!((&*given.text, given.finish), ("§a\né🗼", STOP), "{talk:?}");
                assert_eq!(given.usage, Some((12, 3, 5)), "{talk:?}");
            }
        }
    }
}

#[tokio::test]
async fn stream_opens_a_conversation_for_one_answer() {
    for talk in [Talk::Realtime, Talk::Live] {
        for streaming in [true, false] {
            let events = [talk.begun(), &talk.text("a"), &talk.text("b"), talk.stop()].join("\n");
            let wire = Wire::playing(texts(&events), usize::MAX, true).await;
            let model = talk.model(&wire.url(), long());
            let given = crate::server::ask(&*model, streaming).await;
            assert_eq!((&*given.text, given.finish), ("ab", STOP), "{talk:?}");
            assert_eq!(given.pieces, if streaming { 2 } else { 1 });
        }
        let refused = Server::playing(answer("401 No", "text/plain", "who?"), usize::MAX);
        let given = crate::server::ask(&*talk.model(&refused.url(), long()), true).await;
        check_error(given, ErrorKind::Auth, &["who?", "check the key from THE_KEY"]);
    }
}

#[tokio::test]
async fn refused_upgrade_fails_like_a_request() {
    use ErrorKind::{Auth, Malformed, Network, Overload, Rate, Refused};
    let html = answer("200 OK", "text/html", "<html>");
    let slow = "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n";
    let date = "Date: Sat, 21 Nov 2026 05:57:05 GMT\r\n";
    let switch = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n";
    for (bytes, kind, words) in [
        (answer("401 Unauthorized", "text/plain", "sk-canary-0123456789"), Auth, &["[key]"][..]),
        (format!("{slow}Retry-After: 20\r\n\r\n"), Rate, &["20 s"]),
        (
            format!("{slow}{date}Retry-After: Sat, 21 Nov 2026 05:57:25 GMT\r\n\r\n"),
            Rate,
            &["20 s"],
        ),
        (answer("503 Busy", "text/html", "<html>"), Overload, &["503", "HTML"]),
        (answer("400 No", JSON, r#"{"error":{"message":"bad"}}"#), Refused, &["400", "bad"]),
        (answer("403 No", JSON, "{}"), Auth, &["403"]),
        // The server there has no WebSockets, or a proxy blocks them: a request may work.
        (answer("400 No", "text/html", "<html>"), Malformed, &["400", "instead of opening"]),
        (answer("403 No", "text/plain", "no"), Malformed, &["403", "instead of opening"]),
        // The first is uvicorn's answer if its application has no WebSocket.
        (
            "HTTP/1.1 403 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into(),
            Malformed,
            &["403", "instead"],
        ),
        (
            "HTTP/1.1 400 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into(),
            Malformed,
            &["400", "instead"],
        ),
        (answer("404 Not Found", "text/plain", "no"), Malformed, &["404", "instead of opening"]),
        (answer("405 No", JSON, "{}"), Malformed, &["405"]),
        (answer("426 Upgrade", JSON, "{}"), Malformed, &["426"]),
        (answer("501 No", JSON, "{}"), Malformed, &["501"]),
        (html, Malformed, &["instead of opening a WebSocket"]),
        (answer("200 OK", "application/json", "{}"), Malformed, &["WebSocket"]),
        (format!("{switch}Upgrade: websocket\r\n\r\n"), Malformed, &["another protocol"]),
        (format!("{switch}Upgrade: h2c\r\n\r\n"), Malformed, &["another protocol"]),
        ("HTTP/1.1 302 Found\r\nLocation: http://h/?k=v\r\n\r\n".into(), Refused, &["http://h/"]),
        (String::new(), Network, &["without an answer"]),
    ] {
        for talk in Talk::ALL {
            let server = Server::playing(&*bytes, usize::MAX);
            let given = ask(&*talk.model(&server.url(), long())).await;
            check_error(given, kind, words);
        }
    }
    let silent = Server::holding("");
    let model = Talk::Responses.model(&silent.url(), brief(|timeouts| timeouts.connect = SOON));
    check_error(ask(&*model).await, ErrorKind::Timeout, &["0.2 s", "did not open a WebSocket"]);
}

#[tokio::test]
async fn errors_keep_their_kind_at_any_point() {
    for talk in Talk::ALL {
        let full = given_events(talk, talk.overload()).await;
        check_error(full, ErrorKind::Overload, &["full"]);
        let events = [talk.begun(), &talk.text("a"), talk.overload()].join("\n");
        let given = given_events(talk, &events).await;
        assert_eq!(given.text, "a");
        check_error(given, ErrorKind::Overload, &["broke off", "full"]);
    }
}

#[tokio::test]
async fn close_codes_map_to_error_kinds() {
    use ErrorKind::{Auth, ContextTooLong, Cut, Overload, Rate, Refused};
    for (code, reason, kind) in [
        (1000, "", Cut),
        (1001, "Your session hit the maximum duration of 60 minutes.", Cut),
        (1002, "", Refused),
        (1003, "", Refused),
        (1007, "Request contains an invalid argument.", Refused),
        (1008, "no such model", Refused),
        (1008, "API key not valid.", Auth),
        (1009, r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#, ContextTooLong),
        (1010, "", Refused),
        (1011, "Internal error", Overload),
        (1012, "", Overload),
        (1013, "", Overload),
        (3000, "", Auth),
        (3003, "", Auth),
        (3008, "", Overload),
        (4000, "beta_api_shape_disabled", Refused),
        (4401, "", Auth),
        (4429, "slow down", Rate),
        (4503, "", Overload),
        (4999, "", Refused),
    ] {
        for talk in Talk::ALL {
            let events = [talk.begun(), &talk.text("a")].join("\n");
            for (before, text) in [(String::new(), ""), (events, "a")] {
                let bytes = [texts(&before), close(code, reason)].concat();
                let given = given(talk, bytes).await;
                assert_eq!(given.text, text);
                check_error(given, kind, &[&code.to_string()]);
            }
        }
    }
    for talk in Talk::ALL {
        check_error(given(talk, frame(8, true, b"")).await, Cut, &["without a code"]);
        let sealed = [texts(&talk.whole()), close(1011, "late")].concat();
        assert_eq!(given(talk, sealed).await.finish, STOP);
    }
    let given = given(Talk::Live, close(1007, "invalid argument")).await;
    check_error(given, Refused, &["invalid argument", "use gemini-interactions:MODEL"]);
}

#[tokio::test]
async fn invalid_events_are_malformed() {
    let huge = format!("{{\"type\":\"new\",\"data\":\"{}\"}}", "x".repeat(sse::MAX_EVENT));
    let (one, two) = huge.as_bytes().split_at(sse::MAX_EVENT / 2);
    let many = [frame(1, false, one), frame(0, true, two)].concat();
    for talk in Talk::ALL {
        let begun = texts(&[talk.begun(), &talk.text("a")].join("\n"));
        for bytes in [
            texts("garbage"),
            texts("[1,2]"),
            frame(2, true, b"\xFF\xFE"),
            frame(1, true, b"\xFF\xFE"),
            b"HTTP/1.1 200 OK\r\n".repeat(10),
            frame(3, true, b""),
            frame(0, true, b"more of nothing"),
            frame(1, true, huge.as_bytes()),
            many.clone(),
        ] {
            let given = given(talk, [&begun[..], &bytes].concat()).await;
            assert_eq!(given.text, "a");
            check_error(given, ErrorKind::Malformed, &[]);
        }
    }
}

#[tokio::test]
async fn cut_connection_never_yields_a_complete_answer() {
    for talk in Talk::ALL {
        let events = [talk.begun(), &talk.text("§a\\n"), &talk.text("é🗼b"), talk.stop()];
        let bytes = texts(&events.join("\n"));
        for end in [vec![], frame(8, true, b"")] {
            let (played, hurt) = (bytes.clone(), end.clone());
            let wire = Wire::start(move |line| {
                let bytes = [&played[..line.number], &hurt].concat();
                line.play(bytes, usize::MAX, false)
            })
            .await;
            let model = talk.model(&wire.url(), long());
            for cut in 0..=bytes.len() {
                let given = ask(&*model).await;
                assert!("§a\né🗼b".starts_with(&given.text), "{talk:?} at {cut}: {given:?}");
                if cut == bytes.len() {
                    assert_eq!((&*given.text, given.finish), ("§a\né🗼b", STOP));
                } else if end.is_empty() {
                    check_error(given, ErrorKind::Cut, &[]);
                } else {
                    // In the middle of a frame a close is part of it.
                    let kind = given.failed().kind();
                    assert!(matches!(kind, ErrorKind::Cut | ErrorKind::Malformed), "{kind:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn bytes_sent_are_reported_early_and_last() {
    for talk in Talk::ALL {
        let events = [talk.begun(), &talk.text("a"), &talk.text("b"), talk.stop()].join("\n");
        let wire = Wire::playing(texts(&events), usize::MAX, true).await;
        let model = talk.model(&wire.url(), long());
        let mut session = model.connect(request()).unwrap().await.unwrap();
        let mut sent = Vec::new();
        loop {
            match session.receive().await.unwrap().unwrap() {
                Delta::Usage(usage) => sent.push(usage.sent_bytes),
                Delta::Done(finish) => break assert_eq!(finish, FinishReason::Stop),
                _ => {}
            }
        }
        assert!(sent.len() == 2 && sent[0] > 50 && sent[0] == sent[1], "{talk:?}: {sent:?}");
    }
}

#[tokio::test]
async fn gateway_errors_of_other_shapes_are_read() {
    let error = r#"{"error":{"code":429,"message":"slow down"}}"#;
    for talk in Talk::ALL {
        for before in ["", talk.begun()] {
            let given = given(talk, texts(format!("{before}\n{error}").trim())).await;
            check_error(given, ErrorKind::Rate, &["slow down"]);
        }
    }
}

#[tokio::test]
async fn error_messages_hide_the_key() {
    let error = format!(r#"{{"error":{{"code":401,"message":"bad key {SECRET}"}}}}"#);
    for talk in Talk::ALL {
        for bytes in [
            close(1008, SECRET),
            close(1008, &error),
            texts(&error),
            texts(SECRET),
            [texts(talk.begun()), texts(SECRET)].concat(),
        ] {
            let error = given(talk, bytes).await.failed();
            let mut printed = format!("{error} {error:?}");
            let mut source = std::error::Error::source(&error);
            while let Some(below) = source {
                printed += &format!(" {below} {below:?}");
                source = below.source();
            }
            assert!(!printed.contains(SECRET), "{printed}");
        }
    }
}
