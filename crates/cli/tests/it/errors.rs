//! Bad input: the exit code, one line on standard error, and the event for programs.

use std::net::TcpListener;
use std::process::Stdio;

use crate::support::Sandbox;

#[track_caller]
fn fails(sandbox: &Sandbox, args: &[&str], code: i32, words: &[&str]) {
    let said = sandbox.silcrow(args);
    said.ends(code);
    for word in words {
        assert!(said.err.contains(word), "`{word}` is missing: {}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
    assert_eq!(said.err.lines().filter(|line| line.starts_with("silcrow: ")).count(), 1);
    if args.first() == Some(&"run") {
        let mut json = args.to_vec();
        json.push("--json");
        let said = sandbox.silcrow(&json);
        let events = said.ends(code).events();
        let errors: Vec<_> = events.iter().filter(|event| event["type"] == "error").collect();
        assert_eq!(errors.len(), 1, "{}", said.out);
        assert!(events.iter().all(|event| event["type"] != "end"));
    }
}

#[test]
fn invalid_arguments_and_inputs_are_explained() {
    let sandbox = Sandbox::new();
    fails(&sandbox, &["run", "x", "--model", "gpt"], 2, &["`gpt`", "rehearsal"]);
    fails(&sandbox, &["run", "x", "--model", "compatible:http://x"], 2, &["URL#MODEL"]);
    fails(&sandbox, &["run", "x", "--model", "compatible:ftp://x#m"], 2, &["http"]);
    fails(&sandbox, &["run", "x", "--model", "openai:m"], 2, &["OPENAI_API_KEY"]);
    fails(&sandbox, &["run", "x", "--model", "openai-responses:m"], 2, &["OPENAI_API_KEY"]);
    fails(&sandbox, &["run", "x", "--model", "anthropic:m"], 2, &["ANTHROPIC_API_KEY"]);
    fails(&sandbox, &["run", "x", "--model", "gemini:m"], 2, &["GEMINI_API_KEY"]);
    fails(&sandbox, &["run", "x", "--model", "gemini:"], 2, &["`gemini:`", "gemini:MODEL"]);
    fails(
        &sandbox,
        &["run", "x", "--model", "script:/no/such"],
        2,
        &["/no/such", "does not exist"],
    );
    fails(&sandbox, &["run", "x", "--root", "/no/such"], 2, &["/no/such"]);
    fails(&sandbox, &["run", "x", "--allow", "file_wirte"], 2, &["file_wirte", "file_write"]);
    fails(&sandbox, &["run", " ", "--store", "memory"], 2, &["empty"]);
    fails(&sandbox, &["run", "x", "--new", ""], 2, &["id"]);
    fails(&sandbox, &["parse", "/no/such"], 2, &["/no/such"]);
    fails(&sandbox, &["parse", "."], 2, &["folder"]);
    fails(&sandbox, &["assemble", "/no/such"], 2, &["/no/such"]);
    fails(&sandbox, &["log", "--json", "--store", "/no/such"], 2, &["/no/such"]);
    fails(&sandbox, &["run", "x", "--max-steps", "0"], 2, &["--max-steps", "from 1"]);
    fails(&sandbox, &["run", "x", "--max-requests", "0"], 2, &["--max-requests", "from 1"]);
    fails(&sandbox, &["run", "x", "--max-time", "0"], 2, &["--max-time", "minutes above 0"]);
    fails(&sandbox, &["run", "x", "--rate", "-1"], 2, &["--help"]);
    fails(&sandbox, &["run", "x", "y"], 2, &["quotes"]);
    fails(&sandbox, &["run", "x", "--dialect", "latin"], 2, &["latin", "sigil"]);
    fails(&sandbox, &["parse", "--chunks", "0"], 2, &["number of bytes"]);
    fails(&sandbox, &["walk"], 2, &["walk", "--help"]);
    fails(&sandbox, &["modles"], 2, &["did you mean `models`?"]);
    fails(&sandbox, &["run", "x", "--temprature", "1"], 2, &["did you mean `--temperature`?"]);
    fails(&sandbox, &["run", "x", "--model", "gpt-5.1"], 2, &["did you mean `openai:gpt-5.1`?"]);
    fails(&sandbox, &["run", "x", "--model", "opnai:m"], 2, &["did you mean `openai:m`?"]);
    let said = sandbox.silcrow(&["run", "x", "--modle", "m"]);
    assert!(!said.err.contains("quotes"), "{}", said.err);
    fails(&sandbox, &[], 2, &["silcrow run"]);
    sandbox.silcrow(&["--help"]).ends(0);
    sandbox.silcrow(&["run", "--help"]).ends(0);
}

#[test]
fn a_model_from_the_environment() {
    let sandbox = Sandbox::new();
    let run = |value: &str| {
        let mut command = sandbox.command(&["run", "hello", "--store", "memory", "--rate", "9999"]);
        let output = command.env("SILCROW_MODEL", value).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run("").0, Some(0), "empty is not set");
    let (code, stderr) = run("gpt");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("SILCROW_MODEL"), "{stderr}");
}

#[test]
fn errors_name_the_faulty_variable() {
    let sandbox = Sandbox::new();
    for (variables, words) in [
        (
            &[("OPENAI_API_KEY", "sk-a"), ("SILCROW_RECORD", "/no/such/file")][..],
            "/no/such/file (SILCROW_RECORD)",
        ),
        (&[("OPENAI_API_KEY_FILE", "/no/such")], "the file does not exist (OPENAI_API_KEY_FILE)"),
        (&[("OPENAI_API_KEY", "sk-a"), ("OPENAI_BASE_URL", "ftp://x")], "OPENAI_BASE_URL: "),
    ] {
        let mut command =
            sandbox.command(&["run", "x", "--model", "openai:m", "--store", "memory"]);
        let command = command.envs(variables.iter().copied()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words), "`{words}` is missing: {stderr}");
    }
}

#[test]
fn empty_conversation_is_not_offered() {
    let said = Sandbox::new().silcrow(&["run", "x", "--user", "a\nb"]);
    said.ends(2);
    assert!(!said.err.contains("--conversation"), "{}", said.err);
}

#[test]
fn unwritable_output_is_a_failure() {
    let sandbox = Sandbox::new();
    for json in [&[][..], &["--json"]] {
        let args = [&["run", "hello", "--store", "memory", "--rate", "9999"][..], json].concat();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = sandbox
            .command(&args)
            .stdin(Stdio::null())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("cannot write"), "{stderr}");
    }
}

#[test]
fn runtime_failures_are_explained() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§call: {\"name\": \"file_list\"}\n§execute");
    let model = format!("script:{script}");
    fails(&sandbox, &["run", "x", "--model", &model, "--store", "memory"], 1, &["script"]);
    fails(
        &sandbox,
        &["run", "x", "--model", &model, "--store", "memory", "--max-steps", "1"],
        1,
        &["used up (1)", "--max-steps"],
    );
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = format!("compatible:http://127.0.0.1:{port}#m");
    fails(
        &sandbox,
        &["run", "x", "--model", &model, "--store", "memory"],
        1,
        &["127.0.0.1", "running"],
    );
}

#[test]
fn closed_output_is_not_a_failure() {
    let sandbox = Sandbox::new();
    let wire = "§think: x\n".repeat(20_000);
    let file = sandbox.write("wire", &wire);
    let mut child = sandbox
        .command(&["parse", &file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
