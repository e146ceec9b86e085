//! Runs that wait for answers, by real processes: `--on-question park`, `silcrow runs answer`, `--resume`.

use std::fs;
use std::process::Stdio;

use crate::support::Sandbox;

const ASKS: &str = "\
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"one\\n\"}}
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"b.txt\", \"content\": \"two\\n\"}}
§call: {\"name\": \"file_list\", \"args\": {}}
§execute";

const ANSWERS: &str = "§respond: It is done.\n§end";

/// A conversation that waits for two answers, and the model of the next run.
fn parked() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let asks = format!("script:{}", sandbox.write("asks", ASKS));
    let answers = format!("script:{}", sandbox.write("answers", ANSWERS));
    let args = ["run", "go", "--new", "c", "--on-question", "park", "--model", &asks];
    let run = sandbox.silcrow(&args);
    assert_eq!((run.code, &*run.out), (Some(3), ""), "{}", run.err);
    assert!(run.err.contains("waits for answers about 1/a1 (file_write), 1/a2"), "{}", run.err);
    assert!(run.err.contains("silcrow run --conversation c --resume"), "{}", run.err);
    assert!(!sandbox.root().join("a.txt").exists());
    (sandbox, answers)
}

fn resume<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = ["run", "--conversation", "c", "--resume", "--model", model];
    [&args, more].concat()
}

#[test]
fn other_processes_answer_and_the_run_continues() {
    let (sandbox, model) = parked();
    let shown = sandbox.silcrow(&["answer", "c"]);
    assert_eq!(shown.code, Some(0), "{}", shown.err);
    insta::assert_snapshot!(shown.out.replace(&*sandbox.root().to_string_lossy(), "ROOT"));
    let shown = sandbox.silcrow(&["answer", "c", "--json"]);
    let lines: Vec<serde_json::Value> =
        shown.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (lines.len(), &lines[0]["question"], &lines[0]["answer"]),
        (2, &"1/a1".into(), &serde_json::Value::Null)
    );
    assert_eq!(lines[1]["call"]["tool"], "file_write");

    let yes = sandbox.silcrow(&["answer", "c", "1/a1", "yes", "and be brief"]);
    assert_eq!((yes.code, &*yes.out), (Some(0), ""), "{}", yes.err);
    assert!(yes.err.contains("1 question is still open"), "{}", yes.err);
    let no = sandbox.silcrow(&["answer", "c", "1/a2", "no", "not there"]);
    assert!(no.err.contains("silcrow run --conversation c --resume"), "{}", no.err);

    let run = sandbox.silcrow(&resume(&model, &[]));
    assert_eq!((run.code, &*run.out), (Some(0), "It is done.\n"), "{}", run.err);
    assert_eq!(fs::read_to_string(sandbox.root().join("a.txt")).unwrap(), "one\n");
    assert!(!sandbox.root().join("b.txt").exists());
    let log = sandbox.silcrow(&["log", "--json", "c"]).out;
    assert!(log.contains("the person did not allow `file_write`, and said: not there"), "{log}");
    assert!(log.contains("\"content\":\"and be brief\",\"steer\":true"), "{log}");

    let again = sandbox.silcrow(&resume(&model, &[]));
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("waits for nothing"), "{}", again.err);
}

#[test]
fn unanswered_questions_park_again_or_deny() {
    let (sandbox, model) = parked();
    let yes = sandbox.silcrow(&["answer", "c", "1/a2", "yes"]);
    assert_eq!(yes.code, Some(0), "{}", yes.err);
    let run = sandbox.silcrow(&resume(&model, &["--on-question", "park"]));
    assert_eq!(run.code, Some(3), "{}", run.err);
    assert!(run.err.contains("waits for answers about 1/a1 (file_write):"), "{}", run.err);
    assert!(sandbox.root().join("b.txt").exists());
    // Without a terminal, nobody can be asked.
    let run = sandbox.silcrow(&resume(&model, &[]));
    assert_eq!((run.code, &*run.out), (Some(0), "It is done.\n"), "{}", run.err);
    assert!(!sandbox.root().join("a.txt").exists());
}

#[test]
fn invalid_answers_explain_and_change_nothing() {
    let (sandbox, model) = parked();
    let fails = |args: &[&str], why: &str| {
        let failed = sandbox.silcrow(args);
        assert_eq!(failed.code, Some(2), "{args:?}: {}", failed.err);
        assert!(failed.err.contains(why), "{args:?}: {}", failed.err);
    };
    fails(&["answer", "d"], "unknown conversation `d`");
    fails(&["answer", "c", "a1", "yes"], "asks no question `a1`");
    fails(&["answer", "c", "a1", "yes"], "open: 1/a1, 1/a2");
    fails(&["answer", "c", "1/a1"], "yes");
    fails(&["answer", "c", "1/a1", "maybe"], "maybe");
    fails(&["answer", "c", "--user", "ann", "1/a1", "yes"], "c");
    assert_eq!(sandbox.silcrow(&["answer", "c", "1/a1", "no"]).code, Some(0));
    fails(&["answer", "c", "1/a1", "yes"], "answered already: denied");
    fails(&["run", "--resume"], "--conversation");

    // A new prompt drops open questions.
    let run = sandbox.silcrow(&["run", "never mind", "--conversation", "c", "--model", &model]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    fails(&["answer", "c", "1/a2", "yes"], "nothing is open");
    assert!(!sandbox.root().join("b.txt").exists());
}

#[test]
fn changed_target_is_asked_about_again() {
    let (sandbox, model) = parked();
    let yes = sandbox.silcrow(&["answer", "c", "1/a1", "yes"]);
    assert_eq!(yes.code, Some(0), "{}", yes.err);
    // The file is a link to another one by now, so the yes was about another target.
    std::os::unix::fs::symlink("c.txt", sandbox.root().join("a.txt")).unwrap();
    let run = sandbox.silcrow(&resume(&model, &["--on-question", "park"]));
    assert!(!sandbox.root().join("c.txt").exists(), "{}", run.err);
}

#[test]
fn conversation_approval_covers_later_questions() {
    let (sandbox, model) = parked();
    let yes = sandbox.silcrow(&["answer", "c", "1/a1", "yes", "--scope", "conversation"]);
    assert_eq!(yes.code, Some(0), "{}", yes.err);
    let run = sandbox.silcrow(&resume(&model, &["--on-question", "park", "--json"]));
    assert_eq!(run.code, Some(3), "{}", run.err);
    let last = run.out.lines().rev().nth(1).unwrap();
    assert!(last.contains("\"type\":\"parked\"") || last.contains("\"type\":\"metric\""), "{last}");
    assert!(sandbox.root().join("a.txt").exists());
}

#[test]
fn approved_risky_call_runs() {
    let sandbox = Sandbox::new();
    let ask = r#"§call: {"name": "file_write", "args": {"file": ".envrc", "content": "x\n"}}"#;
    let asks = format!("script:{}", sandbox.write("asks", &format!("{ask}\n§execute")));
    let model = format!("script:{}", sandbox.write("answers", ANSWERS));
    // No permission covers a risk, so the question is asked although the tool is allowed.
    let args = ["run", "go", "--new", "c", "--on-question", "park", "--model", &asks];
    let run = sandbox.silcrow(&[&args[..], &["--allow", "file_write"]].concat());
    assert_eq!(run.code, Some(3), "{}", run.err);
    let shown = sandbox.silcrow(&["answer", "c"]).out;
    assert!(shown.contains("shells, editors or tools run what it says"), "{shown}");
    assert_eq!(sandbox.silcrow(&["answer", "c", "1/a1", "yes"]).code, Some(0));
    let run = sandbox.silcrow(&resume(&model, &["--on-question", "park"]));
    assert_eq!((run.code, &*run.out), (Some(0), "It is done.\n"), "{}", run.err);
    assert_eq!(fs::read_to_string(sandbox.root().join(".envrc")).unwrap(), "x\n");
    let log = sandbox.silcrow(&["log", "--json", "c"]).out;
    let risk = r#""risk":"shells, editors or tools run"#;
    assert_eq!(log.matches(risk).count(), 3, "question, parked, answer: {log}");
}

#[test]
fn call_turned_risky_is_asked_about_again() {
    let (sandbox, model) = parked();
    assert_eq!(sandbox.silcrow(&["answer", "c", "1/a1", "yes"]).code, Some(0));
    // The root is a repository of git by now, and its files name commands that git runs.
    fs::write(sandbox.root().join("HEAD"), "ref: refs/heads/main\n").unwrap();
    for folder in ["objects", "refs"] {
        fs::create_dir(sandbox.root().join(folder)).unwrap();
    }
    let run = sandbox.silcrow(&resume(&model, &["--on-question", "park"]));
    assert_eq!(run.code, Some(3), "{}", run.err);
    assert!(run.err.contains("waits for answers about 1/a1"), "{}", run.err);
    assert!(!sandbox.root().join("a.txt").exists());
}

#[test]
fn only_one_of_two_concurrent_answers_counts() {
    for _ in 0..4 {
        let (sandbox, model) = parked();
        for id in ["1/a1", "1/a2"] {
            let give = |answer| {
                let mut command = sandbox.command(&["answer", "c", id, answer]);
                let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
                quiet.stderr(Stdio::piped()).spawn().unwrap()
            };
            let given = [give("yes"), give("no")].map(|one| one.wait_with_output().unwrap());
            let codes = given.each_ref().map(|one| one.status.code());
            assert!(matches!(codes, [Some(0), Some(2)] | [Some(2), Some(0)]), "{codes:?}");
            let loser = given.iter().find(|one| !one.status.success()).unwrap();
            let said = String::from_utf8_lossy(&loser.stderr);
            let first = if given[0].status.success() { "allowed" } else { "denied" };
            let wanted = format!("the question `{id}` is answered already: {first}");
            assert!(said.contains(&wanted), "{said}");
        }
        sandbox.silcrow(&resume(&model, &[])).ends(0);
        // Also when the run has continued.
        let late = sandbox.silcrow(&["answer", "c", "1/a1", "no"]);
        assert_eq!(late.code, Some(2));
        assert!(late.err.contains("the question `1/a1` is answered already"), "{}", late.err);
    }
}
