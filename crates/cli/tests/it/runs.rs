//! Whole runs: a script that works on files, a conversation that continues, the rehearsal model.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Sandbox, file};

fn call(name: &str, args: &str) -> String {
    format!("§call: {{\"name\": \"{name}\", \"args\": {args}}}\n")
}

#[test]
fn script_uses_files_and_resumes_in_new_process() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    let script = [
        format!("§think: look\n{}§execute", call("file_list", "{\"path\": \".\"}")),
        format!(
            "{}{}§execute",
            call("file_read", "{\"file\": \"a.txt\"}"),
            call("file_search", "{\"query\": \"alpha\"}"),
        ),
        format!(
            "{}§execute",
            call("file_write", "{\"file\": \"sub/b.txt\", \"content\": \"§end\\n\"}")
        ),
        "§respond: Written.\n§end".to_owned(),
    ];
    let script = sandbox.write("script", &script.join("\n%%\n"));
    let model = format!("script:{script}");
    let args =
        ["run", "copy it", "--model", &model, "--json", "--new", "work", "--allow", "file_write"];
    let said = sandbox.silcrow(&args);
    said.ends(0);
    assert_eq!(
        said.types(),
        [
            "user", "think", "call", "execute", "result", "metric", "call", "call", "execute",
            "result", "result", "metric", "call", "execute", "changes", "result", "metric",
            "respond", "metric", "end", "done",
        ]
    );
    let of_type = |name: &str| -> Vec<Value> {
        said.events().into_iter().filter(|event| event["type"] == name).collect()
    };
    let (mut results, starts) = (of_type("result"), of_type("started"));
    // Each result is stored when its call ends.
    results.sort_by_key(|result| (result["turn"].as_u64(), result["id"].to_string()));
    assert_eq!(starts.len(), results.len());
    assert!(starts.iter().all(|start| start["attempt"] == 1 && start["turn"].is_u64()));
    assert!(results[0]["content"].as_str().unwrap().contains("a.txt"));
    assert!(results[1]["content"].as_str().unwrap().contains("alpha"));
    assert!(results[2]["content"].as_str().unwrap().contains("a.txt:1: alpha"));
    assert!(results.iter().all(|result| result["payload"]["status"] == "success"), "{results:?}");
    assert_eq!(file(&sandbox.root().join("sub/b.txt")), "§end\n");

    // Another process, the same store.
    let second = sandbox.write(
        "second",
        &format!(
            "{}§execute\n%%\n§respond: It says §§end.\n§end",
            call("file_read", "{\"file\": \"sub/b.txt\"}")
        ),
    );
    let model = format!("script:{second}");
    let said = sandbox.silcrow(&[
        "run",
        "and now?",
        "--model",
        &model,
        "--json",
        "--conversation",
        "work",
    ]);
    assert!(said.ends(0).types().ends_with(&["end".to_owned(), "done".to_owned()]));
    let first = &said.events()[0];
    assert_eq!(first["conversation"], "work");
    assert_eq!((&first["turn"], &first["seq"]), (&5.into(), &12.into()));
    let log = sandbox.silcrow(&["log", "--json", "work"]);
    let seqs: Vec<_> = log.events().iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=15).collect::<Vec<_>>());
    // The history consists of the messages that a model would get.
    let messages = sandbox.silcrow_with(&["assemble"], log.out.as_bytes());
    let messages: Vec<Value> = serde_json::from_str(&messages.ends(0).out).unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant"].repeat(6));
}

#[test]
fn tokens_and_events_say_the_same() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§think: a b c\n§respond: d e f\n§end");
    let model = format!("script:{script}");
    let run = |stream| {
        sandbox.silcrow(&[
            "run", "go", "--model", &model, "--json", "--store", "memory", "--stream", stream,
        ])
    };
    let join = |events: Vec<Value>| {
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut part = Value::Null;
        for event in events {
            let (kind, content) = (event["type"].as_str().unwrap(), event["content"].as_str());
            if !["think", "respond"].contains(&kind) {
                continue;
            }
            match texts.last_mut() {
                Some((_, text)) if part == event["part"] && !part.is_null() => {
                    text.push_str(content.unwrap())
                }
                _ => texts.push((kind.to_owned(), content.unwrap().to_owned())),
            }
            part = event["part"].clone();
        }
        texts
    };
    let expected =
        [("think".to_owned(), "a b c".to_owned()), ("respond".to_owned(), "d e f".to_owned())];
    for stream in ["token", "event", "none"] {
        let said = run(stream);
        assert_eq!(join(said.ends(0).events()), expected, "{stream}");
        assert_eq!(said.types().iter().filter(|kind| *kind == "end").count(), 1);
        assert!(said.types().ends_with(&["end".to_owned(), "done".to_owned()]));
    }
}

#[test]
fn writing_needs_a_yes() {
    let sandbox = Sandbox::new();
    let write = call("file_write", "{\"file\": \"b.txt\", \"content\": \"x\"}");
    let script = sandbox.write("script", &format!("{write}§execute\n%%\n§respond: refused\n§end"));
    let model = format!("script:{script}");
    let said = sandbox.silcrow(&["run", "write", "--model", &model, "--json", "--store", "memory"]);
    let result = said.ends(0).events().into_iter().find(|event| event["type"] == "result").unwrap();
    assert_eq!(result["payload"]["status"], "failure");
    assert!(result["content"].as_str().unwrap().contains("--allow file_write"), "{result}");
    assert!(!sandbox.root().join("b.txt").exists());
}

#[test]
fn rehearsal_model_changes_the_real_folder() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("README.md"), "# Potatoes\n\nHow to grow them.\n").unwrap();
    std::fs::write(sandbox.root().join("field.txt"), "x").unwrap();
    let said = sandbox.silcrow(&["run", "What is in this directory?", "--rate", "100000"]);
    said.ends(0);
    for word in ["README.md", "field.txt", "Potatoes"] {
        assert!(said.out.contains(word), "{word}: {}", said.out);
    }
    assert!(said.err.contains("rehearsal") && said.err.contains("--model"), "{}", said.err);
    assert!(said.err.contains("file_list"), "{}", said.err);
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'), "no colours in a pipe");
    let listed = sandbox.silcrow(&["log", "--json"]);
    assert_eq!(listed.ends(0).events().len(), 1);
}

#[test]
fn interrupt_leaves_a_valid_history() {
    let sandbox = Sandbox::new();
    let args = [
        "run",
        "What is in this directory?",
        "--rate",
        "20",
        "--json",
        "--stream",
        "token",
        "--new",
        "c",
    ];
    let mut child = sandbox.start(&args);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The person's words are stored, the model has begun.
    let begun = lines.by_ref().map(Result::unwrap).find(|line| line.contains("\"think\""));
    assert!(begun.is_some());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<Value> =
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let types: Vec<_> = rest.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert!(types.ends_with(&["interrupt", "cancelled", "done"]), "{types:?}");
    let log = sandbox.silcrow(&["log", "--json", "c"]);
    assert_eq!(log.ends(0).types().last().unwrap(), "cancelled");
    sandbox.silcrow(&["run", "hello", "--rate", "100000", "--conversation", "c"]).ends(0);
}

#[test]
fn second_ctrl_c_ends_a_blocked_run() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", &format!("§respond: {}\n§end", "word ".repeat(1 << 16)));
    let model = format!("script:{script}");
    // Nobody reads the answer: the run stands once the pipe is full.
    let (_unread, pipe) = std::io::pipe().unwrap();
    let mut child = sandbox
        .command(&["run", "go", "--model", &model])
        .stdin(Stdio::null())
        .stdout(pipe.try_clone().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    let start = Instant::now();
    let patience = |what: &str| assert!(start.elapsed() < Duration::from_secs(30), "{what}");
    while poll(&mut [PollFd::new(&pipe, PollFlags::OUT)], Some(&Timespec::default())).unwrap() > 0 {
        patience("the pipe is never full");
        std::thread::yield_now();
    }
    // Two that come too fast for the process to tell them apart are one.
    let mut signals = 0;
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        patience("the run never ends");
        kill_process(pid, Signal::INT).unwrap();
        signals += 1;
        std::thread::yield_now();
    };
    assert_eq!(ended.code(), Some(130));
    assert!(signals >= 2, "the first alone lets the run end in order");
}

#[test]
fn piped_prompt_may_be_long() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: read\n§end");
    let model = format!("script:{script}");
    let long = "word ".repeat(1 << 18);
    let said =
        sandbox.silcrow_with(&["run", "-", "--model", &model, "--new", "c"], long.as_bytes());
    assert_eq!(said.ends(0).out.trim(), "read");
    let log = sandbox.silcrow(&["log", "--json", "c"]);
    assert_eq!(log.events()[0]["content"].as_str().unwrap().len(), long.len());
}

#[test]
fn resume_mode_needs_a_model_with_sessions() {
    let sandbox = Sandbox::new();
    let script = sandbox.write(
        "script",
        "§call: {\"name\": \"file_list\", \"args\": {}}\n§execute\n%%\n§respond: done\n§end",
    );
    let model = format!("script:{script}");
    let run = |model: &str, mode: &str| {
        let args = ["run", "go", "--model", model, "--mode", mode, "--json", "--store", "memory"];
        sandbox.silcrow(&args)
    };
    let types = run(&model, "replay").ends(0).types();
    for mode in ["resume", "auto"] {
        assert_eq!(run(&model, mode).ends(0).types(), types);
    }
    let said = run("rehearsal", "resume");
    assert!(said.ends(2).err.contains("`rehearsal` keeps no connection"), "{}", said.err);
    run("rehearsal", "auto").ends(0);
}
