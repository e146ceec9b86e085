use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use crate::{Place, content, why};

/// A place with a pipe without a writer, a socket, and a device if we may make one.
fn place() -> (Place, UnixListener, bool) {
    let place = Place::new();
    place.put("folder/a.txt", "text");
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, place.path().join("pipe"), FileType::Fifo, mode, 0).unwrap();
    let socket = UnixListener::bind(place.path().join("socket")).unwrap();
    // Of /dev/zero, which would never end.
    let device = makedev(1, 5);
    let device =
        mknodat(CWD, place.path().join("device"), FileType::CharacterDevice, mode, device).is_ok();
    (place, socket, device)
}

#[tokio::test]
async fn only_regular_files_are_read_and_nothing_hangs() {
    let (place, _socket, device) = place();
    let began = Instant::now();
    assert_eq!(why(place.read("pipe").await), "`pipe` is a named pipe, not a regular file");
    assert_eq!(
        why(place.read("socket").await),
        "`socket` is a socket or a device that cannot be opened"
    );
    assert_eq!(
        why(place.read("folder").await),
        "`folder` is a folder, not a regular file; file_list shows what is in it"
    );
    assert_eq!(why(place.list("pipe").await), "`pipe` is a named pipe, not a folder");
    assert_eq!(why(place.search("x", "pipe").await), "`pipe` is a named pipe, not a regular file");
    if device {
        // A machine may forbid devices here altogether.
        let why = why(place.read("device").await);
        let denied = "`device` may not be touched: the system denies it";
        assert!(why == "`device` is a device, not a regular file" || why == denied, "{why}");
    }
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_search_walks_past_them() {
    let (place, _socket, _) = place();
    let began = Instant::now();
    assert_eq!(content(place.search("text", ".").await), "folder/a.txt:1: text");
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn none_of_them_is_replaced() {
    let (place, _socket, device) = place();
    let listed = content(place.list(".").await);
    let device = device.then_some(("device", "a device"));
    let others = [("pipe", "a named pipe"), ("socket", "a socket"), ("folder", "a folder")];
    for (name, kind) in others.into_iter().chain(device) {
        let why = why(place.write(name, "x").await);
        assert!(why.contains(kind) && why.contains("not a regular file"), "{why}");
    }
    assert_eq!(content(place.list(".").await), listed);
}

#[tokio::test]
async fn a_list_names_them() {
    let (place, _socket, device) = place();
    let listed = content(place.list(".").await);
    let device = if device { "device  (a device)\n" } else { "" };
    let expected = format!("{device}folder/\npipe  (a named pipe)\nsocket  (a socket)");
    assert_eq!(listed, expected);
}
