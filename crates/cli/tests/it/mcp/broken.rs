//! Servers that die, freeze and garble in the middle of calls: the call fails, the run continues, and
//! nothing is left.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{ALLOW, declare, has_ended, results, run, script};
use crate::support::Sandbox;

const UNKNOWN: &str = "the outcome of this call is unknown";

#[test]
fn dying_server_fails_only_that_call() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let calls = [("test.spawn", "{}"), ("test.die", "{}"), ("test.echo", r#"{"text":"again"}"#)];
    let said = results(&run(&sandbox, &calls, &ALLOW));
    assert!(said[1].contains("ended before it answered (exit status: 9)"), "{said:?}");
    assert!(said[1].contains(UNKNOWN), "{said:?}");
    assert_eq!(said[2], "again");
    assert!(has_ended(&said[0]));
}

#[test]
fn frozen_and_garbled_servers_time_out_and_end() {
    for tool in ["test.freeze", "test.garble"] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &["lives"], "timeout = 1\n");
        let begun = Instant::now();
        let said = run(&sandbox, &[("test.spawn", "{}"), (tool, "{}")], &ALLOW);
        let said = results(&said);
        assert!(said[1].contains("did not answer in 1 s"), "{said:?}");
        assert!(said[1].contains(UNKNOWN), "{said:?}");
        // The pid belongs to a process that the server has left behind.
        assert!(has_ended(&said[0]), "{tool}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{tool}");
    }
}

#[test]
fn silent_servers_delay_runs_only_briefly() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &["deaf", "lives"], "");
    let begun = Instant::now();
    let model = script(&sandbox, &[]);
    let said = sandbox.silcrow(&["run", "go", "--model", &model]);
    assert!(said.ends(0).err.contains("it still starts"), "{}", said.err);
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn stopped_or_killed_run_leaves_no_server() {
    for signal in ["-INT", "-KILL"] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &["lives"], "");
        let notes = sandbox.path("notes");
        let args = format!("{{\"file\":{:?}}}", notes.to_str().unwrap());
        let model = script(&sandbox, &[("test.spawn", "{}"), ("test.slow", &args)]);
        let flags = ["run", "go", "--json", "--model", &model, "--allow", "test.*"];
        let mut command = sandbox.command(&flags);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while !notes.exists() && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = child.id().to_string();
        assert!(
            std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success()
        );
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let spawned = out.lines().find(|line| line.contains("\"result\"")).unwrap();
        let event: serde_json::Value = serde_json::from_str(spawned).unwrap();
        let left = event["content"].as_str().unwrap();
        assert!(has_ended(left), "{signal}");
    }
}
