//! A server that goes away at any byte of an answer.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{ErrorKind, FinishReason};

use crate::captures::folder;
use crate::server::{Server, ask, events, write};
use crate::wire::Api;

/// The server's output depends on the number of earlier clients; which client gets which cut does
/// not matter, so each result is checked by its own data.
#[tokio::test]
async fn cut_connection_never_yields_a_complete_answer() {
    let bytes = fs::read(folder().join("llamacpp/chat.proto_call.http")).unwrap();
    let reason = b"\"finish_reason\":\"stop\",\"index\":0,\"delta\":{}}]";
    let reason = bytes.windows(reason.len()).position(|at| at == reason).unwrap();
    let finished = reason + bytes[reason..].iter().position(|&byte| byte == b'\n').unwrap();
    let whole = ask(&Server::playing(&*bytes, usize::MAX).chat(), true).await.text;

    let count = bytes.len() + 1;
    let next = AtomicUsize::new(0);
    let server = Server::start(move |mut socket| {
        let cut = next.fetch_add(1, Ordering::Relaxed);
        write(&mut socket, &bytes[..cut], usize::MAX);
    });
    let chat = server.chat();
    let given: Vec<_> =
        stream::iter(0..count).map(|_| ask(&chat, true)).buffer_unordered(8).collect().await;

    let mut done = 0;
    for given in given {
        assert!(whole.starts_with(&given.text), "{:?}", given.text);
        match given.finish {
            Some(finish) => {
                assert_eq!(finish, FinishReason::Stop);
                assert_eq!(given.text, whole);
                done += 1;
            }
            None => {
                let error = given.error.unwrap();
                let kind = error.kind();
                assert!(matches!(kind, ErrorKind::Cut | ErrorKind::Network), "{kind:?}: {error}");
                assert!(kind == ErrorKind::Cut || given.text.is_empty());
            }
        }
    }
    // The line is complete with its last brace, and every longer cut is a whole answer.
    assert_eq!(done, count - finished);
}

#[tokio::test]
async fn cut_answers_are_reported_and_keep_their_text() {
    for api in Api::ALL {
        let body = [": ping\n\n", &api.text("§a\\n"), &api.text("é🗼"), &api.stop()].concat();
        let head = events("").len();
        cut_anywhere(api, events(&body).as_bytes(), head, "§a\né🗼").await;
    }
}

/// Asks a server that breaks off its answer, whose head has this many bytes, at every byte in turn.
/// The received text is cut, without repetitions, and grows to `whole`; once it is whole it stays
/// so.
pub(crate) async fn cut_anywhere(api: Api, answer: &[u8], head: usize, whole: &str) {
    let next = AtomicUsize::new(0);
    let bytes = answer.to_owned();
    let server = Server::start(move |mut socket| {
        let cut = next.fetch_add(1, Ordering::Relaxed);
        write(&mut socket, &bytes[..cut], usize::MAX);
    });
    let model = api.model(&server);
    let (mut last, mut done) = (0, false);
    for cut in 0..=answer.len() {
        let given = ask(&*model, true).await;
        let text = given.text.clone();
        assert!(whole.starts_with(&text), "{api:?}: {text:?} at {cut}");
        assert!(text.len() >= last, "{api:?}: text lost at {cut}");
        last = text.len();
        if let Some(finish) = given.finish {
            assert_eq!((&*text, finish), (whole, FinishReason::Stop), "{api:?} at {cut}");
            done = true;
        } else {
            let kind = given.failed().kind();
            let expected = if cut < head { ErrorKind::Network } else { ErrorKind::Cut };
            assert!(!done && kind == expected, "{api:?}: {kind:?} at {cut}");
        }
    }
    assert!(done, "{api:?}");
}
