use std::error::Error as _;
use std::fs;

use silcrow_testkit::check_sources;
use silcrow_tools::{ErrorKind, Root};

use crate::{Place, content, why};

#[test]
fn root_must_be_an_existing_folder() {
    let place = Place::new();
    place.put("file.txt", "x");
    let missing = Root::open(place.path().join("nowhere")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Missing);
    check_sources(&missing);
    let told = missing.to_string();
    assert!(told.ends_with("/root/nowhere` does not exist; give a folder that does"), "{told}");
    assert!(missing.source().is_none(), "the message says it");

    for path in ["file.txt", "file.txt/x"] {
        let file = Root::open(place.path().join(path)).unwrap_err();
        assert_eq!(file.kind(), ErrorKind::NotAFolder);
        check_sources(&file);
        assert!(file.to_string().ends_with("` is not a folder; name a folder"), "{file}");
    }
    let long = Root::open("x".repeat(5000)).unwrap_err();
    assert_eq!(long.kind(), ErrorKind::Unreadable);
    assert!(long.source().is_some(), "the system said why");
    check_sources(&long);
}

#[tokio::test]
async fn linked_folder_may_be_a_root() {
    let mut place = Place::new();
    place.put("sub/file.txt", "in the folder").put("file.txt", "beside it").link("sub", "here");
    place.root = Root::open(place.path().join("here")).unwrap();
    assert_eq!(content(place.read("file.txt").await), "in the folder");
    let why = why(place.read("../file.txt").await);
    assert!(why.contains("leads out"), "{why}");
}

/// Models write the paths that they see elsewhere, which are often absolute.
#[tokio::test]
async fn absolute_paths_inside_root_are_accepted() {
    let mut place = Place::new();
    place.put("src/a.txt", "needle").link("src", "link");
    let own = place.path().display().to_string();
    let named = format!("{}/named", place.outer.path().display());
    std::os::unix::fs::symlink(place.path(), &named).unwrap();
    // As it was named, and as the system names it.
    place.root = Root::open(&named).unwrap();
    for root in [&own, &named, &format!("/.{own}"), &own.replace('/', "//")] {
        assert_eq!(content(place.read(&format!("{root}/src/a.txt")).await), "needle");
        assert_eq!(content(place.read(&format!("{root}/src/../link/a.txt")).await), "needle");
        assert_eq!(content(place.list(&format!("{root}/src")).await), "a.txt  6 bytes");
        for folder in [format!("{root}/src"), format!("{root}/src/")] {
            let found = content(place.search("needle", &folder).await);
            assert!(found.ends_with("/src/a.txt:1: needle"), "{found}");
        }
        assert_eq!(place.list(root).await.unwrap().summary, "2 entries");
        assert_eq!(place.list(&format!("{root}/")).await.unwrap().summary, "2 entries");
        place.write(&format!("{root}/src/b.txt"), "x").await.unwrap();
        fs::remove_file(place.path().join("src/b.txt")).unwrap();
        let missing = format!("{root}/src/b.txt");
        let why = why(place.read(&missing).await);
        assert!(why.ends_with("does not exist; did you mean `src/a.txt`?"), "{why}");
    }
    let outside = format!("{}/secret.txt", place.outer.path().display());
    let told = "leads out of the folder that you may use, which is";
    let next = "write a path inside it, such as `src`";
    for path in [&outside, &format!("{own}2/a.txt"), "/etc/passwd", &format!("{own}/../secret.txt")]
    {
        let inside = path.starts_with(&format!("{own}/"));
        let expected = match inside {
            // Without the root, the remaining path is relative, and the error names it.
            true => format!("`{path}` leads out of the folder that you may use"),
            false => format!("`{path}` {told} `{own}`; {next}"),
        };
        for why in [
            why(place.read(path).await),
            why(place.list(path).await),
            why(place.search("x", path).await),
            why(place.write(path, "x").await),
        ] {
            assert!(why.starts_with(&expected), "{why}");
        }
    }
}

#[tokio::test]
async fn renamed_root_stays_the_same_folder() {
    let place = Place::new();
    place.put("a.txt", "the first");
    fs::rename(place.path(), place.outer.path().join("moved")).unwrap();
    fs::create_dir(place.path()).unwrap();
    place.put("a.txt", "another");
    assert_eq!(content(place.read("a.txt").await), "the first");
}

#[test]
fn identity_belongs_to_the_folder() {
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
