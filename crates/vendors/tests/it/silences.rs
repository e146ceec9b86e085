//! WebSockets over which nothing or too little arrives.

use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_provider::{Attempt, ErrorKind};
use tokio::io::AsyncWriteExt as _;

use crate::faults::check_error;
use crate::server::long;
use crate::socket::{Wire, frame, texts};
use crate::sockets::{SOON, brief};
use crate::talk::{STOP, Talk, ask, request, take};

#[tokio::test]
async fn silence_times_out_despite_pings() {
    for talk in Talk::ALL {
        let first = brief(|timeouts| timeouts.first = SOON);
        for events in ["", talk.begun()] {
            let wire = Wire::playing(texts(events), usize::MAX, true).await;
            let given = ask(&*talk.model(&wire.url(), first)).await;
            check_error(given, ErrorKind::Timeout, &["0.1 s", "`first`"]);
        }
        let text = texts(&[talk.begun(), &talk.text("a")].join("\n"));
        let wire = Wire::start(move |mut line| {
            let (text, ping) = (text.clone(), frame(9, true, b""));
            async move {
                let socket = line.frames.get_mut();
                socket.write_all(&text).await.unwrap();
                while socket.write_all(&ping).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        })
        .await;
        let idle = brief(|timeouts| timeouts.idle = SOON);
        let given = ask(&*talk.model(&wire.url(), idle)).await;
        assert_eq!(given.text, "a");
        check_error(given, ErrorKind::Timeout, &["0.1 s", "`idle`"]);
    }
}

/// A server that takes the question up or does not, shows for `signs` times 100 ms that it lives,
/// and then answers.
async fn living(talk: Talk, takes_up: bool, signs: usize) -> Wire {
    Wire::start(move |mut line| async move {
        if takes_up {
            line.send_events(talk.begun()).await;
        }
        for sign in 0..signs {
            tokio::time::sleep(SOON).await;
            if line.frames.get_mut().write_all(&frame(9, true, b"")).await.is_err() {
                return;
            }
            // A status, as some APIs send it.
            if sign % 3 == 0 {
                line.send_events(r#"{"type":"response.in_progress"}"#).await;
            }
        }
        line.send_events(&talk.whole()).await;
        line.receive().await;
    })
    .await
}

#[tokio::test]
async fn keep_alives_extend_the_first_timeout() {
    for talk in Talk::ALL {
        let limits = |first_total| {
            brief(|timeouts| {
                (timeouts.first, timeouts.first_total) =
                    (4 * SOON, Duration::from_millis(first_total));
            })
        };
        for takes_up in [true, false] {
            let wire = living(talk, takes_up, 10).await;
            let given = ask(&*talk.model(&wire.url(), limits(20_000))).await;
            assert_eq!((&*given.text, given.finish), ("a", STOP), "{talk:?}");
            let wire = living(talk, takes_up, 100).await;
            let given = ask(&*talk.model(&wire.url(), limits(700))).await;
            check_error(given, ErrorKind::Timeout, &["0.7 s", "signs of life", "`first_total`"]);
        }
    }
}

#[tokio::test]
async fn unacknowledged_request_times_out_early_with_a_fallback() {
    let limits = brief(|timeouts| timeouts.first = 4 * SOON);
    let wire = Wire::start(|mut line| async move {
        while line.frames.get_mut().write_all(&frame(9, true, b"")).await.is_ok() {
            tokio::time::sleep(SOON / 2).await;
        }
    })
    .await;
    let only = request().with_attempt(Attempt::Only);
    let opened = Talk::Responses.model(&wire.url(), limits).connect(only).unwrap().await;
    let error = opened.err().expect("an error");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("0.4 s"), "{error}");
}

#[tokio::test]
async fn slow_drip_is_not_silence() {
    for talk in Talk::ALL {
        let events = [talk.begun(), &talk.text("a"), &talk.text("b"), talk.stop()].join("\n");
        let wire = Wire::start(move |mut line| {
            let events = events.clone();
            async move {
                for event in events.lines() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    line.send_events(event).await;
                }
                line.receive().await;
            }
        })
        .await;
        let half = Duration::from_millis(800);
        let limits = brief(|timeouts| (timeouts.first, timeouts.idle) = (half, half));
        let given = ask(&*talk.model(&wire.url(), limits)).await;
        assert_eq!((&*given.text, given.finish), ("ab", STOP), "{talk:?}");
    }
}

/// Starts a server that sends events and then a ping, and returns a notification of the pong.
async fn pinging(events: String) -> (Wire, tokio::sync::oneshot::Receiver<()>) {
    let (ponged, pong) = tokio::sync::oneshot::channel();
    let once = std::sync::Mutex::new(Some((events, ponged)));
    let wire = Wire::start(move |mut line| {
        let (events, ponged) = once.lock().unwrap().take().expect("one connection");
        async move {
            line.send_events(&events).await;
            line.ping(ponged).await;
        }
    });
    (wire.await, pong)
}

#[tokio::test]
async fn pings_are_answered_while_nobody_reads() {
    for talk in Talk::ALL {
        let (wire, pong) = pinging(talk.whole()).await;
        let model = talk.model(&wire.url(), long());
        let mut session = model.connect(request()).unwrap().await.unwrap();
        assert_eq!(take(&mut *session).await.finish, STOP);
        tokio::time::timeout(Duration::from_secs(10), pong).await.expect("a pong").unwrap();
    }
}

#[tokio::test]
async fn pings_are_answered_behind_an_unread_answer() {
    for talk in Talk::ALL {
        let begin = [talk.begun().to_owned(), talk.text("a")];
        let rest = std::iter::repeat_n(talk.text(&"b".repeat(1000)), 500);
        let events: Vec<_> = begin.into_iter().chain(rest).collect();
        let (wire, pong) = pinging(events.join("\n")).await;
        let model = talk.model(&wire.url(), long());
        let mut session = model.connect(request()).unwrap().await.unwrap();
        assert!(session.receive().await.unwrap().is_ok());
        session.cancel().await.unwrap();
        tokio::time::timeout(Duration::from_secs(10), pong).await.expect("a pong").unwrap();
    }
}

#[tokio::test]
async fn dropping_hangs_up_and_closing_sends_a_close() {
    for talk in Talk::ALL {
        for says_so in [false, true] {
            let (left, seen) = tokio::sync::oneshot::channel();
            let left = std::sync::Mutex::new(Some(left));
            let wire = Wire::start(move |mut line| {
                let left = left.lock().unwrap().take();
                async move {
                    line.send_events(&format!("{}\n{}", talk.begun(), talk.text("a"))).await;
                    let mut closed = false;
                    while let Some(Ok(message)) = line.frames.next().await {
                        closed |= message.is_close();
                    }
                    left.unwrap().send(closed).unwrap();
                }
            })
            .await;
            let model = talk.model(&wire.url(), long());
            let mut session = model.connect(request()).unwrap().await.unwrap();
            assert!(session.receive().await.unwrap().is_ok());
            if says_so {
                session.close().await;
            } else {
                drop(session);
            }
            let seen = tokio::time::timeout(Duration::from_secs(10), seen).await;
            assert_eq!(seen.expect("no hang"), Ok(says_so), "{talk:?}");
        }
    }
}
