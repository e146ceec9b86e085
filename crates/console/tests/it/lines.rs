//! A run as lines: an answer and other output on one terminal, and questions that a line answers.

use std::io::{self, PipeReader, PipeWriter, Read as _, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use silcrow_agent::RunOutcome;
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::options::ConsoleOptions;
use silcrow_console::question::QuestionStyle;
use silcrow_console::screen::{Screen, lock};
use silcrow_console::typed::TypedLines;
use silcrow_event::{CallResult, Event, LogPosition, RunEventRef, TextFragment, TextKind};
use silcrow_policy::PermissionMode;
use silcrow_sanitize::{is_direction_mark, is_hidden};
use silcrow_tool::{CancellationToken, Scope};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::support::{agent, policy};

/// The text that a terminal of lines has shown.
#[derive(Clone)]
struct ShownLines(watch::Sender<String>);

impl Write for ShownLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send_modify(|text| text.push_str(std::str::from_utf8(bytes).unwrap()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines that a test types into a pipe.
struct PipedLines(PipeReader);

impl TypedLines for PipedLines {
    fn can_ask(&self) -> bool {
        true
    }

    fn forget(&self) -> io::Result<()> {
        let none = Timespec::default();
        let mut byte = [0];
        loop {
            let mut ready = [PollFd::new(&self.0, PollFlags::IN)];
            let is_ready = retry_on_intr(|| poll(&mut ready, Some(&none)))? > 0;
            if !is_ready || (&self.0).read(&mut byte)? == 0 {
                return Ok(());
            }
        }
    }

    fn line(&self, asked: &PipeReader) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            let mut ready =
                [PollFd::new(asked, PollFlags::empty()), PollFd::new(&self.0, PollFlags::IN)];
            retry_on_intr(|| poll(&mut ready, None))?;
            if !ready[0].revents().is_empty() {
                return Ok(None);
            }
            // A terminal returns one line at once, too.
            let mut byte = [0];
            if (&self.0).read(&mut byte)? == 0 {
                break;
            }
            line.push(byte[0]);
        }
        Ok(Some(String::from_utf8(line).unwrap()))
    }
}

/// The results of a run at a terminal of lines.
struct EndedLines {
    shown: String,
    ended: Result<RunOutcome, silcrow_agent::Error>,
    folder: TempDir,
}

impl EndedLines {
    fn written(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(name)).ok()
    }
}

/// Plays a script, and types each answer when its question is on the screen. The input ends after the
/// last one. An answer of Ctrl-C cancels the run.
async fn asked(script: &str, answers: &[&str]) -> EndedLines {
    let (state, mut seen) = watch::channel(String::new());
    let shown = ShownLines(state);
    let output = ConsoleOutput::new(shown.clone(), shown).on_one_terminal();
    let mut options = ConsoleOptions::new();
    options.streams_answer = true;
    let screen = Arc::new(Mutex::new(Screen::new(Vec::new(), output, &options)));
    let (input, typed) = io::pipe().unwrap();
    let desk = LineDesk::new(&screen).with_lines(PipedLines(input));
    let style = QuestionStyle { columns: 80, color: false };
    let approver = TerminalApprover::new(QuestionDesk::Lines(desk)).with_style(move || style);
    let folder = TempDir::new().unwrap();
    let policy = policy(PermissionMode::Ask, folder.path());
    let agent = agent(script, folder.path(), &policy, approver, None);
    let cancel = CancellationToken::new();
    let scope = Scope::new("c1").with_cancellation(cancel.clone());
    let mut show = |event: RunEventRef<'_>| lock(&screen).show(event);
    let run = agent.run(scope, "go", &mut show);
    let (ended, _typed) = tokio::join!(run, answer(&mut seen, typed, answers, &cancel));
    lock(&screen).finish().unwrap();
    let shown = seen.borrow().clone();
    EndedLines { shown, ended, folder }
}

async fn answer(
    seen: &mut watch::Receiver<String>,
    mut typed: PipeWriter,
    answers: &[&str],
    cancel: &CancellationToken,
) -> Option<PipeWriter> {
    for (index, answer) in answers.iter().enumerate() {
        let asked = seen.wait_for(|text| text.matches("[N] ").count() > index);
        let asked = timeout(LONG, asked).await.map(drop);
        assert!(asked.is_ok(), "no question {index}");
        match *answer {
            "\x03" => {
                cancel.cancel();
                // The end of the input would answer the question.
                return Some(typed);
            }
            answer => typed.write_all(answer.as_bytes()).unwrap(),
        }
    }
    None
}

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"a.txt\",\"content\":\"alpha\"}}
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"a.txt\",\"content\":\"alpha\"}}
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\\u001b[2J\"}}
§execute
%%
§respond: Done.
§end";

#[tokio::test]
async fn conversation_approval_covers_file_and_denial_is_reported() {
    let run = asked(WRITES, &["a\n", "use c.txt\n"]).await;
    let shown = &run.shown;
    assert!(matches!(run.ended, Ok(RunOutcome::Answered)), "{shown}");
    assert_eq!(shown.matches("A call needs your approval.").count(), 2, "{shown}");
    assert!(shown.contains("\nalways   │ file a.txt\n"), "{shown}");
    assert_eq!(run.written("a.txt").as_deref(), Some("alpha"));
    assert_eq!(run.written("b.txt"), None);
    assert!(shown.contains("and said: use c.txt"), "{shown}");
    // Nothing comes between a question and its answer.
    let (_, rest) = shown.rsplit_once("[N] ").unwrap();
    assert!(rest.starts_with(['✓', '✗']), "{shown}");
    assert!(!shown.contains("\u{1b}[2J"), "what a model writes commands no terminal");
}

#[tokio::test]
async fn end_of_input_denies() {
    let run = asked(WRITES, &["n\n"]).await;
    let shown = &run.shown;
    assert!(matches!(run.ended, Ok(RunOutcome::Answered)), "{shown}");
    assert_eq!(shown.matches("the person did not allow").count(), 3, "{shown}");
    assert_eq!(run.written("a.txt"), None);
}

/// The first question is open when the lines are typed, so the second one is not an answer to the
/// question that follows.
#[tokio::test]
async fn early_typing_does_not_answer_a_question() {
    let run = asked(WRITES, &["n\ny\n", "n\n", "n\n"]).await;
    let shown = &run.shown;
    assert!(matches!(run.ended, Ok(RunOutcome::Answered)), "{shown}");
    assert_eq!(shown.matches("the person did not allow").count(), 3, "{shown}");
    assert_eq!(run.written("a.txt"), None);
}

#[tokio::test]
async fn stopped_run_withdraws_its_question() {
    let run = asked(WRITES, &["\x03"]).await;
    let shown = &run.shown;
    assert!(matches!(run.ended, Ok(RunOutcome::Interrupted)), "{shown}");
    assert!(shown.contains("[N] \nthe question was taken back\n"), "{shown}");
    assert_eq!(shown.matches("cancelled: the person stopped the run").count(), 3, "{shown}");
    assert_eq!(run.written("a.txt"), None);
}

#[tokio::test]
async fn only_thoughts_and_answers_keep_bidi_marks() {
    let args = serde_json::json!({ "file": "\u{200f}x", "content": "y\u{200e}\u{61c}" });
    let script = format!(
        "§think: \u{200f}א\u{200f}!\n§call: {{\"name\":\"file_write\",\"args\":{args}}}\n\
         §execute\n%%\n§respond: \u{200f}ב\u{200e}!\n§end"
    );
    let shown = asked(&script, &["n\n"]).await.shown;
    assert!(
        shown.contains("\u{200f}א\u{200f}!") && shown.contains("\u{200f}ב\u{200e}!"),
        "{shown:?}"
    );
    let prose = shown.replace("\u{200f}א\u{200f}!", "").replace("\u{200f}ב\u{200e}!", "");
    assert!(!prose.contains(is_direction_mark), "{prose:?}");
    assert!(prose.contains("\\u{200f}x"), "{prose:?}");
    assert!(shown.contains("y\\u{200e}\\u{61c}"), "{shown:?}");
}

#[tokio::test]
async fn question_text_never_controls_the_terminal() {
    let name = "a\x1b[2J\u{9b}31m\u{202e}\rb\nsilcrow: owned\u{7f}\u{200b}\u{e0041}";
    // The texts of the sanitizer's table, a line each.
    let table = include_str!("../../../sanitize/tests/cases/terminal.jsonl");
    let hostile: String = table
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|case| format!("{} .\n", case["text"].as_str().unwrap()))
        .collect();
    let content = format!("{hostile}\x1b]0;owned\x07\u{feff}\n");
    let args = serde_json::json!({ "file": name, "content": content });
    let script = format!(
        "§call: {{\"name\":\"file_write\",\"args\":{args}}}\n§execute\n%%\n§respond: done\n§end"
    );
    let shown = asked(&script, &["n\n"]).await.shown;
    let joins = |char| matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\n');
    let hidden = shown.chars().find(|char| is_hidden(*char) && !joins(*char));
    assert_eq!(hidden, None, "{shown:?}");
    assert!(shown.contains("\\x1b]0;owned\\x07"), "{shown:?}");
}

/// The end of a call is shown between two lines of the answer, and not within one.
#[test]
fn call_end_does_not_break_an_answer_line() {
    let (state, seen) = watch::channel(String::new());
    let shown = ShownLines(state);
    let output = ConsoleOutput::new(shown.clone(), shown).on_one_terminal();
    let mut options = ConsoleOptions::new();
    options.streams_answer = true;
    let mut screen = Screen::new(Vec::new(), output, &options);
    let place = LogPosition::default();
    let text = |text| {
        let kind = TextKind::Respond { last: true };
        RunEventRef::Text(TextFragment { kind, part: 1, id: None, text }, place)
    };
    screen.show(text("The file has al"));
    let result = CallResult::success("a", "file_read", "1 line", "alpha");
    screen.show(RunEventRef::Entry(&Event::Result(result).into()));
    screen.show(text("pha and more.\nThat is all of it.\n\nReally."));
    screen.show(RunEventRef::Entry(&Event::respond("…").into()));
    screen.show(RunEventRef::Entry(&Event::End.into()));
    screen.finish().unwrap();
    let shown = seen.borrow().clone();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(
        lines,
        ["The file has alpha and more.", "✓ file_read 1 line", "That is all of it.", "", "Really."]
    );
}

/// The time after which a test gives up.
const LONG: Duration = Duration::from_secs(60);
