use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};

use crate::raw;

async fn open(dir: &Path) -> Result<SledStore, silcrow_store::Error> {
    SledStore::open(dir, Options::default()).await
}

async fn filled(dir: &Path) {
    let store = open(dir).await.unwrap();
    store.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[tokio::test]
async fn new_folders_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("deep/er/store");
    filled(&store).await;
    for made in ["deep", "deep/er", "deep/er/store"] {
        let mode = fs::metadata(dir.path().join(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{made}");
    }
    assert_eq!(names(&store), ["FORMAT", "LOCK", "MARK", "RESERVE", "data"]);
}

#[tokio::test]
async fn a_relative_path_is_of_the_folder_it_was_opened_in() {
    let dir = tempfile::tempdir_in(".").unwrap();
    let name = dir.path().file_name().unwrap();
    filled(&Path::new(name).join("store")).await;
    assert!(dir.path().join("store/FORMAT").exists());
}

#[tokio::test]
async fn somebody_elses_folder_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("letter.txt"), "dear").unwrap();
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    let wanted = format!(
        "{} is no store: it holds \"letter.txt\" and no file FORMAT; choose an empty folder or \
         another store with --store",
        dir.path().display()
    );
    assert_eq!(error.to_string(), wanted);
    assert_eq!(names(dir.path()), ["letter.txt"]);
}

#[tokio::test]
async fn a_file_is_no_folder() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = open(file.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("is no store: it is no folder"), "{error}");
    let error = open(&file.path().join("below")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[tokio::test]
async fn another_format_is_refused() {
    for format in ["", "silcrow-store-sled 1\n", "silcrow-store-sled 2", "\u{1b}[31mred\0"] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path()).await;
        fs::write(dir.path().join("FORMAT"), format).unwrap();
        let error = open(dir.path()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{format:?}");
        let wanted = "where \"silcrow-store-sled 2\" is known";
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");

        fs::write(dir.path().join("FORMAT"), "silcrow-store-sled 2\n").unwrap();
        assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1);
    }
}

/// Without FORMAT nobody knows what the data is: it is not opened as new, nor removed.
#[tokio::test]
async fn a_missing_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    fs::remove_file(dir.path().join("FORMAT")).unwrap();
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("it holds \"MARK\" and no file FORMAT"), "{error}");
    assert_eq!(names(dir.path()), ["LOCK", "MARK", "RESERVE", "data"]);
}

/// Whatever a kill leaves of a store that is being made, it is made anew.
#[tokio::test]
async fn a_store_half_made_is_made() {
    let begun: [&dyn Fn(&Path); 5] = [
        &|_| {},
        &|dir| fs::write(dir.join("LOCK"), "1\n").unwrap(),
        &|dir| fs::write(dir.join("FORMAT.new"), "silc").unwrap(),
        &|dir| fs::write(dir.join("FORMAT"), "silcrow-store-sled 2\n").unwrap(),
        &|dir| {
            fs::write(dir.join("FORMAT"), "silcrow-store-sled 2\n").unwrap();
            fs::create_dir_all(dir.join("data.new/blobs")).unwrap();
            fs::write(dir.join("data.new/conf"), "segment_si").unwrap();
            fs::write(dir.join("data.new/db"), [7; 1_000]).unwrap();
        },
    ];
    for begin in begun {
        let dir = tempfile::tempdir().unwrap();
        begin(dir.path());
        filled(dir.path()).await;
        assert_eq!(names(dir.path()), ["FORMAT", "LOCK", "MARK", "RESERVE", "data"]);
        assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1);
    }
}

/// sled itself opens nothing where it left a snapshot half written.
#[tokio::test]
async fn a_snapshot_half_written_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let planted = dir.path().join("data/snap.00000000FFFFFFFF.generating");
    fs::write(&planted, "half").unwrap();
    let opened = raw::try_open(dir.path());
    assert!(matches!(opened, Err(sled::Error::Corruption { .. })), "sled takes it after all");

    let store = open(dir.path()).await.unwrap();
    assert!(!planted.exists());
    assert_eq!(store.head("c").await.unwrap(), 1);
}

/// Where nothing can be made, not even by who may do everything.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_cannot_be_made_is_an_error() {
    let error = open(Path::new("/sys/silcrow/store")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().starts_with("making /sys/silcrow/store failed"), "{error}");
}

/// Whoever may write it all the same gets all of it; others are told what to see to.
#[cfg(unix)]
#[tokio::test]
async fn a_read_only_folder_is_an_error_or_full_service() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let protect = |folders: u32, files: u32| {
        let modes = [("", folders), ("data", folders), ("LOCK", files), ("MARK", files)];
        for (name, mode) in modes.into_iter().chain([("data/db", files)]) {
            fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    protect(0o500, 0o400);
    match open(dir.path()).await {
        Ok(store) => assert_eq!(store.head("c").await.unwrap(), 1),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.to_string().contains("see to the disk and its permissions"), "{error}");
        }
    }
    protect(0o700, 0o600);
    assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1);
}
