//! A process killed between any two steps of a run, and the next one (P-28).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{CallResult, Event, Fragment, Role};
use silcrow_parser::{Dialect, Parser, read_results};
use silcrow_provider::{
    Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request, ScriptedModel,
};
use silcrow_store::Store;
use silcrow_store_log::{Durability, LogStore, Options};
use silcrow_store_postgres::{Options as PostgresOptions, PostgresAddress, PostgresStore};
use silcrow_testkit::PostgresServer;
use silcrow_tool::{CallContext, ToolOutput, ToolPolicy, Toolbox};

use steps::Steps;

use crate::support::{Doing, TestTool, tool};
use crate::watched::{StoreActivity, Watched};

pub(crate) mod steps;

/// The options for a process that is killed on a machine that keeps running.
const KILLS: Options = Options { durability: Durability::Process };

#[tokio::test]
async fn killed_runs_repeat_only_harmless_calls() {
    for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
        let mut at = 0;
        loop {
            at += 1;
            let dir = tempfile::tempdir().unwrap();
            let was_killed = run_in_a_process(dir.path(), dialect, at);
            // The next process continues, and nothing kills it.
            assert!(!run_in_a_process(dir.path(), dialect, 0), "{dialect:?}, killed at {at}");
            verify(dir.path()).await;
            if !was_killed {
                break;
            }
        }
        assert!(at > 25, "{dialect:?} has {at} steps: most were not looked at");
    }
}

/// As above, with a store that machines share: each run is on another one, and takes over the
/// conversation that the killed one held.
#[tokio::test]
async fn dead_machine_is_replaced_without_duplicate_calls() {
    let Some(server) = PostgresServer::shared() else { return };
    let mut at = 0;
    loop {
        at += 1;
        let dir = tempfile::tempdir().unwrap();
        let database = server.database();
        std::fs::write(dir.path().join(DATABASE), &database).unwrap();
        let was_killed = run_in_a_process(dir.path(), Dialect::Sigil, at);
        // A machine that was killed before its first step has made no tables.
        if was_killed && at > 1 {
            server.run(&database, "update silcrow.conversation set lease_until = now()");
        }
        assert!(!run_in_a_process(dir.path(), Dialect::Sigil, 0), "killed at {at}");
        verify(dir.path()).await;
        if !was_killed {
            break;
        }
    }
    assert!(at > 25, "there are {at} steps: most were not looked at");
}

/// A process died between writing a group and moving the mark of the log: the mark still points to
/// the previous group. The next run reads the head that its append finds.
#[tokio::test]
async fn run_recovers_entries_after_the_mark() {
    let dir = tempfile::tempdir().unwrap();
    let store = LogStore::open(dir.path(), KILLS).await.unwrap();
    store.append("c", 0, vec![Event::user("first").into()]).await.unwrap();
    let mark = std::fs::read(dir.path().join("MARK")).unwrap();
    store.append("c", 1, vec![Event::respond("yes").into()]).await.unwrap();
    drop(store);
    std::fs::write(dir.path().join("MARK"), mark).unwrap();

    let store = Arc::new(LogStore::open(dir.path(), KILLS).await.unwrap());
    assert_eq!(store.head("c").await.unwrap(), 1, "readers do not see it");
    let model = ScriptedModel::parse("§respond: again\n§end", 3);
    let agent = Agent::new(model, Arc::clone(&store));
    let ended = agent.run("c", "second", &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let kinds: Vec<_> = entries.iter().map(|entry| entry.event.type_name()).collect();
    assert_eq!(kinds, ["user", "respond", "user", "respond"]);
}

/// Opens the store of a test: in the database that a file names, otherwise in the folder.
pub(crate) async fn open(dir: &Path) -> Box<dyn Store> {
    match std::fs::read_to_string(dir.join(DATABASE)) {
        Ok(address) => {
            let address = PostgresAddress::parse(&address, |_| None).unwrap();
            Box::new(PostgresStore::open(address, PostgresOptions::default()).await.unwrap())
        }
        Err(_) => Box::new(LogStore::open(dir.join("store"), KILLS).await.unwrap()),
    }
}

pub(crate) const DATABASE: &str = "database";

/// Runs [`child`] in another process of this test binary, and returns whether it was killed.
fn run_in_a_process(dir: &Path, dialect: Dialect, at: u32) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["killed::child", "--exact", "--ignored", "--test-threads=1"])
        .env("SILCROW_TEST_DIR", dir)
        .env("SILCROW_TEST_DIALECT", dialect.as_str())
        .env("SILCROW_TEST_KILL_AT", at.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let was_killed = output.status.code().is_none();
    assert!(was_killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    was_killed
}

/// Compares the runs that each tool recorded with the log.
async fn verify(dir: &Path) {
    let ledger = std::fs::read_to_string(dir.join("ledger")).unwrap_or_default();
    let ran: Vec<&str> = ledger.lines().collect();
    let once: BTreeSet<&str> = ran.iter().copied().map(key).collect();
    for name in ["look", "change"] {
        let ran: Vec<&str> = ran.iter().copied().filter(|line| line.ends_with(name)).collect();
        let once: BTreeSet<&&str> = ran.iter().collect();
        // The kill may happen within one of its calls.
        let twice = usize::from(name == "look");
        assert!(ran.len() <= once.len() + twice, "`{name}` ran too often: {ran:?}");
    }

    let store = open(dir).await;
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let mut calls = BTreeSet::new();
    let mut results: BTreeMap<String, &CallResult> = BTreeMap::new();
    for entry in &entries {
        let key_of = |id: &str| format!("{} {id}", entry.turn.unwrap());
        match &entry.event {
            Event::Call(call) => assert!(calls.insert(key_of(call.id()))),
            Event::Result(outcome) => {
                let key = key_of(outcome.id.as_deref().unwrap());
                assert!(calls.contains(&key), "{key} has a result and no call");
                assert!(results.insert(key.clone(), outcome).is_none(), "{key} has two results");
            }
            _ => {}
        }
    }
    for call in &calls {
        let result = results.get(call).unwrap_or_else(|| panic!("{call} has no result"));
        let says_it_ran = result.content.text().starts_with("ran");
        let says_it_did_not = result.content.text().starts_with("not started");
        assert!(!says_it_ran || once.contains(&**call), "{call}: {}", result.content);
        assert!(!says_it_did_not || !once.contains(&**call), "{call} ran: {}", result.content);
        let is_unknown = result.content.text().starts_with("interrupted");
        let of = result.payload.as_ref().and_then(|payload| payload.tool.as_deref());
        assert!(
            !is_unknown || of == Some("change"),
            "{of:?} was not run again: {}",
            result.content
        );
    }
    assert!(once.iter().all(|ran| calls.contains(*ran)), "what ran was stored before");
    assert!(matches!(entries.last().unwrap().event, Event::Respond(_)));
    let is_prompt = |event: &Event| matches!(event, Event::User { .. });
    let twice = entries.windows(2).any(|pair| pair.iter().all(|entry| is_prompt(&entry.event)));
    assert!(!twice, "a prompt without an answer is kept once");
}

/// Turn and id of a line that a tool noted, without its name.
fn key(line: &str) -> &str {
    line.rsplit_once(' ').unwrap().0
}

/// The test of the other process: one run, which is killed at the step with this number.
#[tokio::test]
#[ignore = "run by the tests above, in a process of its own"]
async fn child() {
    let dir =
        PathBuf::from(std::env::var_os("SILCROW_TEST_DIR").expect("the test above runs this"));
    let dialect: Dialect = std::env::var("SILCROW_TEST_DIALECT").unwrap().parse().unwrap();
    let at = std::env::var("SILCROW_TEST_KILL_AT").unwrap().parse().unwrap();
    let steps = Steps { taken: Arc::default(), at };
    steps.step();
    let store = open(&dir).await;
    let mut tools = Toolbox::new();
    for (name, read_only) in [("look", true), ("change", false)] {
        let policy = ToolPolicy { read_only, ..ToolPolicy::default() };
        let tool = noted(name, dir.join("ledger"), steps.clone()).with_policy(policy);
        tools.add(tool).unwrap();
    }
    let model = Model { dialect, steps: steps.clone() };
    let watch = move |activity| match activity {
        StoreActivity::Changing | StoreActivity::Changed => steps.step(),
        StoreActivity::Read(_) => {}
    };
    let agent = Agent::new(model, Watched { store, watch }).with_tools(tools).with_dialect(dialect);
    let ended = agent.run("c", "go", &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
}

/// Calls twice, and then answers; the messages of its request show which is next.
struct Model {
    dialect: Dialect,
    steps: Steps,
}

impl Provider for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.steps.step();
        let messages = &request.messages[1..];
        let mut asked = 0;
        for (index, message) in messages.iter().enumerate() {
            let role = if index % 2 == 0 { Role::User } else { Role::Assistant };
            assert_eq!(message.role, role, "{messages:?}");
            if asked > 0 {
                // The results come first, then the person's message.
                let text = message.text();
                let (results, _) = text.split_once("\n\n").unwrap_or((&text, ""));
                let results = results.trim_end_matches("§end").trim_end_matches("<end>");
                assert_eq!(read_results(results, self.dialect).len(), asked, "{}", message.content);
            }
            asked = if role == Role::Assistant { calls(&message.text(), self.dialect) } else { 0 };
        }
        let done = messages.iter().filter(|message| message.role == Role::Assistant).count();
        let text = match (self.dialect, done) {
            (Dialect::Sigil, 0) => {
                "§call: {\"name\":\"look\"}\n§call: {\"name\":\"change\"}\n§execute\n"
            }
            (Dialect::Sigil, 1) => "§call: {\"name\":\"change\"}\n§execute\n",
            (Dialect::Sigil, _) => "§respond: done\n§end",
            (Dialect::Phase, 0) => "<execute>[{\"name\":\"look\"},{\"name\":\"change\"}]</execute>",
            (Dialect::Phase, 1) => "<execute>[{\"name\":\"change\"}]</execute>",
            (Dialect::Phase, _) => "done<end>",
            (Dialect::Action, 0) => {
                "<action mode=\"async\">{\"name\":\"look\",\"parameters\":{}}</action>\n\
                 <action mode=\"async\">{\"name\":\"change\",\"parameters\":{}}</action>"
            }
            (Dialect::Action, 1) => "<action>{\"name\":\"change\",\"parameters\":{}}</action>",
            _ => "<response>done</response>",
        };
        let steps = self.steps.clone();
        // As much as a token at a time, each a step.
        let pieces: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let deltas = pieces.into_iter().map(Delta::Text).chain([Delta::Done(FinishReason::Stop)]);
        stream::iter(deltas).inspect(move |_| steps.step()).map(Ok).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

fn calls(wire: &str, dialect: Dialect) -> usize {
    let mut calls = 0;
    let mut parser = Parser::new(dialect);
    let mut count =
        |fragment: Fragment<'_>| calls += usize::from(matches!(fragment, Fragment::Call(_)));
    parser.push(wire, &mut count);
    parser.finish(&mut count);
    calls
}

/// A tool that notes each run in a file.
fn noted(
    name: &'static str,
    ledger: PathBuf,
    steps: Steps,
) -> TestTool<impl Fn(String, CallContext) -> Doing + Send + Sync> {
    tool(name, move |_, context| {
        let (ledger, steps) = (ledger.clone(), steps.clone());
        async move {
            steps.step();
            let mut ledger: File =
                OpenOptions::new().create(true).append(true).open(&ledger).unwrap();
            let line = format!("{} {} {name}\n", context.turn(), context.call_id());
            ledger.write_all(line.as_bytes()).unwrap();
            steps.step();
            tokio::task::yield_now().await;
            steps.step();
            Ok(ToolOutput::new("ran", format!("ran {name}")))
        }
        .boxed()
    })
}
