//! Secrets in the errors of a model.

use std::error::Error as _;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_provider::record::Secrets;
use silcrow_provider::{Error, ErrorKind, MaskedErrors, Provider};

use crate::played::{Connected, Played, done, request, text};

fn leaking() -> Error {
    Error::new(ErrorKind::Rate, "the server says: bad key SK-CANARY-0123, or ghp_abcdefghijklmnop")
        .with_source(std::io::Error::other("sent sk-canary-0123"))
        .with_retry_after(Duration::from_secs(3))
        .with_sent(7)
}

#[track_caller]
fn check(error: &Error) {
    assert_eq!(error.to_string(), "the server says: bad key [secret], or [key]: sent [secret]");
    assert!(error.source().is_none());
    // Only the words change.
    assert_eq!(error.kind(), ErrorKind::Rate);
    assert_eq!((error.retry_after(), error.sent()), (Some(Duration::from_secs(3)), 7));
}

#[tokio::test]
async fn stream_and_session_errors_hide_secrets() {
    let secrets = || Secrets::new(["sk-canary-0123"]);
    let model = MaskedErrors::new(Played::new([vec![text("a"), Err(leaking())]]), secrets());
    let mut deltas = model.stream(request());
    assert!(deltas.next().await.unwrap().is_ok());
    check(&deltas.next().await.unwrap().unwrap_err());

    let model = Connected(Played::new([vec![Err(leaking())]]));
    let opening = MaskedErrors::new(model, secrets()).connect(request()).unwrap();
    check(&opening.await.err().unwrap());
    let model = Connected(Played::new([vec![text("a"), Err(leaking())]]));
    let opening = MaskedErrors::new(model, secrets()).connect(request()).unwrap();
    let mut session = opening.await.unwrap();
    assert!(session.receive().await.unwrap().is_ok());
    check(&session.receive().await.unwrap().unwrap_err());
}

#[tokio::test]
async fn error_without_secrets_keeps_its_source() {
    let plain = Error::new(ErrorKind::Cut, "cut").with_source(std::io::Error::other("reset"));
    let played = Played::new([vec![Err(plain)], vec![text("sk-canary-0123"), done()]]);
    let model = MaskedErrors::new(played, Secrets::new(["sk-canary-0123"]));
    let error = model.stream(request()).next().await.unwrap().unwrap_err();
    assert_eq!(
        (error.to_string(), error.source().unwrap().to_string()),
        ("cut".into(), "reset".into())
    );
    // The model's words are its own.
    let words = model.stream(request()).next().await.unwrap().unwrap();
    assert_eq!(words, text("sk-canary-0123").unwrap());
}
