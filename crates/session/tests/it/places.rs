//! The places of conversations.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use silcrow_event::Event;
use silcrow_session::{ErrorKind, StorePlace};

use crate::support::{Folder, host};

#[tokio::test]
async fn opened_store_becomes_private() {
    let folder = Folder::new();
    let place = StorePlace::Folder(folder.path("store"));
    let (kept, host) = host();
    let opened = place.open(&host).await.unwrap();
    opened.store().append("c1", 0, vec![Event::user("hi").into()]).await.unwrap();
    drop(opened);
    assert!(kept.lines().is_empty(), "{:?}", kept.lines());
    fs::set_permissions(folder.path("store"), Permissions::from_mode(0o755)).unwrap();
    place.open(&host).await.unwrap();
    let lines = kept.lines();
    assert!(lines[0].contains("could be read by other users (mode 0755)"), "{lines:?}");
}

#[tokio::test]
async fn unusable_place_suggests_another() {
    let folder = Folder::new();
    let place = StorePlace::Folder(folder.write("file", "text"));
    let error = place.open(&host().1).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Store(_)), "{error:?}");
    assert!(error.message().ends_with("keep nothing with --store memory"), "{error}");
}

#[test]
fn place_round_trips_as_word() {
    for word in ["memory", "/srv/store"] {
        let place = StorePlace::choose(Some(Path::new(word))).unwrap();
        assert_eq!(place.word(), word, "{place:?}");
        assert_eq!(place.folder().is_none(), word == "memory");
    }
    assert!(StorePlace::choose(Some(Path::new(""))).is_err());
}

#[test]
fn database_is_a_place_if_built() {
    let word = "postgres://ada:secret@db/silcrow";
    match StorePlace::choose(Some(Path::new(word))) {
        Ok(place) if cfg!(feature = "postgres") => {
            assert_eq!(place.word(), word);
            assert!(place.folder().is_some());
            assert!(!format!("{place:?}").contains("secret"), "{place:?}");
        }
        Err(error) if !cfg!(feature = "postgres") => {
            assert!(error.is_callers_fault(), "{error:?}");
            assert!(error.message().contains("the feature `postgres`"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}
