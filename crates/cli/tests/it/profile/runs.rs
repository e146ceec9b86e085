//! The facts about the person that the model of a run reads, and the learning afterwards.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::{facts, profile};
use crate::follow::model::Model;
use crate::support::{CommandOutput, Sandbox, command_output, file};

/// Returns a model that answers a prompt, and then a request for facts.
fn model(sandbox: &Sandbox, noted: &str) -> String {
    let text = format!("§respond: hello\n§end\n%%\n{noted}\n%%\n§respond: never\n§end");
    format!("script:{}", sandbox.write("script", &text))
}

fn run(sandbox: &Sandbox, model: &str, flags: &[&str]) -> CommandOutput {
    let said = sandbox.silcrow(&[&["run", "I am Ann.", "--model", model], flags].concat());
    assert_eq!(said.ends(0).out, "hello\n");
    said
}

/// Makes five messages, one less than a request for facts needs.
fn five(sandbox: &Sandbox, model: &str) {
    for _ in 0..5 {
        run(sandbox, model, &[]);
    }
}

const NOTED: &str = r#"{"add": ["The person is called Ann."]}"#;

#[test]
fn learning_is_off_by_default() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, NOTED);
    five(&sandbox, &model);
    run(&sandbox, &model, &[]);
    assert!(facts(&sandbox, &[]).is_empty());

    let config = "config/silcrow/config.toml";
    sandbox.write(config, "learn_profile = true\n");
    run(&sandbox, &model, &["--no-learn-profile"]);
    run(&sandbox, &model, &["--learn-profile", "--no-learn-profile"]);
    assert!(facts(&sandbox, &[]).is_empty());
    run(&sandbox, &model, &[]);
    assert_eq!(facts(&sandbox, &[]), ["The person is called Ann."]);

    sandbox.write(config, "learn_profile = \"yes\"\n");
    assert!(sandbox.silcrow(&["run", "hi"]).ends(2).err.contains("write true or false"));
}

#[test]
fn project_cannot_enable_learning() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    sandbox.write("root/.silcrow/config.toml", "learn_profile = true\n");
    let said = sandbox.silcrow(&["run", "hi"]);
    assert!(said.ends(2).err.contains("the person decides what is noted of them"), "{}", said.err);
}

#[test]
fn profile_learns_from_the_sixth_message() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, NOTED);
    for _ in 0..5 {
        run(&sandbox, &model, &["--learn-profile"]);
        assert!(facts(&sandbox, &[]).is_empty());
    }
    run(&sandbox, &model, &["--learn-profile"]);
    let shown = profile(&sandbox, &[]).ends(0).out.clone();
    assert!(shown.starts_with(" 1  The person is called Ann.\n    by a model, from event 1 of c"));

    let recorded = sandbox.path("recorded");
    for (flag, is_told) in [("--learn-profile", true), ("--no-learn-profile", false)] {
        let args = ["run", "Who am I?", "--model", &model, flag];
        let mut command = sandbox.command(&args);
        command.env("SILCROW_RECORD", &recorded).stdin(Stdio::null());
        command_output(command.output().unwrap()).ends(0);
        let requests = file(&recorded);
        assert_eq!(requests.matches("What is known of the person").count(), usize::from(is_told));
        std::fs::remove_file(&recorded).unwrap();
    }
}

#[test]
fn profile_can_be_learned_on_demand() {
    let sandbox = Sandbox::new();
    let script = |text: &str| format!("script:{}", sandbox.write("noted", text));
    let learn = |text: &str| profile(&sandbox, &["learn", "--model", &script(text)]);
    assert_eq!(learn(NOTED).ends(0).out, "you have said nothing new\n");
    run(&sandbox, &model(&sandbox, NOTED), &[]);
    assert!(profile(&sandbox, &["learn"]).ends(2).err.contains("the rehearsal model"));
    assert!(learn("I will not.").ends(1).err.contains("try again"));
    assert_eq!(learn(NOTED).ends(0).out, "learned from 1 message: 1 fact added\n");
    assert_eq!(learn(NOTED).ends(0).out, "you have said nothing new\n");
    run(&sandbox, &model(&sandbox, NOTED), &[]);
    assert!(learn("I will not.").ends(1).err.contains("try again"));
    assert!(learn("I will not.").ends(1).err.contains("are left out"));
    assert_eq!(learn(NOTED).ends(0).out, "you have said nothing new\n");
}

#[test]
fn failing_learner_does_not_fail_the_run() {
    let sandbox = Sandbox::new();
    let script = format!("script:{}", sandbox.write("one", "§respond: hello\n§end"));
    five(&sandbox, &script);
    let said = run(&sandbox, &script, &["--learn-profile"]);
    assert!(said.err.contains("your profile was not learned"), "{}", said.err);
    // Nothing is lost, and nothing blocks the next attempt.
    run(&sandbox, &model(&sandbox, NOTED), &["--learn-profile"]);
    assert_eq!(facts(&sandbox, &[]), ["The person is called Ann."]);
}

#[test]
fn ctrl_c_skips_learning_after_the_answer() {
    let sandbox = Sandbox::new();
    five(&sandbox, &model(&sandbox, NOTED));
    let server = Model::new();
    let name = server.name();
    let args = ["run", "I am Ann.", "--model", &name, "--learn-profile", "--mode", "replay"];
    let run = sandbox.start(&args);
    let mut answering = server.asked();
    answering.send_text("§respond: hello\n§end");
    answering.end();
    // The request for facts, which is not answered.
    let learning = server.asked();
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let said = command_output(run.wait_with_output().unwrap());
    assert_eq!(said.ends(0).out, "hello\n");
    drop(learning);
}
