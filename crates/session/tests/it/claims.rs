//! Two processes do not run a conversation at once. A lock belongs to the open file, so two claims
//! of one process conflict as two processes' claims do.

use silcrow_session::claim::{ActiveRun, ClaimAttempt};
use silcrow_session::{ErrorKind, StorePlace};

use crate::support::{Folder, host};

#[test]
fn claim_names_its_owner_until_dropped() {
    let folder = Folder::new();
    let place = StorePlace::Folder(folder.path("store"));
    let root = folder.root();
    let claim = |prompt: &str| ActiveRun::claim(&place, "c1", &root, prompt);
    let first = claim("What is here?").unwrap();
    let error = claim("And there?").unwrap_err();
    assert!(error.kind() == ErrorKind::Active && error.is_retryable(), "{error:?}");
    let process = format!("process {}", std::process::id());
    assert!(error.message().contains(&process), "{error}");
    assert!(error.message().contains("on the prompt \"What is here?\""), "{error}");
    assert!(ActiveRun::find(&folder.path("store"), "c1").is_some());
    // Another conversation is free.
    assert!(ActiveRun::claim(&place, "c2", &root, "").unwrap().is_some());
    drop(first);
    assert!(ActiveRun::find(&folder.path("store"), "c1").is_none());
    assert!(claim("Again?").unwrap().is_some());
}

#[test]
fn a_store_in_memory_needs_no_claim() {
    let folder = Folder::new();
    let attempt = ActiveRun::attempt(&StorePlace::Memory, "c1", &folder.root(), "");
    assert!(matches!(attempt, Ok(ClaimAttempt::Claimed(None))));
}

#[tokio::test(start_paused = true)]
async fn waiter_is_notified_once_and_gets_conversation() {
    let folder = Folder::new();
    let place = StorePlace::Folder(folder.path("store"));
    let root = folder.root();
    let first = ActiveRun::claim(&place, "c1", &root, "").unwrap();
    let (kept, host) = host();
    let waits = ActiveRun::wait(&place, "c1", &root, "", &*host);
    let ends = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        drop(first);
    };
    let (waited, ()) = tokio::join!(waits, ends);
    assert!(waited.unwrap().is_some());
    let lines = kept.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("waiting for process "), "{lines:?}");
}
