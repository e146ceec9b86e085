//! Signals of a run to a script: the exit code, the last event, and silence.

use crate::live::TerminalWindow;
use crate::support::Sandbox;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\n\"}}
§execute
%%
§respond: I was not allowed to.
§end";

fn model(sandbox: &Sandbox, text: &str) -> String {
    format!("script:{}", sandbox.write("script", text))
}

#[test]
fn strict_runs_exit_with_denied_code() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, WRITES);
    let run = |more: &[&str]| {
        sandbox.silcrow(&[&["run", "go", "--model", &model, "--store", "memory"], more].concat())
    };
    assert_eq!(run(&[]).ends(0).out, "I was not allowed to.\n");
    let said = run(&["--strict"]);
    assert_eq!(said.ends(4).out, "I was not allowed to.\n");
    let last = said.err.lines().last().unwrap();
    assert!(
        last.starts_with("silcrow: the model answered, but not all of its calls ran"),
        "{last}"
    );
    assert!(last.contains("file_write: `file_write` needs a person's approval"), "{last}");
    // A mode denies as a person does.
    run(&["--strict", "--permissions", "read-only"]).ends(4);
    run(&["--strict", "--permissions", "workspace"]).ends(0);
    // A call that runs and fails was not denied.
    let failing = "§call: {\"name\":\"file_read\",\"args\":{\"file\":\"none\"}}\n§execute\n%%\n\
                   §respond: It is not there.\n§end";
    let model = self::model(&sandbox, failing);
    sandbox.silcrow(&["run", "go", "--model", &model, "--strict", "--store", "memory"]).ends(0);
}

#[test]
fn last_event_summarizes_the_run() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, WRITES);
    for stream in ["token", "event", "none"] {
        let args = ["run", "go", "--model", &model, "--json", "--stream", stream, "--new", stream];
        let said = sandbox.silcrow(&args);
        let done = said.ends(0).events().pop().unwrap();
        assert_eq!(done["type"], "done", "{done}");
        assert_eq!(done["answer"], "I was not allowed to.");
        assert_eq!((&done["outcome"], &done["exit"]), (&"answered".into(), &0.into()));
        assert_eq!(done["conversation"], stream);
        let denied = done["denied"].as_array().unwrap();
        assert_eq!(denied.len(), 1, "{done}");
        assert_eq!(denied[0]["tool"], "file_write");
        assert_eq!(denied[0]["turn"], 1);
        assert!(denied[0]["reason"].as_str().unwrap().contains("--allow file_write"), "{done}");
        assert!(done["seconds"].as_f64().unwrap() >= 0.0);
        assert!(done["usage"]["output"].as_u64().unwrap() > 0, "{done}");
    }
    let strict = ["run", "go", "--model", &model, "--json", "--strict", "--store", "memory"];
    let events = sandbox.silcrow(&strict).ends(4).events();
    assert_eq!(events.last().unwrap()["exit"], 4);
    // The run has not failed.
    assert!(events.iter().all(|event| event["type"] != "error"), "{events:?}");
}

#[test]
fn last_event_is_always_written() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, WRITES);
    let run = |more: &[&str]| {
        let said = sandbox.silcrow(&[&["run", "go", "--json"], more].concat());
        let mut events = said.events();
        (said.code, events.pop().unwrap(), events)
    };
    let (code, done, _) = run(&["--model", &model, "--on-question", "park", "--new", "p"]);
    assert_eq!((code, &done["outcome"]), (Some(3), &"waiting".into()), "{done}");
    assert_eq!(done["questions"], serde_json::json!(["1/a1"]));
    assert_eq!((&done["answer"], &done["exit"]), (&serde_json::Value::Null, &3.into()));
    let (code, done, before) = run(&["--model", "nobody:x", "--store", "memory"]);
    assert_eq!((code, &done["outcome"]), (Some(2), &"failed".into()), "{done}");
    assert_eq!((&done["conversation"], &done["exit"]), (&serde_json::Value::Null, &2.into()));
    assert_eq!(before.last().unwrap()["type"], "error");
    let empty = self::model(&sandbox, "");
    let (code, done, before) = run(&["--model", &empty, "--store", "memory"]);
    assert_eq!((code, &done["outcome"]), (Some(1), &"failed".into()), "{done}");
    assert_eq!(done["answer"], serde_json::Value::Null);
    assert_eq!(before.last().unwrap()["type"], "failed");
}

#[test]
fn quiet_prints_only_answer_and_errors() {
    let sandbox = Sandbox::new();
    let text = WRITES.replace("§call", "§think: I write it.\n§call");
    let model = model(&sandbox, &text);
    for stream in ["token", "event", "none"] {
        let said = sandbox.silcrow(&["run", "go", "--model", &model, "-q", "--stream", stream]);
        assert_eq!(said.ends(0).out, "I was not allowed to.\n", "{stream}");
        assert_eq!(said.err, "", "{stream}");
    }
    let said = sandbox.silcrow(&["run", "go", "--model", &model, "-q", "--strict"]);
    assert_eq!(said.ends(4).err.lines().count(), 1, "{}", said.err);
    // A window shows the question, and the answer.
    let run = sandbox.command(&["run", "go", "--model", &model, "-q"]);
    let mut window = TerminalWindow::open(&run, 80, 30);
    window.wait_for("? more");
    let shown = window.shown();
    assert!(shown.trim_start().starts_with("change   │") && !shown.contains("Ctrl-C"), "{shown}");
    window.press("n");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    let rest = shown.split_once("› no").unwrap().1;
    assert_eq!(rest.trim(), "I was not allowed to.", "{shown}");
}

#[test]
fn notices_of_a_call_by_hand_are_shown() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.root().join("venv")).unwrap();
    std::fs::write(sandbox.root().join("venv/.gitignore"), "*\n").unwrap();
    std::fs::write(sandbox.root().join("venv/a.py"), "NEEDLE\n").unwrap();
    let args = ["tool", "file_search", r#"{"query":"NEEDLE"}"#, "--store", "memory"];
    let said = sandbox.silcrow(&args);
    let notices = said.ends(0).err.lines().filter(|line| line.starts_with("notice: "));
    assert!(notices.count() > 0, "{}", said.err);
    let json = sandbox.silcrow(&[&args[..], &["--json"]].concat());
    assert!(!json.err.contains("notice: "), "{}", json.err);
}

#[test]
fn answer_file_is_written_atomically() {
    let sandbox = Sandbox::new();
    let answers = model(&sandbox, "§respond: One.\nTwo.\n§end");
    let file = sandbox.write("answer.txt", "before");
    let args = ["run", "x", "--model", &answers, "--store", "memory", "-o", &file];
    assert_eq!(sandbox.silcrow(&args).ends(0).out, "One.\nTwo.\n");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "One.\nTwo.\n");
    let fails = model(&sandbox, "");
    sandbox.silcrow(&["run", "x", "--model", &fails, "--store", "memory", "-o", &file]).ends(1);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "One.\nTwo.\n", "it stays");
    let answers = model(&sandbox, "§respond: One.\n§end");
    let nowhere = sandbox.path("none/answer.txt");
    let args =
        ["run", "x", "--model", &answers, "--store", "memory", "-o", nowhere.to_str().unwrap()];
    let said = sandbox.silcrow(&args);
    assert!(said.ends(1).err.contains("cannot write the answer to"), "{}", said.err);
}

#[test]
fn answer_must_fit_its_schema() {
    let sandbox = Sandbox::new();
    let schema = sandbox.write("schema.json", r#"{"type": "object", "required": ["sum"]}"#);
    let run = |text: &str, more: &[&str]| {
        let model = model(&sandbox, text);
        let args = ["run", "2 + 2?", "--model", &model, "--output-schema", &schema];
        sandbox.silcrow(&[&args[..], &["--store", "memory"], more].concat())
    };
    let good = "§respond: It is 4.\n§end\n%%\n§respond: {\"sum\": 4}\n§end";
    assert_eq!(run(good, &[]).ends(0).out, "{\"sum\": 4}\n");
    let done = run(good, &["--json"]).ends(0).events().pop().unwrap();
    assert_eq!(done["answer"], "{\"sum\": 4}", "{done}");
    let bad = "§respond: It is 4.\n§end\n%%\n§respond: [4]\n§end";
    let said = run(bad, &[]);
    assert_eq!(said.ends(1).out, "");
    assert!(said.err.contains("did not answer in the form of --output-schema"), "{}", said.err);
    let said = run(bad, &["--json"]);
    assert!(said.ends(1).out.contains("\"code\":\"output_schema\""), "{}", said.out);
    let none = sandbox.write("none.json", "[]");
    let model = model(&sandbox, good);
    sandbox.silcrow(&["run", "go", "--model", &model, "--output-schema", &none]).ends(2);
}

#[test]
fn commands_are_listed_and_sent_by_name() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("config/silcrow/commands");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("greet.md"), "Greet $ARGUMENTS warmly.").unwrap();
    let model = model(&sandbox, "§respond: Hello.\n§end");
    let args = ["run", "--command", "greet", "Ada", "--model", &model, "--new", "c1"];
    sandbox.silcrow(&args).ends(0);
    assert!(sandbox.silcrow(&["log", "show", "c1"]).out.contains("Greet Ada warmly."));
    let listed = sandbox.silcrow(&["skills"]);
    assert!(listed.ends(0).out.starts_with("command  greet"), "{}", listed.out);
    let args = ["run", "--command", "none", "--model", &model, "--store", "memory"];
    assert!(sandbox.silcrow(&args).ends(2).err.contains("unknown command or skill none"));
}

#[test]
fn review_prints_json_and_fails_on_severe_findings() {
    let sandbox = Sandbox::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(command.current_dir(sandbox.root()).status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    std::fs::write(sandbox.root().join("a.txt"), "one\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    let finding = r#"{"findings":[{"priority":1,"title":"Off by one","body":"It skips the last.","file":"a.txt","lines":[1]}]}"#;
    let model = model(&sandbox, &format!("§respond: {finding}\n§end"));
    let review = |more: &[&str]| {
        let args = ["review", "--model", &model, "--store", "memory"];
        sandbox.silcrow(&[&args[..], more].concat())
    };
    assert!(review(&["--json"]).ends(2).err.contains("nothing has changed since the last commit"));
    std::fs::write(sandbox.root().join("a.txt"), "two\n").unwrap();
    let said = review(&["--json"]);
    let found: serde_json::Value = serde_json::from_str(&said.ends(0).out).unwrap();
    assert_eq!(found["findings"][0]["title"], "Off by one");
    let said = review(&["--fail-on", "p1"]);
    assert!(said.ends(1).err.contains("the review has 1 finding that matters"), "{}", said.err);
    review(&["--json", "--fail-on", "P0"]).ends(0);
    // Without a form it is an answer for a person.
    assert!(review(&["the tests"]).ends(0).out.contains("Off by one"));
}

#[test]
fn last_event_has_known_value_and_cost() {
    let sandbox = Sandbox::new();
    let model = model(&sandbox, "§respond: {\"sum\": 4}\n§end");
    let schema = sandbox.write("schema.json", r#"{"type":"object","required":["sum"]}"#);
    let prices = sandbox.write("prices.toml", "[\"*\"]\ninput = 1000\noutput = 1000\n");
    let args = ["run", "go", "--model", &model, "--store", "memory", "--json"];
    let done = |more: &[&str]| {
        let said = sandbox.silcrow(&[&args[..], more].concat());
        said.ends(0).events().pop().unwrap()
    };
    let known = done(&["--output-schema", &schema, "--prices", &prices]);
    assert_eq!(known["value"], serde_json::json!({"sum": 4}), "{known}");
    assert!(known["cost"].as_f64().unwrap() > 0.0, "{known}");
    let unknown = done(&[]);
    assert!(unknown.get("value").is_none() && unknown.get("cost").is_none(), "{unknown}");
}

#[test]
fn only_changed_worktrees_are_kept() {
    let sandbox = Sandbox::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(command.current_dir(sandbox.root()).status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let run = |text: &str| {
        let model = model(&sandbox, text);
        let args = ["run", "go", "--model", &model, "--store", "memory", "--worktree", "try"];
        sandbox.silcrow(&[&args[..], &["--permissions", "workspace"]].concat())
    };
    let folder = sandbox.root().join(".silcrow/worktrees/try");
    let said = run("§respond: Nothing.\n§end");
    assert!(said.ends(0).err.contains("had no changes, and is removed"), "{}", said.err);
    assert!(!folder.exists());
    let said = run(WRITES);
    assert!(said.ends(0).err.contains("is kept, on the branch silcrow/try"), "{}", said.err);
    assert!(folder.join("b.txt").is_file() && !sandbox.root().join("b.txt").exists());
    let listed = sandbox.silcrow(&["worktree", "list"]).ends(0).out.clone();
    assert!(listed.starts_with("try                  1 changed file"), "{listed}");
    let kept = sandbox.silcrow(&["worktree", "remove", "try"]);
    assert!(kept.ends(2).err.contains("try has 1 changed file, and is kept"), "{}", kept.err);
    std::fs::remove_file(folder.join("b.txt")).unwrap();
    let gone = sandbox.silcrow(&["worktree", "remove", "try"]);
    assert!(gone.ends(0).out.contains("is removed with its branch") && !folder.exists());
    sandbox.silcrow(&["worktree", "remove", "try"]).ends(2);
    assert_eq!(sandbox.silcrow(&["worktree", "list"]).ends(0).out, "");
}
