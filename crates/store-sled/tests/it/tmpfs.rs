//! A disk that is really full: a small file system of its own.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};

use crate::process::{command, say, store};

/// With the room of the reserve it opens to be read, as often as one likes.
#[test]
fn a_full_disk_can_be_read_and_goes_on_once_there_is_room() {
    for size in [100, 900, 20_000] {
        within(size, "tmpfs::fill");
    }
}

#[test]
fn a_full_disk_takes_no_new_store_and_does_once_there_is_room() {
    within(0, "tmpfs::make");
}

#[test]
fn a_compaction_that_finds_no_room_says_so_and_leaves_none_of_it_behind() {
    within(0, "tmpfs::compact");
}

/// With part of the reserve there and no room for the rest, what room there is stays free.
#[test]
fn a_reserve_takes_nothing_where_it_cannot_have_all() {
    within(0, "tmpfs::part");
}

/// Runs `test` in a process that sees a file system of 8 MiB at the store's place.
fn within(size: usize, test: &str) {
    if std::env::var_os(WITHOUT).is_some() {
        let said = format!("not tried: {WITHOUT} is set\n");
        std::io::stderr().write_all(said.as_bytes()).unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let child = command(test, dir.path());
    let mut shell = Command::new("unshare");
    let mount = "mount -t tmpfs -o size=8m none \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(dir.path());
    shell.arg(child.get_program()).args(child.get_args()).env(SIZE, size.to_string());
    for (name, value) in child.get_envs() {
        shell.env(name, value.unwrap());
    }
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains(DONE),
        "{told}{}\nwhere no file system can be made, {WITHOUT}=1 leaves this out",
        String::from_utf8_lossy(&output.stderr),
    );
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn fill() {
    let dir = store().join("store");
    let size = std::env::var(SIZE).unwrap().parse().unwrap();
    let said = |position: u64| Event::user(format!("{position} ").repeat(size)[..size].to_owned());
    let open = async || SledStore::open(&dir, Options::default()).await;
    let ballast = store().join("ballast");
    fs::write(&ballast, vec![1; 2 << 20]).unwrap();

    let first = open().await.unwrap();
    let mut head = 0;
    let error = loop {
        match first.append("c", head, vec![said(head + 1).into()]).await {
            Ok(next) => head = next,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(error.to_string().contains("nothing of this was acknowledged"), "{error}");
    assert_eq!(first.head("c").await.unwrap(), head);
    assert_eq!(first.read("c", 1..=10).await.unwrap().len(), 10);
    drop(first);
    crowd(&store());

    // There may be room within its files.
    let (mut writes, mut refused) = (0, 0);
    for round in 0..6 {
        let opened = open().await.unwrap_or_else(|error| panic!("round {round}: {error}"));
        let entries = opened.read("c", 1..=u64::MAX).await.unwrap();
        // The append that failed may be there, whole.
        assert!((head..=head + 1).contains(&(entries.len() as u64)), "{}", entries.len());
        assert!(entries.iter().zip(1..).all(|(entry, position)| entry.event == said(position)));
        assert!(opened.verify().await.unwrap().damage.is_empty());
        match opened.append("d", writes, vec![said(1).into()]).await {
            Ok(_) => writes += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Io);
                refused += usize::from(error.to_string().contains("more: the disk is full"));
            }
        }
        drop(opened);
        crowd(&store());
    }

    assert!(refused > 0, "{writes} of 6 writes were taken");

    // Without the reserve it is said what to do.
    fs::remove_file(dir.join("RESERVE")).unwrap();
    crowd(&store());
    if let Err(error) = open().await {
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("is full, so that it cannot be opened"), "{error}");
    }

    fs::remove_file(&ballast).unwrap();
    fs::remove_dir_all(store().join("others")).unwrap();
    let opened = open().await.unwrap();
    let head = opened.head("c").await.unwrap();
    opened.append("c", head, vec![said(head + 1).into()]).await.unwrap();
    assert!(opened.verify().await.unwrap().damage.is_empty());
    assert_eq!(fs::metadata(dir.join("RESERVE")).unwrap().len(), 2 << 20, "it is made again");
    say(DONE);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn make() {
    let dir = store().join("store");
    crowd(&store());
    let error = SledStore::open(&dir, Options::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    fs::remove_dir_all(store().join("others")).unwrap();
    let opened = SledStore::open(&dir, Options::default()).await.unwrap();
    opened.append("c", 0, vec![Event::user("x").into()]).await.unwrap();
    say(DONE);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn compact() {
    let dir = store().join("store");
    let opened = SledStore::open(&dir, Options::default()).await.unwrap();
    for position in 0..200 {
        opened.append("c", position, vec![Event::user("x".repeat(9_000)).into()]).await.unwrap();
    }
    drop(opened);
    for room in [0, 64 << 10, 512 << 10, 1 << 20] {
        crowd_but(&store(), room);
        let error = SledStore::compact(&dir).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{room}: {error}");
        assert!(error.to_string().contains("is full, so that it cannot be compacted"), "{error}");
        assert!(!dir.join("data.new").exists(), "{room}");
        let opened = SledStore::open(&dir, Options::default()).await.unwrap();
        assert_eq!(opened.read("c", 1..=300).await.unwrap().len(), 200, "{room}");
        drop(opened);
        fs::remove_dir_all(store().join("others")).unwrap();
    }
    say(DONE);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn part() {
    let dir = store().join("store");
    drop(SledStore::open(&dir, Options::default()).await.unwrap());
    let reserve = dir.join("RESERVE");
    for part in [0, 1 << 20] {
        fs::File::options().write(true).open(&reserve).unwrap().set_len(part).unwrap();
        crowd_but(&store(), 900 << 10);
        let opened = SledStore::open(&dir, Options::default()).await.unwrap();
        let there = fs::metadata(&reserve).map_or(0, |reserve| reserve.len());
        assert_eq!(there, part);
        opened.append(&format!("c{part}"), 0, vec![Event::user("x").into()]).await.unwrap();
        drop(opened);
        fs::remove_dir_all(store().join("others")).unwrap();
        drop(SledStore::open(&dir, Options::default()).await.unwrap());
        assert_eq!(fs::metadata(&reserve).unwrap().len(), 2 << 20);
    }
    say(DONE);
}

/// Others take what room is left.
fn crowd(dir: &Path) {
    crowd_but(dir, 0);
}

/// Others take all room but so many bytes.
fn crowd_but(dir: &Path, room: u64) {
    let others = dir.join("others");
    fs::create_dir_all(&others).unwrap();
    let number = fs::read_dir(&others).unwrap().count();
    let mut file = fs::File::create(others.join(number.to_string())).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    let all = file.metadata().unwrap().len();
    file.set_len(all.saturating_sub(room)).unwrap();
}

const SIZE: &str = "SILCROW_TEST_SIZE";
const DONE: &str = "all of it was tried";

/// Set where no file system can be made, such as in some containers.
const WITHOUT: &str = "SILCROW_WITHOUT_TMPFS";
