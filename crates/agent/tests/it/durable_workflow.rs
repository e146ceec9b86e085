//! The example of a durable workflow, which is killed between any two changes of the store and
//! repeated, as engines for workflows do it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_event::Event;
use silcrow_store::Store;
use silcrow_testkit::PostgresServer;

use crate::killed::steps::Steps;
use crate::killed::{DATABASE, open};
use crate::watched::{StoreActivity, Watched};

#[path = "../../examples/durable_workflow.rs"]
#[expect(dead_code, reason = "its `main` is the program of the example")]
mod example;

#[tokio::test]
async fn repeated_workflow_finds_answers_after_any_kill() {
    check_kills(None, 1).await;
}

#[tokio::test]
async fn a_workflow_is_repeated_on_another_machine() {
    if let Some(server) = PostgresServer::shared() {
        // Each database takes a moment.
        check_kills(Some(server), 4).await;
    }
}

/// Kills the workflow at one of so many steps, and repeats it to its end.
async fn check_kills(server: Option<&PostgresServer>, every: u32) {
    let mut at = 0;
    loop {
        at += every;
        let dir = tempfile::tempdir().unwrap();
        let database = server.map(PostgresServer::database);
        if let Some(database) = &database {
            std::fs::write(dir.path().join(DATABASE), database).unwrap();
            // The tables.
            open(dir.path()).await;
        }
        let was_killed = run_in_a_process(dir.path(), at);
        if let (Some(server), Some(database)) = (server, &database) {
            server.run(database, "update silcrow.conversation set lease_until = now()");
        }
        assert!(!run_in_a_process(dir.path(), 0), "killed at {at}");
        let done = verify(dir.path()).await;

        // An engine that has lost its journal repeats all steps.
        std::fs::remove_file(dir.path().join("journal")).unwrap();
        assert!(!run_in_a_process(dir.path(), 0), "killed at {at}, without a journal");
        assert_eq!(verify(dir.path()).await, done, "killed at {at}: the log has grown");
        if !was_killed {
            break;
        }
    }
    assert!(at > 20, "there are {at} steps: most were not looked at");
}

/// Compares logs, ledger and journal, and returns the logs.
async fn verify(dir: &Path) -> Vec<String> {
    let ledger = std::fs::read_to_string(dir.join("ledger")).unwrap_or_default();
    let charged: Vec<&str> = ledger.lines().collect();
    let once: BTreeSet<&&str> = charged.iter().collect();
    assert_eq!(charged.len(), once.len(), "charged twice: {ledger}");
    let journal = std::fs::read_to_string(dir.join("journal")).unwrap();
    assert_eq!(journal.lines().count(), CONVERSATIONS.len(), "{journal}");
    let store = open(dir).await;
    let mut logs = Vec::new();
    for conversation in CONVERSATIONS {
        let log = store.read(conversation, 1..=u64::MAX).await.unwrap();
        let count =
            |wanted: fn(&Event) -> bool| log.iter().filter(|one| wanted(&one.event)).count();
        assert_eq!(count(|event| matches!(event, Event::User { .. })), 1, "{log:?}");
        assert_eq!(count(|event| matches!(event, Event::Call(_))), 1, "{log:?}");
        assert_eq!(count(|event| matches!(event, Event::Result(_))), 1, "{log:?}");
        assert_eq!(count(|event| matches!(event, Event::Respond(_))), 1, "{log:?}");
        let result = log.iter().find_map(|entry| match &entry.event {
            Event::Result(result) => Some(result.content.text()),
            _ => None,
        });
        let was_charged = charged.iter().any(|line| line.starts_with(&format!("{conversation}/")));
        assert!(was_charged || result.unwrap() != "charged", "{log:?}");
        logs.extend(log.iter().map(silcrow_event::Entry::to_json));
    }
    logs
}

/// Runs [`child`] in another process of this test binary, and returns whether it was killed.
fn run_in_a_process(dir: &Path, at: u32) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["durable_workflow::child", "--exact", "--ignored", "--test-threads=1"])
        .env("SILCROW_TEST_DIR", dir)
        .env("SILCROW_TEST_KILL_AT", at.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let was_killed = output.status.code().is_none();
    assert!(was_killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    was_killed
}

/// The test of the other process: the workflow, which is killed at the step with this number.
#[tokio::test]
#[ignore = "run by the tests above, in a process of its own"]
async fn child() {
    let dir =
        PathBuf::from(std::env::var_os("SILCROW_TEST_DIR").expect("the tests above run this"));
    let at = std::env::var("SILCROW_TEST_KILL_AT").unwrap().parse().unwrap();
    let steps = Steps { taken: Arc::default(), at };
    let watch = move |activity| match activity {
        StoreActivity::Changing | StoreActivity::Changed => steps.step(),
        StoreActivity::Read(_) => {}
    };
    let store: Arc<dyn Store> = Arc::new(Watched { store: open(&dir).await, watch });
    let agent = Agent::new(example::Clerk, Arc::clone(&store))
        .with_tool(example::Charge { ledger: dir.join("ledger") })
        .unwrap();
    let mut journal = example::StepJournal::open(&dir.join("journal")).unwrap();
    let done = example::order(&mut journal, &agent, &*store).await.unwrap();
    assert_eq!(done, "deposit: It is charged.\nrest: It is charged.");
}

/// The conversations of the steps.
const CONVERSATIONS: [&str; 2] = ["order-7/deposit", "order-7/rest"];
