use std::error::Error as _;
use std::fs;

use silcrow_tools::{ErrorKind, Root};

use crate::{Place, content};

#[test]
fn a_root_must_be_a_folder_that_exists() {
    let place = Place::new();
    place.put("file.txt", "x");
    let missing = Root::open(place.path().join("nowhere")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Missing);
    let told = missing.to_string();
    assert!(told.ends_with("/root/nowhere` does not exist; give a folder that does"), "{told}");
    assert!(missing.source().is_some());

    for path in ["file.txt", "file.txt/x"] {
        let file = Root::open(place.path().join(path)).unwrap_err();
        assert_eq!(file.kind(), ErrorKind::NotAFolder);
        assert!(file.to_string().ends_with("` is no folder; give one"), "{file}");
    }
    let long = Root::open("x".repeat(5000)).unwrap_err();
    assert_eq!(long.kind(), ErrorKind::Unreadable);
}

#[test]
fn a_link_to_a_folder_is_a_root_for_the_caller_names_it() {
    let place = Place::new();
    place.link(".", "here");
    Root::open(place.path().join("here")).unwrap();
}

#[tokio::test]
async fn a_root_stays_the_same_folder_when_it_is_renamed() {
    let place = Place::new();
    place.put("a.txt", "the first");
    fs::rename(place.path(), place.outer.path().join("moved")).unwrap();
    fs::create_dir(place.path()).unwrap();
    place.put("a.txt", "another");
    assert_eq!(content(place.read("a.txt").await), "the first");
}

#[test]
fn an_identity_belongs_to_the_folder_and_not_to_its_path() {
    let place = Place::new();
    let identity = |path: &std::path::Path| Root::open(path).unwrap().identity().unwrap();
    let (here, moved) = (&place.path(), place.outer.path().join("moved"));
    let first = identity(here);
    place.link(".", "link");
    assert_eq!(identity(&here.join("link")), first);
    assert_eq!(Root::open(here).unwrap().clone().identity().unwrap(), first);
    fs::rename(here, &moved).unwrap();
    assert_eq!(identity(&moved), first);
    fs::create_dir(here).unwrap();
    assert_ne!(identity(here), first, "another folder took the path");
    // A file system may give a new folder the inode of one that is gone.
    let made = || fs::metadata(here).unwrap().created().unwrap();
    for _ in 0..20 {
        let (gone, then) = (identity(here), made());
        // Its clock is coarse.
        while made() == then {
            fs::remove_dir(here).unwrap();
            fs::create_dir(here).unwrap();
        }
        assert_ne!(identity(here), gone);
    }
}
