//! What models write that is not as they were told, in real runs (P-35 to P-38).
//!
//! `cases/misbehaviour` has a file for each dialect. The model's first answer is the text of a case,
//! and sections `next` have the following ones; after them it answers that there are two files. The
//! tools may write, so that a call that must not run leaves a file.
//!
//! | key | meaning |
//! |---|---|
//! | `outcome` | `ok`: no message is needed; `told`: the next request says what was wrong |
//! | `exit` | the exit code, 0 if it is missing |
//! | `flags` | `writes`: a call writes `ran.txt`; `length`, `cut`: how the first answer ends; an option of the command |
//!
//! The section `stdout` is what the person reads; without one it is the last answer.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use silcrow_cases::{Case, CaseFile};

use crate::server::request;
use crate::support::{Sandbox, file};

#[test]
fn sigil() {
    play("sigil");
}

#[test]
fn phase() {
    play("phase");
}

#[test]
fn action() {
    play("action");
}

/// Plays the cases of a file and reports all that went wrong.
fn play(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/misbehaviour");
    let cases = CaseFile::read(&file(&folder.join(format!("{name}.cases")))).unwrap().cases;
    let mut wrong = String::new();
    for case in &cases {
        if let Err(why) = play_case(case) {
            writeln!(wrong, "=== {}: {why}\n", case.id).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{wrong}", cases.len());
}

fn play_case(case: &Case) -> Result<(), String> {
    let dialect = case.value("dialect").unwrap();
    let flags: Vec<_> = case.words("flags").collect();
    let text = |text: &silcrow_cases::CaseText| text.as_str().unwrap().to_owned();
    let answers = [text(&case.wire)];
    let answers = answers.into_iter().chain(case.sections("next").map(|next| text(&next.text)));
    let finish = if flags.contains(&"length") { "length" } else { "stop" };
    let model = ScriptedServer::start(answers.collect(), last_answer(dialect), finish, &flags);

    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    std::fs::write(sandbox.root().join("b.txt"), "beta\n").unwrap();
    let mut args = vec!["run", "How many files are here?", "--dialect", dialect, "--model"];
    args.extend([&*model.name, "--store", "memory", "--allow", "file_write"]);
    args.extend(flags.iter().filter(|flag| flag.starts_with("--")));
    let said = sandbox.silcrow(&args);

    let requests = model.requests.lock().unwrap().clone();
    let told = requests.iter().skip(1).any(|request| is_told(request));
    let stdout = case.sections("stdout").next().map_or_else(
        || format!("{LAST}\n"),
        |section| match text(&section.text) {
            text if text.is_empty() => text,
            text => format!("{text}\n"),
        },
    );
    let checks = [
        ("outcome", case.value("outcome") == Some("told"), told),
        ("writes", flags.contains(&"writes"), sandbox.root().join("ran.txt").exists()),
    ];
    let mut wrong = String::new();
    for (what, wanted, found) in checks.into_iter().filter(|(_, wanted, found)| wanted != found) {
        write!(wrong, "\n{what}: {found}, not {wanted}").unwrap();
    }
    let exit: i32 = case.value("exit").unwrap_or("0").parse().unwrap();
    if said.code != Some(exit) {
        write!(wrong, "\nexit {:?}, not {exit}", said.code).unwrap();
    }
    if exit != 0 && !said.err.contains("silcrow:") {
        wrong.push_str("\nno error is shown");
    }
    if said.out != stdout {
        write!(wrong, "\nstdout {:?}, not {stdout:?}", said.out).unwrap();
    }
    let last = requests.get(1).map(|request| request.chars().rev().take(600).collect::<String>());
    let last = last.unwrap_or_default().chars().rev().collect::<String>();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}\nstderr: {}\nsecond request: {last}", said.err)),
    }
}

/// Returns whether a request tells the model what was wrong: in a notice, or in a result of the
/// framework.
fn is_told(request: &str) -> bool {
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let messages = body["messages"].as_array().unwrap().iter().skip(1);
    let mut texts = messages.map(|message| message["content"].as_str().unwrap());
    texts.any(|text| {
        text.contains("[Your last answer")
            || text.contains("[You have made")
            || text.contains(r#""origin":"framework""#)
    })
}

/// What the model answers in the end.
const LAST: &str = "There are two files.";

fn last_answer(dialect: &str) -> String {
    match dialect {
        "sigil" => format!("§respond: {LAST}\n§end"),
        "phase" => format!("{LAST}\n<end>"),
        _ => format!("<response>{LAST}</response>"),
    }
}

/// A server of Chat Completions that gives these answers, and then always the last one.
struct ScriptedServer {
    /// The name of its model for the command.
    name: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    fn start(answers: Vec<String>, last: String, finish: &str, flags: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let name = format!("compatible:http://{}#m", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (asked, finish) = (Arc::clone(&requests), finish.to_owned());
        let is_cut = flags.contains(&"cut");
        // The thread ends with the process of the test.
        thread::spawn(move || {
            let mut answers = answers.into_iter().enumerate();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let text = request(&mut stream);
                asked.lock().unwrap().push(text);
                let (index, answer) = answers.next().unwrap_or_else(|| (1, last.clone()));
                let finish = match index {
                    0 if is_cut => None,
                    0 => Some(&*finish),
                    _ => Some("stop"),
                };
                // The command hangs up as soon as it has read enough.
                let _ = stream.write_all(sse(&answer, finish).as_bytes());
            }
        });
        Self { name, requests }
    }
}

/// Returns an answer as server-sent events, in pieces of a few characters.
fn sse(answer: &str, finish: Option<&str>) -> String {
    let mut text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".to_owned();
    let mut push = |delta: Value, finish: Option<&str>| {
        let data = json!({"choices": [{"delta": delta, "finish_reason": finish}]});
        text.push_str(&format!("data: {data}\n\n"));
    };
    let chars: Vec<_> = answer.chars().collect();
    for piece in chars.chunks(5) {
        push(json!({"content": piece.iter().collect::<String>()}), None);
    }
    if let Some(finish) = finish {
        push(json!({}), Some(finish));
        text.push_str("data: [DONE]\n\n");
    }
    text
}
