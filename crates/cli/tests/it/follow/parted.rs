//! The state that remains when the run or the follower is killed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{Follower, begin};
use crate::follow::model::Model;
use crate::support::Sandbox;

/// The permissions of a file, as `chmod` takes them.
fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_killed_run_ends_the_follower_with_a_word_and_leaves_nothing_in_the_way() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let share = sandbox.path("data/silcrow/share");
    let socket = share.join("socket");
    for round in 0..2 {
        let (mut run, mut answering) = begin(&sandbox, &model);
        assert_eq!((mode(&share), mode(&socket)), (0o700, 0o600));
        let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
        answering.send_text("§think: one\n§think: two\n");
        let lines = follower.lines(2 + 4 * round);
        run.kill().unwrap();
        run.wait().unwrap();
        let (out, err, code) = follower.ends();
        assert_eq!((&*out, code), ("", Some(1)));
        assert!(err.contains("ended without a word"), "{err}");
        // All that it was shown is stored, and the socket that nobody listens at is no lock.
        assert!(socket.exists());
        assert!(sandbox.silcrow(&["log", "c1"]).ends(0).out.starts_with(&lines));
        // Another run takes its place; before the next round it is answered for.
        let (mut run, mut answering) = begin(&sandbox, &model);
        answering.send_text("§respond: x\n§end");
        answering.end();
        run.wait().unwrap();
        assert!(!socket.exists());
    }
}

#[test]
fn a_killed_follower_is_no_concern_of_the_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    follower.line();
    follower.child.kill().unwrap();
    follower.child.wait().unwrap();
    answering.send_text("§think: one\n§think: two\n§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
}

/// A socket's own path must fit 108 bytes.
#[test]
fn a_store_far_down_is_shared_too() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let deep = sandbox.path(&["d".repeat(60), "e".repeat(60), "f".repeat(60)].join("/"));
    let store = deep.to_str().unwrap();
    let name = model.name();
    let args = ["run", "go", "--model", &name, "--conversation", "c1", "--store", store];
    let mut run = sandbox.command(&args).stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut answering = model.asked();
    let args = ["log", "c1", "--follow", "--store", store];
    let mut follower = Follower::start(&sandbox, &args);
    assert!(follower.line().contains("\"go\""));
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert!(follower.line().contains("\"x\""));
    assert!(run.wait().unwrap().success());
    assert_eq!(follower.stop().2, Some(130));
}

/// Somebody opened the folder to others; what is shared stays the owner's.
#[test]
fn a_folder_that_others_may_enter_shares_nothing_with_them() {
    let sandbox = Sandbox::new();
    let share = sandbox.path("data/silcrow/share");
    let script = sandbox.write("script", "§respond: a\n§end");
    let name = format!("script:{script}");
    sandbox.silcrow(&["run", "x", "--model", &name]).ends(0);
    std::fs::set_permissions(&share, std::fs::Permissions::from_mode(0o777)).unwrap();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    assert_eq!((mode(&share), mode(&share.join("socket"))), (0o700, 0o600));
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
}
