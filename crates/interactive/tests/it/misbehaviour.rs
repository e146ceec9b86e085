//! Answers in which models break the protocol, in real runs (P-35 to P-38).
//!
//! `cases/misbehaviour` has a file for each dialect. The model's first answer is the text of a case,
//! and sections `next` have the following ones; after them it answers that there are two files. The
//! tools may write, so that a call that must not run leaves a file.
//!
//! | key | meaning |
//! |---|---|
//! | `outcome` | `ok`: no message is needed; `told`: the next request describes the fault; `asked`: it asks for the end of the answer, and the model writes that alone |
//! | `exit` | the exit code of the command: 0 if it is missing, 1 for a run that fails |
//! | `flags` | `writes`: a call writes `ran.txt`; `length`, `cut`: how the first answer ends; `model=NAME`: the name of the model, which may say its native form; an option of the command |
//!
//! The section `stdout` is the text for the person; without one it is the last answer.

use std::fmt::Write as _;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use silcrow_agent::{Error, RunOutcome};
use silcrow_cases::{Case, CaseFile};
use silcrow_console::ConsoleOutput;
use silcrow_console::options::TextPieces;
use silcrow_console::typed::TypedLines;
use silcrow_interactive::{AskOptions, FrontEnd, RunFront};
use silcrow_session::prompt::expand;
use silcrow_session::{AgentSession, RunTask};
use silcrow_tool::Scope;

use crate::support::{Sandbox, host};

#[tokio::test]
async fn sigil() {
    play("sigil").await;
}

#[tokio::test]
async fn phase() {
    play("phase").await;
}

#[tokio::test]
async fn action() {
    play("action").await;
}

/// Plays the cases of a file and reports all that went wrong.
async fn play(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/misbehaviour");
    let cases = std::fs::read_to_string(folder.join(format!("{name}.cases"))).unwrap();
    let cases = CaseFile::read(&cases).unwrap().cases;
    let mut wrong = String::new();
    // A run waits for its server and for files most of the time.
    let mut played = stream::iter(&cases).map(play_case).buffered(AT_ONCE);
    for case in &cases {
        if let Some(Err(why)) = played.next().await {
            writeln!(wrong, "=== {}: {why}\n", case.id).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{wrong}", cases.len());
}

/// The number of cases that run at once.
const AT_ONCE: usize = 4;

async fn play_case(case: &Case) -> Result<(), String> {
    let dialect = case.value("dialect").unwrap();
    let flags: Vec<_> = case.words("flags").collect();
    let text = |text: &silcrow_cases::CaseText| text.as_str().unwrap().to_owned();
    let answers = [text(&case.wire)];
    let outcome = case.value("outcome").unwrap();
    let end = (outcome == "asked").then(|| end(dialect).to_owned());
    let answers = answers.into_iter().chain(end);
    let answers = answers.chain(case.sections("next").map(|next| text(&next.text)));
    let finish = if flags.contains(&"length") { "length" } else { "stop" };
    let model = flags.iter().find_map(|flag| flag.strip_prefix("model=")).unwrap_or("m");
    let model =
        ScriptedServer::start(model, answers.collect(), last_answer(dialect), finish, &flags);

    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    std::fs::write(sandbox.root().join("b.txt"), "beta\n").unwrap();
    let mut options = sandbox.options("");
    options.session.dialect = dialect.parse().unwrap();
    options.session.model = Some(model.name.clone());
    options.session.store = Some("memory".into());
    options.session.allow = vec!["file_write".to_owned()];
    // No command runs, so none needs walls.
    options.session.policy.is_sandbox_off = true;
    for flag in flags.iter().filter(|flag| flag.starts_with("--")) {
        match *flag {
            "--inline" => options.session.inline = true,
            _ => panic!("{}: unknown option {flag}", case.id),
        }
    }
    let (said, ended) = run(options).await;

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
        ("told", outcome != "ok", told),
        ("writes", flags.contains(&"writes"), sandbox.root().join("ran.txt").exists()),
    ];
    let mut wrong = String::new();
    for (what, wanted, found) in checks.into_iter().filter(|(_, wanted, found)| wanted != found) {
        write!(wrong, "\n{what}: {found}, not {wanted}").unwrap();
    }
    if outcome == "asked" && !requests.get(1).is_some_and(|request| is_asked_for_its_end(request)) {
        wrong.push_str("\nit is not asked for its end");
    }
    let is_answered = matches!(ended, Ok(RunOutcome::Answered));
    if is_answered != (case.value("exit").unwrap_or("0") == "0") {
        write!(wrong, "\nthe run ended with {ended:?}").unwrap();
    }
    if said != stdout {
        write!(wrong, "\nstdout {said:?}, not {stdout:?}").unwrap();
    }
    let last = requests.get(1).map(|request| request.chars().rev().take(600).collect::<String>());
    let last = last.unwrap_or_default().chars().rev().collect::<String>();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}\nsecond request: {last}")),
    }
}

/// Runs the agent as a script does, and returns the text of the answer, and how the run ended.
async fn run(options: AskOptions) -> (String, Result<RunOutcome, Error>) {
    let session = AgentSession::open(options.session.clone(), &host()).await.unwrap();
    let answer = Arc::new(Mutex::new(Vec::new()));
    let output = ConsoleOutput::new(SharedBytes(Arc::clone(&answer)), io::sink());
    let mut front = RunFront::in_lines(&options, TextPieces::Token, &session, output, NoLines);
    front.begin(None, None);
    let agent = session.agent(front.approver(&session, &options, None));
    let root = &options.session.root;
    let prompt = expand("How many files are here?", root, &options.session.servers).unwrap();
    let task = RunTask::answer(prompt, None);
    let scope = Scope::new(session.conversation());
    let ended = front.perform(&task, &agent, scope, &mut |_| {}).await.unwrap();
    let end = FrontEnd { next: None, replayed: None, conversation: session.conversation() };
    front.finish(end).unwrap();
    session.finish().await;
    let answer = answer.lock().unwrap().clone();
    (String::from_utf8(answer).unwrap(), ended)
}

/// A writer whose bytes are read when the run has ended.
struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl io::Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Nobody who could answer a question.
struct NoLines;

impl TypedLines for NoLines {
    fn can_ask(&self) -> bool {
        false
    }

    fn forget(&self) -> io::Result<()> {
        Ok(())
    }

    fn line(&self, _: &PipeReader) -> io::Result<Option<String>> {
        Ok(None)
    }
}

/// Returns whether a request describes the fault to the model: in a notice, or in a result of the
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

fn is_asked_for_its_end(request: &str) -> bool {
    let questions =
        ["[Your last answer has no end.", "[Your last answer is outside of `<response>`."];
    questions.iter().any(|question| request.contains(question))
}

fn end(dialect: &str) -> &'static str {
    match dialect {
        "sigil" => "§end",
        "phase" => "<end>",
        _ => "<response></response>",
    }
}

/// The model's last answer.
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
    fn start(
        model: &str,
        answers: Vec<String>,
        last: String,
        finish: &str,
        flags: &[&str],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let name = format!("compatible:http://{}#{model}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (asked, finish) = (Arc::clone(&requests), finish.to_owned());
        let is_cut = flags.contains(&"cut");
        // The thread ends with the process of the test.
        thread::spawn(move || {
            let mut answers = answers.into_iter().enumerate();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(text) = request(&mut stream) else { continue };
                if text.starts_with("GET") {
                    // It says nothing about its models.
                    let _ =
                        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
                    continue;
                }
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

/// Reads a whole request: its head, and as much body as the head announces. A client may connect and say
/// nothing.
fn request(stream: &mut TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let len = stream.read(&mut buffer).unwrap();
        if len == 0 {
            return None;
        }
        bytes.extend_from_slice(&buffer[..len]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned)
        });
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        if body.len() >= length {
            return Some(text.into_owned());
        }
    }
}
