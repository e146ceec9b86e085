//! What a script learns of a run: by its exit code, by its last event, and by silence.

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
fn a_denied_call_is_an_exit_code_where_one_is_wanted() {
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
    // A call that runs and fails is no denied one.
    let failing = "§call: {\"name\":\"file_read\",\"args\":{\"file\":\"none\"}}\n§execute\n%%\n\
                   §respond: It is not there.\n§end";
    let model = self::model(&sandbox, failing);
    sandbox.silcrow(&["run", "go", "--model", &model, "--strict", "--store", "memory"]).ends(0);
}

#[test]
fn the_last_event_sums_a_run_up() {
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
fn the_last_event_is_there_however_a_run_ends() {
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
fn only_the_answer_and_errors_are_said_where_that_is_wanted() {
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
fn the_answer_is_written_to_a_file_at_once() {
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
