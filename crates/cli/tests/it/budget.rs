//! The limits of a whole run, and runs that give no answer.

use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Sandbox;

/// A manifest with an agent that calls itself, and a script in which everybody calls it.
fn own(sandbox: &Sandbox) -> (String, String) {
    let manifest = sandbox.write(
        "own.toml",
        "[agents.own]\ndescription = \"Itself.\"\nagents = [\"own\"]\nmax_steps = 1000\n",
    );
    sandbox.trust(&manifest);
    let call = |n| {
        format!(
            "<action type=\"agent\" mode=\"async\" id=\"a{n}\">{{\"name\":\"own\",\"parameters\":{{\"task\":\"again\"}}}}</action>"
        )
    };
    let answer: String = (0..4).map(call).collect();
    let script = sandbox.write("script", &vec![answer; 20_000].join("\n%%\n"));
    (manifest, format!("script:{script}"))
}

#[test]
fn recursive_agent_stops_at_run_limit() {
    let sandbox = Sandbox::new();
    let (manifest, model) = own(&sandbox);
    let args = ["run", "go", "--model", &model, "--manifest", &manifest, "--dialect", "action"];
    let run = |more: &[&str]| sandbox.silcrow(&[&args[..], &["--store", "memory"], more].concat());
    for (more, expected) in [
        (&["--max-requests", "30"][..], "the requests of the run are used up (30, with"),
        (&["--max-events", "500"], "the events of the run are used up (500, with"),
        (
            &["--max-time", "0.01", "--max-requests", "1000000"],
            "the time of the run is used up (0.6 s, with",
        ),
    ] {
        let said = run(more);
        said.ends(1);
        assert!(said.err.contains(expected), "{}", said.err);
        assert!(said.err.contains(&format!("allow more with {}", more[0])), "{}", said.err);
    }
    // The model of an agent whose request was rejected learns so.
    let said = run(&["--max-requests", "30", "--json"]);
    let failed = "the agent `own` gave no answer: the requests of the run are used up (30";
    assert!(said.ends(1).out.contains(failed), "{}", said.out);
    assert!(said.out.contains("\"code\":\"request_limit\""), "{}", said.out);
}

#[test]
fn interrupt_ends_the_whole_agent_tree() {
    let sandbox = Sandbox::new();
    let (manifest, model) = own(&sandbox);
    let args = [
        "run",
        "go",
        "--model",
        &model,
        "--manifest",
        &manifest,
        "--dialect",
        "action",
        "--json",
        "--max-requests",
        "1000000",
        "--max-steps",
        "1000",
    ];
    let mut child = sandbox.start(&args);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // A run has room for 64 agents, so the third level is reached in every order, and the fourth
    // is not.
    let deep = lines.by_ref().filter(|line| line.contains("own/own/own")).take(50).count();
    assert_eq!(deep, 50);
    let begun = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest = lines.count();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // A run that waited for one of its agents would wait five seconds.
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}, {rest} lines", begun.elapsed());
}

#[test]
fn run_without_answer_fails_with_an_explanation() {
    let sandbox = Sandbox::new();
    for (dialect, silent, seen) in [
        ("sigil", "§end", "held nothing but its end"),
        ("sigil", "§think: hm", "held thoughts and nothing else"),
        ("phase", "<think>hm</think>", "held thoughts and nothing else"),
        ("action", "<thought>hm</thought>", "held thoughts and nothing else"),
    ] {
        let script = sandbox.write("script", &[silent; 3].join("\n%%\n"));
        let model = format!("script:{script}");
        let args = ["run", "go", "--model", &model, "--dialect", dialect, "--store", "memory"];
        let said = sandbox.silcrow(&args);
        let expected = format!("the model gave no answer: what it wrote last {seen}");
        assert!(said.ends(1).err.contains(&expected), "{}", said.err);
        let said = sandbox.silcrow(&[&args[..], &["--json"]].concat());
        let errors: Vec<_> = said
            .ends(1)
            .events()
            .into_iter()
            .filter(|event| event["type"] == "error" && event["code"] == "no_answer")
            .collect();
        assert_eq!(errors.len(), 3, "{}", said.out);
        assert!(errors[0]["at"].is_number() && errors[2]["at"].is_null(), "{errors:?}");
    }
}
