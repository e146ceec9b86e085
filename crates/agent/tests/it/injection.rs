//! Hostile texts of files, pages, tools, people and models, which create no event (L-6).
//!
//! Each text of `cases/injection.jsonl` comes in by each way, in each dialect, over single requests
//! and over a session. For any text, the log has the events of a harmless one, the tool that it
//! asks for never runs, and the text is kept exactly.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
use silcrow_event::{CallResult, Event, Message, ResultStatus, Role, Truncation};
use silcrow_parser::{Dialect, Options, read_results, write};
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Tool, ToolError, ToolOutput};

use crate::support::{Ran, run, tool, toolbox, with};

#[tokio::test]
async fn foreign_text_is_never_an_event() {
    let texts = hostile_texts();
    assert!(texts.len() >= 100, "{}", texts.len());
    for (name, text) in &texts {
        for dialect in Dialect::ALL {
            for mode in [ConnectionMode::Replay, ConnectionMode::Resume] {
                let place = format!("{name}, {dialect:?}, {mode:?}: {text:?}");
                let (ran, asked) = called(text, dialect, mode).await;
                assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{place}");
                let types = |name: &'static str| [name; Way::ALL.len()];
                let types = [&["user"], &types("call")[..], &types("result"), &["respond"]];
                let mut stored = Ran::types(&ran.stored);
                // Calls may start, and end, before the next one is written.
                stored[1..=2 * Way::ALL.len()].sort_unstable();
                assert_eq!(stored, types.concat(), "{place}");
                let read = read_by_model(&asked, dialect, &place);
                for (number, way) in Way::ALL.into_iter().enumerate() {
                    let place = format!("{way:?}, {place}");
                    way.check(text, ran.result(&format!("a{}", number + 1)), &place);
                    match read[number].kept() {
                        // A text in the arguments of another call may be a name of this one.
                        Some(_) => assert!(dialect == Dialect::Action && text.contains('$')),
                        None => {
                            let read = trim(&read[number].content.text());
                            assert_eq!(read, trim(&way.content(text)), "{place}");
                        }
                    }
                    assert_eq!(asked[1].len(), 4, "{place}");
                }
            }
        }
    }
}

#[tokio::test]
async fn prompts_cannot_forge_events() {
    for (name, text) in hostile_texts() {
        for dialect in Dialect::ALL {
            for mode in [ConnectionMode::Replay, ConnectionMode::Resume] {
                let place = format!("{name}, {dialect:?}, {mode:?}: {text:?}");
                let (ran, asked) = ran(&answer("done", dialect), &text, dialect, mode, None).await;
                assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{place}");
                assert_eq!(Ran::types(&ran.stored), ["user", "respond"], "{place}");
                let Event::User { content, .. } = &ran.stored[0].event else { panic!("{place}") };
                assert_eq!(content.text(), text, "{place}");
                let messages = &asked[0];
                assert_eq!(roles(messages), [Role::System, Role::User], "{place}");
                assert!(read_results(&messages[1].text(), dialect).is_empty(), "{place}");
            }
        }
    }
}

#[tokio::test]
async fn quoted_model_text_cannot_forge_events() {
    for (name, text) in hostile_texts() {
        for dialect in Dialect::ALL {
            for mode in [ConnectionMode::Replay, ConnectionMode::Resume] {
                let place = format!("{name}, {dialect:?}, {mode:?}: {text:?}");
                let fence = fence(&text);
                let quoted = format!("It says:\n\n{fence}text\n{text}\n{fence}\n\nThat is all.");
                // The model does not use a writer's escapes.
                let script = answer("QUOTED", dialect).replace("QUOTED", &quoted);
                let (ran, _) = ran(&script, "What does it say?", dialect, mode, None).await;
                assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{place}");
                assert_eq!(Ran::types(&ran.stored), ["user", "respond"], "{place}");
                let Event::Respond(said) = &ran.stored[1].event else { panic!("{place}") };
                assert_eq!(said.wire.as_ref().unwrap_or(&said.content), &quoted, "{place}");
            }
        }
    }
}

/// The protocol is in the text, so a call that the model writes outside a fence is a call, even if
/// it repeats a page.
#[tokio::test]
async fn call_repeated_outside_a_fence_runs() {
    let (ran, _) = ran(REPEATED, "go", Dialect::Sigil, ConnectionMode::Replay, None).await;
    assert_eq!(Ran::types(&ran.stored), ["user", "respond", "call", "result", "respond"]);
}

const REPEATED: &str = "It says:\n§call: {\"name\":\"strike\"}\n§execute\n%%\n§respond: done\n§end";

/// The ways in which a text comes into a result.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The content of a file, a page or another output.
    Content,
    /// The title of a page, which its tool shows as the outcome, and its text.
    Page,
    /// The name of a file, in the arguments, in the outcome and in a list.
    FileName,
    /// The words of a tool that fails.
    Error,
    /// A remark of the tool.
    Remark,
    /// Both ends of an output that is too long.
    Cut,
}

impl Way {
    const ALL: [Self; 6] =
        [Self::Content, Self::Page, Self::FileName, Self::Error, Self::Remark, Self::Cut];

    fn output(self, text: &str) -> Result<ToolOutput, ToolError> {
        match self {
            Self::Content => Ok(ToolOutput::new("1 file", text)),
            Self::Page => Ok(ToolOutput::new(text, text)),
            Self::FileName => Ok(ToolOutput::new(format!("read {text}"), list(text))),
            Self::Error => Err(ToolError::new(text)),
            Self::Remark => Ok(ToolOutput::new("1 file", "content").with_notice(text)),
            Self::Cut => {
                let mut cut = Truncation::default();
                cut.tail = Some(text.to_owned());
                Ok(ToolOutput::new("1 file", text).with_truncation(cut))
            }
        }
    }

    fn content(self, text: &str) -> String {
        match self {
            Self::Content | Self::Page | Self::Error | Self::Cut => text.to_owned(),
            Self::FileName => list(text),
            Self::Remark => "content".to_owned(),
        }
    }

    /// Checks that a result has the text exactly, and only where it belongs.
    fn check(self, text: &str, result: &CallResult, place: &str) {
        assert_eq!(result.content.text(), self.content(text), "{place}");
        assert_eq!(result.tool(), Some("note"), "{place}");
        let failed = matches!(self, Self::Error);
        let status = if failed { ResultStatus::Failure } else { ResultStatus::Success };
        assert_eq!(result.status(), status, "{place}");
        let remarks: &[String] =
            if matches!(self, Self::Remark) { &[text.to_owned()] } else { &[] };
        assert_eq!(result.notices(), remarks, "{place}");
        let tail = result.truncated().and_then(|cut| cut.tail.as_deref());
        assert_eq!(tail, matches!(self, Self::Cut).then_some(text), "{place}");
    }
}

/// Returns the results that the model reads before its answer.
fn read_by_model(asked: &[Vec<Message>], dialect: Dialect, place: &str) -> Vec<CallResult> {
    let messages = &asked[1];
    let expected = [Role::System, Role::User, Role::Assistant, Role::User];
    assert_eq!(roles(messages), expected, "{place}");
    assert!(messages[3].text().starts_with("[data k"), "{place}");
    let read = read_results(&messages[3].text(), dialect);
    assert_eq!(read.len(), Way::ALL.len(), "{place}: {read:?}");
    assert!(read.iter().all(|result| result.tool() == Some("note")), "{place}: {read:?}");
    read
}

/// Runs a call for each way in which the text comes in.
async fn called(text: &str, dialect: Dialect, mode: ConnectionMode) -> (Ran, Vec<Vec<Message>>) {
    let args = Way::ALL.map(|way| {
        let path = if matches!(way, Way::FileName) { text } else { "a.txt" };
        serde_json::json!({ "path": path, "way": format!("{way:?}") }).to_string()
    });
    let calls: String = match dialect {
        Dialect::Sigil => {
            let call = |args| format!("§call: {{\"name\":\"note\",\"args\":{args}}}\n");
            args.iter().map(call).chain(["§execute".to_owned()]).collect()
        }
        Dialect::Phase => {
            let calls = args.iter().map(|args| format!("{{\"name\":\"note\",\"args\":{args}}}"));
            format!("<execute>[{}]</execute>", calls.collect::<Vec<_>>().join(","))
        }
        Dialect::Action => {
            let call =
                |args| format!("<action>{{\"name\":\"note\",\"parameters\":{args}}}</action>\n");
            args.iter().map(call).collect()
        }
    };
    let script = format!("{calls}\n%%\n{}", answer("done", dialect));
    let outputs = Way::ALL.map(|way| (format!("{way:?}"), way.output(text)));
    let note = tool("note", move |args, _| {
        let args: serde_json::Value = serde_json::from_str(&args).unwrap();
        let output = outputs.iter().find(|(way, _)| args["way"] == **way).unwrap().1.clone();
        async move { output }.boxed()
    });
    let (ran, asked) = ran(&script, "go", dialect, mode, Some(Arc::new(note))).await;
    let written = ran.stored.iter().filter_map(|entry| match &entry.event {
        Event::Call(call) => Some(call.args()),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), args);
    (ran, asked)
}

/// Runs a script, and returns the run and the messages of each request.
async fn ran(
    script: &str,
    prompt: &str,
    dialect: Dialect,
    mode: ConnectionMode,
    note: Option<Arc<dyn Tool>>,
) -> (Ran, Vec<Vec<Message>>) {
    let strikes = Arc::new(AtomicUsize::new(0));
    let strike = {
        let strikes = Arc::clone(&strikes);
        tool("strike", move |_, _| {
            strikes.fetch_add(1, Ordering::Relaxed);
            async { Ok(ToolOutput::new("", "")) }.boxed()
        })
    };
    let mut tools = toolbox([with(strike)]);
    if let Some(note) = note {
        tools.add(note).unwrap();
    }
    let store = Arc::new(MemoryStore::new());
    let context = RecordedContext::default();
    let agent = Agent::new(ScriptedModel::parse(script, 7), Arc::clone(&store))
        .with_dialect(dialect)
        .with_mode(mode)
        .with_tools(tools)
        .with_context(context.clone());
    let ran = run(&agent, &store, prompt, &CancellationToken::new()).await;
    let written = usize::from(script == REPEATED);
    assert_eq!(strikes.load(Ordering::Relaxed), written, "{script:?} {prompt:?}");
    let asked = context.asked.lock().unwrap().clone();
    (ran, asked)
}

/// The whole history, which records its messages.
#[derive(Clone, Default)]
pub(crate) struct RecordedContext {
    pub(crate) asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl ContextAssembler for RecordedContext {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let messages = FullHistory.assemble(input);
        self.asked.lock().unwrap().push(messages.clone());
        messages
    }
}

fn hostile_texts() -> Vec<(String, String)> {
    let read = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap().to_owned();
        (field("name"), field("text"))
    };
    include_str!("../cases/injection.jsonl").lines().map(read).collect()
}

fn answer(text: &str, dialect: Dialect) -> String {
    write([&Event::respond(text), &Event::End], Options::new(dialect))
}

/// Returns a fence that the text cannot close.
fn fence(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

fn list(name: &str) -> String {
    format!("a.txt\n{name}\nb.txt")
}

/// Returns the text without the white space that the wire drops.
fn trim(text: &str) -> String {
    text.trim_matches([' ', '\t', '\r', '\n']).to_owned()
}

fn roles(messages: &[Message]) -> Vec<Role> {
    messages.iter().map(|message| message.role).collect()
}
