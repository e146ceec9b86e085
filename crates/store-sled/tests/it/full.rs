//! A disk that takes no more.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledDurability, SledStore};

use crate::process::{command, said, say, store};

#[cfg(target_os = "linux")]
#[tokio::test]
async fn after_a_failed_write_nothing_is_written_and_reads_go_on() {
    let mut read = 0;
    // Of other sizes, so that the disk fails at other moments.
    for size in [100, 130, 170, 400, 900, 20_000] {
        read += usize::from(fails_at_some_moment(size).await);
    }
    // Where the disk failed while sled divided a page, that page is not read before it is whole
    // again.
    assert!(read >= 3, "only {read} of 6 stores could be read after a failed write");
}

/// Under a limit on the size of files, which the kernel enforces as it does a full disk. Whether
/// the process could still read all that was acknowledged.
async fn fails_at_some_moment(size: usize) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let child = command("full::fill", dir.path());
    // In blocks of 512 bytes: 1.28 MB. The signal is ignored so that the write fails instead.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 2500; exec \"$0\" \"$@\""]);
    shell.arg(child.get_program()).args(child.get_args()).env(SIZE, size.to_string());
    for (name, value) in child.get_envs() {
        shell.env(name, value.unwrap());
    }
    let mut child = shell.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told: Vec<_> = lines.filter_map(|line| said(&line).map(str::to_owned)).collect();
    assert!(child.wait().unwrap().success(), "size {size}: {told:?}");
    let told = told.last().expect("it told how far it came");
    let (acknowledged, read) = told.split_once(' ').unwrap();
    let acknowledged: u64 = acknowledged.parse().unwrap();
    assert!(acknowledged > 10, "size {size}: {told}");

    let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    assert!(entries.len() as u64 >= acknowledged);
    for (entry, position) in entries.iter().zip(1..) {
        assert_eq!(entry.event, Event::user(content(size, position)));
    }
    let head = entries.len() as u64;
    store.append("c", head, vec![Event::user("room again").into()]).await.unwrap();
    read == "read"
}

/// The other process: appends until the disk is full.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn fill() {
    let size = std::env::var(SIZE).unwrap().parse().unwrap();
    let options = Options { durability: SledDurability::Process };
    let store = SledStore::open(store(), options).await.unwrap();
    let mut head = 0;
    let error = loop {
        match store.append("c", head, vec![Event::user(content(size, head + 1)).into()]).await {
            Ok(next) => head = next,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(error.to_string().contains("nothing of this was acknowledged"), "{error}");
    for batch in [vec![], vec![Event::user("more").into()]] {
        let error = store.append("d", 0, batch).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("takes nothing more"), "{error}");
    }
    assert!(store.put("s", "k", 0, vec![1]).await.is_err());
    // Readers go on, and see what was acknowledged.
    assert_eq!(store.head("c").await.unwrap(), head);
    assert_eq!(store.list(None).await.unwrap()[0].events, head);
    assert_eq!(store.read("c", 1..=10).await.unwrap().len(), 10);
    let read = match store.read("c", 1..=u64::MAX).await {
        Ok(entries) => {
            assert_eq!(entries.len() as u64, head);
            "read"
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            "unread"
        }
    };
    drop(store);
    say(&format!("{head} {read}"));
}

fn content(size: usize, position: u64) -> String {
    format!("{position} ").chars().cycle().take(size).collect()
}

const SIZE: &str = "SILCROW_TEST_SIZE";
