//! Runs that each protocol encodes, one for each thing that its clients have to show.

use silcrow_event::{
    Approval, ApprovalState, CallChanges, CallKind, CallResult, DeltaKind, Entry, ErrorEvent,
    ErrorOrigin, Event, FileDelta, FileDiff, Grants, Metric, OpenQuestion, Parked, PreviewDiff,
    Progress, Respond, RunEvent, Usage,
};
use silcrow_front::{RunEncoder, RunEnd};

use crate::run_writer::{RunWriter, call};

/// A run as its encoder gets it.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// The events that the client already has.
    pub(crate) known: Vec<Entry>,
    pub(crate) events: Vec<RunEvent>,
    pub(crate) end: RunEnd,
}

impl Scenario {
    /// Returns all scenarios.
    pub(crate) fn all() -> [Self; 9] {
        [
            text(),
            parallel(),
            approval(),
            continuation(),
            agent(),
            failure(),
            malformed(),
            stopped(),
            error(),
        ]
    }

    fn new(name: &'static str, run: RunWriter, end: RunEnd) -> Self {
        Self { name, known: Vec::new(), events: run.events, end }
    }

    /// Returns the log of the conversation after the run.
    pub(crate) fn stored(&self) -> Vec<Entry> {
        let mut stored = self.known.clone();
        stored.extend(self.events.iter().filter_map(|event| match event {
            RunEvent::Entry(entry) if entry.event.is_stored() && entry.agent_path.is_none() => {
                Some(Entry::clone(entry))
            }
            _ => None,
        }));
        stored
    }

    /// Returns everything that an encoder writes.
    pub(crate) fn encode(&self, encoder: &mut dyn RunEncoder) -> String {
        let mut out = String::new();
        self.known.iter().for_each(|entry| encoder.skip(entry));
        encoder.begin(&mut out);
        self.events.iter().for_each(|event| encoder.encode(event.as_ref(), &mut out));
        encoder.end(&self.end, &mut out);
        out
    }
}

/// A thought and an answer.
fn text() -> Scenario {
    let mut run = begin("What is 2 + 2?");
    run.think("The person asks for a sum.");
    run.answer("2 + 2 is 4.\nAnything else?");
    finish("text", run)
}

/// Two calls, of which the first has its result while the model writes the second.
pub(crate) fn parallel() -> Scenario {
    let mut run = begin("Compare the files.");
    run.answer("I read both.");
    run.call(1, "file_read", A);
    run.start("a1", A);
    run.begin_call(2, "file_read", B);
    run.store(read("a1", "one\n"));
    run.end_call(2, "file_read", B);
    run.start("a2", B);
    for (n, content) in (0..).zip(["reading", " b.txt\n"]) {
        let (id, channel) = ("a2".to_owned(), "stdout".to_owned());
        run.pass(Event::Progress(Progress { id, channel, n, content: content.to_owned() }));
    }
    run.pass(Event::Execute);
    let hunks = "@@ -1 +1,2 @@\n-on<e>\n+one\n+two \"2\"\n";
    let text = FileDelta::new("b <i>.txt", DeltaKind::Changed).with_lines(2, 1).with_hunks(hunks);
    let files = vec![text, FileDelta::new("logo.png", DeltaKind::Removed)];
    run.pass(Event::Changes(CallChanges { id: "a2".to_owned(), files }));
    run.store(read("a2", "two\n"));
    run.set_turn(2);
    run.answer("They differ.");
    finish("parallel", run)
}

/// Two calls, of which a person is asked about the first; the run waits for the answer.
pub(crate) fn approval() -> Scenario {
    let mut run = begin("Write a.txt.");
    run.answer("I write it.");
    run.call(1, "file_write", WRITE);
    run.store(Event::Approval(asked(ApprovalState::Asked)));
    run.call(2, "file_read", B);
    run.start("a2", B);
    run.pass(Event::Execute);
    run.store(read("a2", "two\n"));
    run.store(Event::Parked(parked()));
    Scenario::new("approval", run, RunEnd::Waiting)
}

/// The run of [`approval`], which continues after a yes.
fn continuation() -> Scenario {
    let known = approval().stored();
    let mut run = RunWriter::resume(known.len() as u64, PIECE);
    run.store(Event::Approval(asked(ApprovalState::Allowed)));
    run.start("a1", WRITE);
    run.store(Event::Result(CallResult::success("a1", "file_write", "4 bytes", "written")));
    run.set_turn(2);
    run.answer("It is written.");
    Scenario { known, ..finish("continuation", run) }
}

/// A call that runs an agent, which makes a call itself.
pub(crate) fn agent() -> Scenario {
    let mut run = begin("Have a.txt read.");
    let task = r#"{"task":"Read a.txt."}"#;
    run.call(1, "helper", task);
    run.start("a1", task);
    run.agent(
        "a1",
        [
            Event::user("Read a.txt."),
            Event::think("One call does."),
            call(1, "file_read", A),
            read("a1", "one\n"),
            Event::respond("It says: one"),
        ],
    );
    run.store(Event::Result(CallResult::success("a1", "helper", "", "It says: one")));
    run.set_turn(2);
    run.answer("The file says: one");
    finish("agent", run)
}

/// A call that fails.
fn failure() -> Scenario {
    let mut run = begin("Read a.txt.");
    run.call(1, "file_read", A);
    run.start("a1", A);
    let why = "There is no file a.txt.";
    run.store(Event::Result(CallResult::failure("a1", Some("file_read"), "no such file", why)));
    run.set_turn(2);
    run.answer("The file does not exist.");
    finish("failure", run)
}

/// Text that should have been a call.
pub(crate) fn malformed() -> Scenario {
    let mut run = begin("Read a.txt.");
    run.store(Event::Respond(Respond::malformed("a1", "{\"name\":\"file_read\",\"args\":[}")));
    let why = "This is not a call: it is not JSON.";
    run.store(Event::Result(CallResult::framework_failure("a1", None, "malformed", why)));
    run.set_turn(2);
    run.answer("I cannot read it.");
    finish("malformed", run)
}

/// A run that is stopped while it writes an answer and a call runs.
fn stopped() -> Scenario {
    let mut run = begin("Read a.txt.");
    run.call(1, "file_read", A);
    run.start("a1", A);
    run.answer_piece("While this is being read, I ");
    run.pass(Event::Interrupt { reason: "stopped by the person".to_owned() });
    let why = "The run was stopped.";
    let result = CallResult::framework_failure("a1", Some("file_read"), "cancelled", why);
    run.store(Event::Result(result));
    run.store(Event::Cancelled { content: "stopped by the person".to_owned() });
    Scenario::new("stopped", run, RunEnd::Stopped)
}

/// A run that fails while it writes an answer.
fn error() -> Scenario {
    let mut run = begin("What is 2 + 2?");
    run.answer_piece("2 + 2 ");
    let (code, message) = ("unreachable", "The model cannot be reached; try again later.");
    run.pass(Event::Error(ErrorEvent {
        code: code.to_owned(),
        content: message.to_owned(),
        origin: ErrorOrigin::Provider,
        retry: true,
        at: None,
    }));
    run.store(Event::Cancelled { content: message.to_owned() });
    Scenario::new(
        "error",
        run,
        RunEnd::Failed { code: code.to_owned(), message: message.to_owned() },
    )
}

/// A command that fails, with an answer beside it that does not count.
pub(crate) fn draft() -> Scenario {
    let mut run = begin("Test and deploy.");
    run.call(1, "shell", A);
    run.start("a1", A);
    let failed = CallResult::failure("a1", Some("shell"), "exit status 1", "3 tests failed");
    run.store(Event::Result(failed.with_notices(vec!["exit status 1".to_owned()])));
    run.answer("It is deployed.");
    let content = "[Your last answer held a final response beside the call `a1`.]".to_owned();
    run.store(Event::Notice { content });
    run.set_turn(2);
    run.answer("The tests fail.");
    finish("draft", run)
}

pub(crate) fn begin(prompt: &str) -> RunWriter {
    RunWriter::begin(prompt, PIECE)
}

pub(crate) fn finish(name: &'static str, mut run: RunWriter) -> Scenario {
    let usage = Usage { input: 120, output: 30, cached: 100, reasoning: 8, ..Usage::default() };
    run.pass(Event::Metric(Metric::new(usage, usage)));
    run.pass(Event::End);
    Scenario::new(name, run, RunEnd::Answered)
}

fn read(id: &str, content: &str) -> Event {
    Event::Result(CallResult::success(id, "file_read", "1 line", content))
}

/// Returns the record that a run waits for the answer about its call `a1`.
pub(crate) fn parked() -> Parked {
    Parked {
        wire: "§respond: I write it.".to_owned(),
        dialect: "sigil".to_owned(),
        inline: false,
        families: Vec::new(),
        root: String::new(),
        questions: vec![OpenQuestion {
            id: "a1".to_owned(),
            item_of: None,
            kind: CallKind::Tool,
            tool: "file_write".to_owned(),
            args: WRITE.to_owned(),
            args_sha256: "00".repeat(32),
            target: Some("a.txt".to_owned()),
            effect: Some("creates a file of 4 bytes".to_owned()),
            diff: Some(PreviewDiff::new(vec![FileDiff {
                path: "a.txt".to_owned(),
                hunks: "@@ -0,0 +1 @@\n+one\n".to_owned(),
            }])),
            scope: "file a.txt".to_owned(),
            wider_scopes: Vec::new(),
            grants: Grants::none(),
            risk: None,
            why: Some("the mode `ask` asks about changes of files".to_owned()),
        }],
        inside: Vec::new(),
    }
}

pub(crate) fn asked(state: ApprovalState) -> Approval {
    let (args_sha256, target) = (Some("00".repeat(32)), Some("a.txt".to_owned()));
    let (risk, scope, grants, reason) = Default::default();
    Approval { id: "a1".to_owned(), state, args_sha256, target, risk, scope, grants, reason }
}

const PIECE: Option<usize> = Some(10);
pub(crate) const A: &str = r#"{"path":"a.txt"}"#;
const B: &str = r#"{"path":"b.txt"}"#;
const WRITE: &str = r#"{"path":"a.txt","content":"one\n"}"#;
