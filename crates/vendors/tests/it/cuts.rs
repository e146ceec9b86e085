//! A server that goes away at any byte of an answer.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{ErrorKind, Finish};

use crate::captures::folder;
use crate::server::{Server, ask, write};

/// What the server sends is decided by how many it has served; which client gets which cut does
/// not matter, so what must hold is checked by what each was given.
#[tokio::test]
async fn a_connection_cut_at_any_byte_never_makes_a_whole_answer() {
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
                assert_eq!(finish, Finish::Stop);
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
