//! Where conversations are kept.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use silcrow_event::Event;
use silcrow_session::{ErrorKind, StorePlace};

use crate::support::{Folder, host};

#[tokio::test]
async fn a_store_that_others_can_read_is_the_persons_alone_from_its_opening_on() {
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
async fn a_place_that_cannot_be_a_store_names_the_way_on() {
    let folder = Folder::new();
    let place = StorePlace::Folder(folder.write("file", "text"));
    let error = place.open(&host().1).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Store(_)), "{error:?}");
    assert!(error.message().ends_with("keep nothing with --store memory"), "{error}");
}

#[test]
fn a_word_names_a_place_and_a_place_its_word() {
    for word in ["memory", "/srv/store"] {
        let place = StorePlace::choose(Some(Path::new(word))).unwrap();
        assert_eq!(place.word(), word, "{place:?}");
        assert_eq!(place.folder().is_none(), word == "memory");
    }
    assert!(StorePlace::choose(Some(Path::new(""))).is_err());
}

#[test]
fn a_database_is_a_place_where_they_were_built() {
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
