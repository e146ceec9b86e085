//! Questions to a person at a terminal, and the effects of answers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use crate::server::request;
use crate::support::Sandbox;

const WRITES: &str = r#"<action mode="async">{"name":"file_write","parameters":{"file":"a.txt","content":"alpha"}}</action>
<action mode="async">{"name":"file_write","parameters":{"file":"a.txt","content":"alpha"}}</action>
<action mode="async">{"name":"file_write","parameters":{"file":"b.txt","content":"beta\u001b[2J"}}</action>
%%
<response>Done.</response>"#;

/// Runs [`WRITES`] at a new terminal and answers its questions. Returns the screen of the terminal,
/// and the exit code.
fn asked(sandbox: &Sandbox, answers: &[&str]) -> (String, Option<i32>) {
    played(sandbox, WRITES, answers)
}

fn played(sandbox: &Sandbox, script: &str, answers: &[&str]) -> (String, Option<i32>) {
    let script = sandbox.write("script.txt", script);
    let model = format!("script:{script}");
    at_terminal(
        &sandbox.command(&["run", "write", "--dialect", "action", "--model", &model]),
        answers,
    )
}

/// Runs the command at a new terminal and answers its questions. Returns the screen of the
/// terminal, and the exit code.
pub(crate) fn at_terminal(run: &Command, answers: &[&str]) -> (String, Option<i32>) {
    answered_at_terminal(run, answers.iter().map(|answer| move || *answer))
}

/// Returns a command that runs another one at a terminal without colours.
fn terminal(run: &Command) -> Command {
    let words = std::iter::once(run.get_program()).chain(run.get_args());
    let line: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    // `script` creates a terminal, because questions are asked only at one.
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line.join(" "), "/dev/null"]);
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("NO_COLOR", "1").env("TERM", "dumb");
    if let Some(folder) = run.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

/// Runs a command at a terminal, and says yes to each question. Returns its screen, its exit code,
/// and the number of questions.
pub(crate) fn yes_to_all(run: &Command) -> (String, Option<i32>, usize) {
    let mut child = terminal(run).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut seen, mut questions) = (Vec::new(), 0);
    while read_until_asked(&mut shown, &mut seen) {
        questions += 1;
        typed.write_all(b"y\n").unwrap();
    }
    let ended = child.wait().unwrap().code();
    (String::from_utf8(seen).unwrap().replace("\r\n", "\n"), ended, questions)
}

/// Reads until a question is asked; `false` if the output ends before.
fn read_until_asked(shown: &mut impl std::io::Read, seen: &mut Vec<u8>) -> bool {
    let start = seen.len();
    while !seen[start..].ends_with(b"[N] ") {
        let mut byte = [0];
        match shown.read(&mut byte) {
            Ok(1) => seen.push(byte[0]),
            _ => return false,
        }
    }
    true
}

/// Runs a command at a terminal with answers that are made when their question is on the screen.
fn answered_at_terminal<'a>(
    run: &Command,
    answers: impl IntoIterator<Item = impl FnOnce() -> &'a str>,
) -> (String, Option<i32>) {
    let mut child = terminal(run).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = Vec::new();
    for answer in answers {
        // Input that is typed before a question does not answer it.
        let is_asked = read_until_asked(&mut shown, &mut seen);
        assert!(is_asked, "{}", String::from_utf8_lossy(&seen));
        typed.write_all(answer().as_bytes()).unwrap();
    }
    shown.read_to_end(&mut seen).unwrap();
    let ended = child.wait().unwrap().code();
    (String::from_utf8(seen).unwrap().replace("\r\n", "\n"), ended)
}

/// The first question is open when the lines are typed, so the second one is not an answer to the
/// question that follows.
#[test]
fn early_typing_does_not_answer_a_question() {
    let sandbox = Sandbox::new();
    let (shown, ended) = asked(&sandbox, &["n\ny\n", "n\n", "n\n"]);
    assert_eq!(ended, Some(0), "{shown}");
    assert_eq!(shown.matches("the person did not allow").count(), 3, "{shown}");
    assert!(!sandbox.root().join("a.txt").exists());
}

#[test]
fn withdrawn_question_hides_nothing_and_takes_no_answer() {
    let sandbox = Sandbox::new();
    // A call of this model fails as soon as the first question is on the screen, and the question
    // beside it ends by itself.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (asked, is_asked) = mpsc::channel();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        request(&mut stream);
        is_asked.recv().unwrap();
        stream
            .write_all(
                b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            )
            .unwrap();
    });
    let manifest =
        sandbox.write("m.toml", &format!("[llm.l]\nmodel = \"compatible:http://{address}#m\"\n"));
    sandbox.trust(&manifest);
    let script = sandbox.write(
        "script.txt",
        r#"<action id="w" mode="async">{"name":"file_write","parameters":{"file":"a.txt","content":"1"}}</action>
<action type="llm" id="l" mode="async">{"name":"l","parameters":{"prompt":"p"},"on_error":"fail"}</action>
%%
<response final="false">The second turn.</response>
<action id="w">{"name":"file_write","parameters":{"file":"b.txt","content":"2"}}</action>
%%
<response>The third turn.</response>"#,
    );
    let model = format!("script:{script}");
    let args = ["run", "go", "--dialect", "action", "--model", &model, "--manifest", &manifest];
    let answers = ["", "y\n"].map(|answer| {
        let asked = asked.clone();
        move || {
            // The server needs only the first one.
            let _ = asked.send(());
            answer
        }
    });
    let (shown, ended) = answered_at_terminal(&sandbox.command(&args), answers);
    server.join().unwrap();
    assert_eq!(ended, Some(0), "{shown}");
    assert_eq!(shown.matches("the question was taken back").count(), 1, "{shown}");
    let (before, behind) = shown.rsplit_once("[N] ").unwrap();
    assert!(before.contains("✗") && before.contains("The second turn."), "{shown}");
    assert!(behind.contains("The third turn."), "{shown}");
    assert!(!sandbox.root().join("a.txt").exists());
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "2");
}

#[test]
fn call_subject_stays_above_prompt_with_long_arguments() {
    let sandbox = Sandbox::new();
    let file = format!("{}{}b.txt", "docs/".repeat(100), "../".repeat(100));
    std::fs::create_dir_all(sandbox.root().join("docs/".repeat(100))).unwrap();
    let content = "line\\n".repeat(5000) + "\\u001b[2J\\u202e";
    let script = format!(
        "<action mode=\"fire_and_forget\">{{\"name\":\"file_write\",\
         \"parameters\":{{\"file\":\"{file}\",\"content\":\"{content}\"}},\
         \"retry\":20,\"timeout\":3600}}</action>\n%%\n\
         <response>Done.</response>"
    );
    let (shown, _) = played(&sandbox, &script, &["n\n"]);
    let (_, question) = shown.rsplit_once("A call needs your approval.").unwrap();
    let (before, _) = question.rsplit_once("[N] ").unwrap();
    let rows: Vec<_> = before.lines().collect();
    let last = rows[rows.len() - 30..].join("\n");
    assert!(
        last.contains("\ntarget   │ b.txt\neffect   │ creates a file of 25007 bytes, 5001 lines\nwhy      │ the mode `ask` asks about changes of files\nfrom     your agent\ntool     │ file_write\nruns     up to 21 attempts"),
        "{last}"
    );
    assert!(last.contains("of at most 60 min each, in the background\n"), "{last}");
    let file_shown: String =
        rows.iter().filter_map(|row| row.split_once(['│', '┊'])).map(|row| row.1.trim()).collect();
    assert!(file_shown.contains(&file), "{last}");
    assert!(before.contains("│ content in b.txt: +5,001 -0 lines\n"), "{last}");
    assert!(before.contains("│   +\\x1b[2J\\u{202e}\n"), "{last}");
    assert!(rows.iter().all(|row| row.chars().count() < 80), "it is wrapped here, not there");
}
