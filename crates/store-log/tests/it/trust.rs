//! A store is its owner's alone, and nothing of it follows a link.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use silcrow_event::Event;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options, check};

async fn open(dir: &Path) -> Result<LogStore, Error> {
    LogStore::open(dir, Options::default()).await
}

async fn filled(dir: &Path) {
    let store = open(dir).await.unwrap();
    store.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

async fn refused(dir: &Path) -> String {
    let error = open(dir).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Untrusted, "{error}");
    error.to_string()
}

/// Everything below a folder, links not followed.
fn below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let with_inside = |path: PathBuf| {
        let inside = if path.is_dir() && !path.is_symlink() { below(&path) } else { Vec::new() };
        [vec![path], inside].concat()
    };
    entries.flat_map(with_inside).collect()
}

#[tokio::test]
async fn new_store_is_private() {
    for made in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("store");
        if made {
            fs::create_dir(&dir).unwrap();
            set_mode(&dir, 0o777);
        }
        filled(&dir).await;
        assert_eq!(mode(&dir), 0o700);
        filled_again(&dir).await;
        for path in below(&dir) {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{path:?}");
        }
    }
}

async fn filled_again(dir: &Path) {
    let store = open(dir).await.unwrap();
    store.append("c", 1, vec![Event::user("again").into()]).await.unwrap();
}

/// A user who may write to the folder may have put anything into it.
#[tokio::test]
async fn store_writable_by_others_is_refused() {
    for open_to in [0o770, 0o707, 0o777, 0o1777, 0o702] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path()).await;
        set_mode(dir.path(), open_to);
        let told = refused(dir.path()).await;
        let command = format!("`chmod 700 {}`", dir.path().display());
        assert_eq!(check(dir.path()).unwrap_err().to_string(), told);
        assert!(told.contains(&format!("mode {open_to:04o}")) && told.contains(&command), "{told}");
        assert_eq!(mode(dir.path()), open_to);
        set_mode(dir.path(), 0o700);
        assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1);
    }
}

/// Only a user who may give files away can try this.
#[tokio::test]
async fn files_of_other_users_are_refused() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    for name in ["", "LOCK", "FORMAT", "MARK", "log", "segment"] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path()).await;
        let path = path_of(dir.path(), name);
        chown(&path, Some(4_321), None).unwrap();
        let told = refused(dir.path()).await;
        assert!(told.contains("it belongs to user 4321 and this is user 0"), "{told}");
        assert!(told.contains("run `chown -R 0 "), "{told}");
        assert_eq!(check(dir.path()).unwrap_err().kind(), ErrorKind::Untrusted);
        chown(&path, Some(0), None).unwrap();
        assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1);
    }
    // An empty folder of another user's is not ours to fill.
    let dir = tempfile::tempdir().unwrap();
    chown(dir.path(), Some(4_321), None).unwrap();
    refused(dir.path()).await;
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Of an existing store, and of one that is still to be made.
#[tokio::test]
async fn no_link_is_followed() {
    let files = ["LOCK", "FORMAT", "FORMAT.new", "MARK", "IDENTITY", "segment"];
    let folders = ["log", "spills"];
    for name in files.into_iter().chain(folders) {
        for is_hard in [false, true] {
            let is_folder = folders.contains(&name);
            if is_hard && is_folder {
                continue;
            }
            let (dir, elsewhere) =
                (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/tmp").unwrap());
            filled(dir.path()).await;
            let path = path_of(dir.path(), name);
            let victim = elsewhere.path().join("victim");
            match is_folder {
                true if path.exists() => fs::rename(&path, &victim).unwrap(),
                true => fs::create_dir(&victim).unwrap(),
                false if path.exists() => fs::rename(&path, &victim).unwrap(),
                false => fs::write(&victim, "precious").unwrap(),
            }
            match is_hard {
                true => fs::hard_link(&victim, &path).unwrap(),
                false => symlink(&victim, &path).unwrap(),
            }
            let was = snapshot(&victim);
            let told = refused(dir.path()).await;
            assert!(told.contains(&format!("{}", path.display())), "{told}");
            assert!(told.contains(if is_hard { "a hard link" } else { "it is a link" }), "{told}");
            assert_eq!(snapshot(&victim), was, "{name}");
            if is_hard && name != "FORMAT.new" {
                // The command that the message suggests helps.
                let run = told.split('`').find(|word| word.starts_with("cp -p ")).unwrap();
                let done = std::process::Command::new("sh").args(["-c", run]).status().unwrap();
                assert!(done.success());
                assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 1, "{name}");
            }
        }
    }
    for name in ["LOCK", "FORMAT.new"] {
        let dir = tempfile::tempdir().unwrap();
        let victim = tempfile::NamedTempFile::new().unwrap();
        fs::write(victim.path(), "precious").unwrap();
        symlink(victim.path(), dir.path().join(name)).unwrap();
        refused(dir.path()).await;
        assert_eq!(fs::read(victim.path()).unwrap(), b"precious");
    }
    // A link that leads nowhere makes nothing there.
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let nowhere = dir.path().join("nowhere");
    symlink(&nowhere, dir.path().join("FORMAT.new")).unwrap();
    refused(dir.path()).await;
    assert!(!nowhere.exists());
}

/// A pipe without a writer would hold up the process that opens it.
#[tokio::test]
async fn special_files_are_refused() {
    for name in ["LOCK", "FORMAT", "FORMAT.new", "MARK", "log", "segment"] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path()).await;
        let path = path_of(dir.path(), name);
        if path.exists() {
            fs::rename(&path, dir.path().with_extension("before")).unwrap();
        }
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let told = refused(dir.path()).await;
        assert!(told.contains("it is neither a file nor a folder; remove it"), "{told}");
    }
}

/// The path of a store's part; `segment` is the first one.
fn path_of(dir: &Path, name: &str) -> PathBuf {
    match name {
        "segment" => below(&dir.join("log")).remove(0),
        _ => dir.join(name),
    }
}

/// The names, modes and bytes of a file, or of the entries of a folder.
fn snapshot(path: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let of = |path: &Path| {
        let bytes = if path.is_file() { fs::read(path).unwrap() } else { Vec::new() };
        (path.to_owned(), mode(path), bytes)
    };
    let inside = if path.is_dir() { below(path) } else { Vec::new() };
    [vec![path.to_owned()], inside].concat().iter().map(|path| of(path)).collect()
}

/// A person may put the store anywhere.
#[tokio::test]
async fn store_folder_may_be_our_link() {
    let dir = tempfile::tempdir().unwrap();
    let (store, link) = (dir.path().join("store"), dir.path().join("link"));
    filled(&store).await;
    symlink(&store, &link).unwrap();
    assert_eq!(open(&link).await.unwrap().head("c").await.unwrap(), 1);
}

#[test]
fn missing_files_are_trusted() {
    let dir = tempfile::tempdir().unwrap();
    check(dir.path().join("nowhere")).unwrap();
    check(dir.path()).unwrap();
}
