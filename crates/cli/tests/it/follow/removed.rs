//! A conversation or a store that is removed or replaced while it is followed.

use rustix::process::{Pid, Signal, kill_process};

use super::{Follower, begin, converse};
use crate::follow::model::Model;
use crate::support::Sandbox;

#[test]
fn follower_reports_a_removed_conversation() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    follower.lines(2);
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]).ends(0);
    let (out, err, code) = follower.ends();
    assert_eq!((&*out, code), ("", Some(1)));
    assert!(err.contains("was removed meanwhile"), "{err}");
}

/// While the follower sleeps the conversation restarts, and grows longer than it was.
#[test]
fn follower_does_not_confuse_reused_names() {
    for while_a_run_goes_on in [false, true] {
        let sandbox = Sandbox::new();
        converse(&sandbox);
        let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
        follower.lines(2);
        follower.waits();
        let id = Pid::from_child(&follower.child);
        kill_process(id, Signal::STOP).unwrap();
        sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]).ends(0);
        let model = Model::new();
        let run = while_a_run_goes_on.then(|| {
            let (run, mut answering) = begin(&sandbox, &model);
            answering.send_text("§think: one\n§think: two\n§think: three\n");
            while sandbox.silcrow(&["log", "--json", "c1"]).out.lines().count() < 3 {}
            (run, answering)
        });
        if run.is_none() {
            converse(&sandbox);
            converse(&sandbox);
        }
        kill_process(id, Signal::CONT).unwrap();
        assert_eq!(follower.line(), "", "{while_a_run_goes_on}");
        let (out, err, code) = follower.ends();
        assert_eq!((&*out, code), ("", Some(1)), "{while_a_run_goes_on}");
        assert!(err.contains("was removed meanwhile"), "{err}");
        if let Some((mut run, mut answering)) = run {
            answering.send_text("§respond: x\n§end");
            answering.end();
            assert!(run.wait().unwrap().success());
        }
    }
}

#[test]
fn follower_creates_no_store() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    follower.lines(2);
    let store = sandbox.path("data/silcrow");
    std::fs::rename(&store, sandbox.path("moved")).unwrap();
    let (_, err, code) = follower.ends();
    assert_eq!(code, Some(1));
    assert!(err.contains("was removed meanwhile"), "{err}");
    assert!(!store.exists());
}

/// Another store in the place of the followed one is not mistaken for it.
#[test]
fn follower_reports_a_replaced_store() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    follower.lines(2);
    follower.waits();
    std::fs::remove_dir_all(sandbox.path("data/silcrow")).unwrap();
    converse(&sandbox);
    let (out, err, code) = follower.ends();
    assert_eq!((&*out, code), ("", Some(1)));
    assert!(err.contains("was removed meanwhile"), "{err}");
}

#[test]
fn follow_is_for_one_conversation_of_a_store() {
    let sandbox = Sandbox::new();
    assert!(
        sandbox
            .silcrow(&["log", "--json", "c1", "--follow"])
            .ends(2)
            .err
            .contains("no store found")
    );
    sandbox.silcrow(&["log", "--json", "--follow"]).ends(2);
    sandbox.silcrow(&["log", "--json", "list", "--follow"]).ends(2);
}
