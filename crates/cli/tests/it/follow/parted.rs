//! The state that remains when the run or the follower is killed.

use super::{Follower, begin};
use crate::follow::model::Model;
use crate::support::Sandbox;

/// The entries of the killed run are there, and the follower continues with the next run.
#[test]
fn killed_run_does_not_block_followers() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    answering.send_text("§think: one\n§think: two\n");
    let lines = follower.lines(2);
    run.kill().unwrap();
    run.wait().unwrap();
    let (mut run, mut answering) = begin(&sandbox, &model);
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
    let all = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).out.clone();
    assert_eq!(lines.clone() + &follower.lines(all.lines().count() - 2), all);
    assert_eq!(follower.stop().2, Some(130));
}

#[test]
fn killed_follower_does_not_affect_the_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    follower.line();
    follower.child.kill().unwrap();
    follower.child.wait().unwrap();
    answering.send_text("§think: one\n§think: two\n§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
}
