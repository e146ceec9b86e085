//! A store that an earlier version wrote, before events named folders and conversations had names.

use std::fs;
use std::path::Path;

use silcrow_event::{Entry, Event};
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

#[tokio::test]
async fn store_without_folders_and_names_continues() {
    let dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/without-folders"), dir.path());
    let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
    let shown = async || {
        let list = store.list(None).await.unwrap().into_iter();
        Vec::from_iter(list.map(|one| (one.conversation, one.title, one.user, one.folder)))
    };
    let row = |id: &str, title: &str, user: Option<&str>, folder: Option<&str>| {
        (id.to_owned(), title.to_owned(), user.map(str::to_owned), folder.map(str::to_owned))
    };
    let other = row("other", "And now?", None, None);
    assert_eq!(shown().await, [other.clone(), row("talk", "What is here?", Some("ann"), None)]);

    let head = store.head("talk").await.unwrap();
    let prompt = Entry { folder: Some("/work".to_owned()), ..Event::user("on").into() };
    let added = vec![Event::title("seals").into(), prompt];
    store.append("talk", head, added).await.unwrap();
    let talk = row("talk", "seals", Some("ann"), Some("/work"));
    assert_eq!(shown().await, [talk, other]);
    assert!(store.verify().await.unwrap().damage.is_empty());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for found in fs::read_dir(from).unwrap() {
        let (path, to) = found.map(|found| (found.path(), to.join(found.file_name()))).unwrap();
        match path.is_dir() {
            true => copy(&path, &to),
            false => assert!(fs::copy(&path, &to).unwrap() > 0),
        }
    }
}
