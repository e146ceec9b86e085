//! Sockets that programs outside make while a command runs.

use std::os::unix::net::UnixListener;

use silcrow_sandbox::SandboxLevel;

use super::{Place, text};

#[tokio::test]
async fn unguarded_new_socket_is_named() {
    let place = Place::new();
    let socket = place.folder.path().join("new socket");
    // The command tells that it runs by a file, and waits for the socket.
    let begun = place.folder.path().join("begun");
    let listener = std::thread::spawn({
        let socket = socket.clone();
        move || {
            while !begun.exists() {
                std::thread::yield_now();
            }
            UnixListener::bind(socket).unwrap()
        }
    });
    let output = place.run("touch begun; until test -S 'new socket'; do :; done; echo done").await;
    let _listener = listener.join().unwrap();
    assert_eq!(text(&output), "done\n");
    let level = place.shell.sandbox().level();
    let is_open = level == SandboxLevel::FilesAndNetwork && level.reaches_new_sockets();
    let notice = output.notices.iter().any(|notice| {
        notice.starts_with("while the command ran, other programs made local sockets")
            && notice.contains("new socket")
    });
    assert_eq!(notice, is_open, "{output:?}");
    assert_eq!(output.summary.contains("; could reach new sockets"), is_open, "{output:?}");
    // It is covered now.
    let next = place.run("echo next").await;
    assert_eq!(next.notices, ["exit status 0"]);
}
