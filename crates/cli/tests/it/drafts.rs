//! Answers beside calls that failed, as people see them and as a run treats them.

use crate::support::{CommandOutput, Sandbox};

const FAILED_FETCH: &str = r#"<action type="tool" mode="async" id="page">
{"name": "file_read", "parameters": {"file": "missing.txt"}, "output_key": "page"}
</action>
<response>
**Key Findings:**
- Finding 1
</response>
"#;

const TRUTH: &str = "<response>There is no such file.</response>\n";

/// Runs a script in the dialect `action`, in the conversation `c`.
fn run(sandbox: &Sandbox, turns: &[&str], more: &[&str]) -> CommandOutput {
    let model = format!("script:{}", sandbox.write("script", &turns.join("%%\n")));
    let args = ["run", "go", "--model", &model, "--dialect", "action", "--new", "c"];
    sandbox.silcrow(&[&args, more].concat())
}

#[test]
fn piped_output_omits_the_draft() {
    let sandbox = Sandbox::new();
    let ran = run(&sandbox, &[FAILED_FETCH, TRUTH], &[]);
    assert_eq!(ran.ends(0).out, "There is no such file.\n", "{}", ran.err);
    let log = sandbox.silcrow(&["log", "show", "c"]);
    let shown = &log.ends(0).out;
    let places = ["Finding 1", "Your last answer", "There is no such"].map(|part| shown.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{shown}");
}

#[test]
fn json_marks_answers_that_do_not_count() {
    let ran = run(&Sandbox::new(), &[FAILED_FETCH, TRUTH], &["--json"]);
    let types = ran.ends(0).types();
    let responses = types.iter().filter(|name| *name == "respond").count();
    assert_eq!((responses, types.iter().filter(|name| *name == "notice").count()), (2, 1));
    let events = ran.events();
    let fault = events.iter().find(|event| event["type"] == "error").unwrap();
    assert_eq!((&fault["code"], &fault["retry"]), (&"no_answer".into(), &true.into()));
}

#[test]
fn repeated_drafts_fail_without_an_answer() {
    let ran = run(&Sandbox::new(), &[FAILED_FETCH; 3], &[]);
    assert_eq!(ran.ends(1).out, "");
    assert!(ran.err.contains("beside the call `page`, which failed"), "{}", ran.err);
}

#[test]
fn workflow_does_not_deploy_after_failed_tests() {
    let sandbox = Sandbox::new();
    let turn = r#"<action id="test">{"name": "shell", "parameters": {"command": "echo 3 tests failed; exit 1"}}</action>
<action id="deploy" depends_on="test">{"name": "file_write", "parameters": {"file": "deployed", "content": "yes"}}</action>
<response>Deployed.</response>
"#;
    let truth = "<response>The tests fail.</response>\n";
    let more = ["--permissions", "full", "--allow", "file_write"];
    let ran = run(&sandbox, &[turn, truth], &more);
    assert_eq!(ran.ends(0).out, "The tests fail.\n", "{}", ran.err);
    assert!(!sandbox.root().join("deployed").exists());
    assert!(ran.err.contains("! shell exit status 1: 3 tests failed"), "{}", ran.err);
    let log = sandbox.silcrow(&["log", "show", "c"]);
    assert!(log.ends(0).out.contains("3 tests failed"), "{}", log.out);
}

#[test]
fn calls_inside_unknown_elements_never_run() {
    let sandbox = Sandbox::new();
    let turn = r#"<when test="false"><action>{"name": "file_write", "parameters": {"file": "a", "content": ""}}</action></when>
"#;
    let ran = run(&sandbox, &[turn, TRUTH], &["--allow", "file_write"]);
    assert_eq!(ran.ends(0).out, "There is no such file.\n", "{}", ran.err);
    assert!(!sandbox.root().join("a").exists());
    assert!(ran.err.contains("it is inside `<when>`"), "{}", ran.err);
}

#[test]
fn failed_manual_command_prints_output_and_fails() {
    let sandbox = Sandbox::new();
    let call = |command: &str| {
        let args = format!(r#"{{"command":"{command}"}}"#);
        sandbox.silcrow(&["tool", "shell", &args, "--permissions", "full"])
    };
    let failed = call("echo 3 tests failed; exit 4");
    assert_eq!(failed.ends(1).out, "3 tests failed\n");
    assert!(failed.err.contains("silcrow: exit status 4"), "{}", failed.err);
    assert_eq!(call("echo fine").ends(0).out, "fine\n");
}
