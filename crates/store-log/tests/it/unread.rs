//! A store that is opened without reading its log.

use std::fs;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::files::{open, segments};

/// Reading a segment that is a folder fails, so a call that succeeds has not read it.
#[tokio::test]
async fn opening_unread_reads_no_segment() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await.unwrap();
    store.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
    drop(store);
    let segment = dir.path().join(&segments(dir.path())[0]);
    let kept = dir.path().with_extension("kept");
    fs::rename(&segment, &kept).unwrap();
    fs::create_dir(&segment).unwrap();
    assert_eq!(open(dir.path()).await.unwrap_err().kind(), ErrorKind::Io);

    let unread = LogStore::open_unread(dir.path(), Options::default()).await.unwrap();
    assert_eq!(unread.head("c").await.unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(unread.recover().await.unwrap_err().kind(), ErrorKind::Io);
    fs::remove_dir(&segment).unwrap();
    fs::rename(&kept, &segment).unwrap();
    // Data that could not be read is read again.
    unread.recover().await.unwrap();
    assert_eq!(unread.list(None).await.unwrap()[0].title, "hello");
}
