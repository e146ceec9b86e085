//! A transaction whose process is killed at any change of the store: a later process takes all of
//! its changes back (P-32).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, InlineWorkflow};
use silcrow_event::{CallResult, Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Scope, Tool, ToolError, ToolOutput, Toolbox};

use crate::parked_law::mortal::{Death, MortalStore};
use crate::support::{tool, with};
use crate::transactions::{Files, Write};

/// The effects that were done and taken back, in order: `+x` and `-x`.
type Ledger = Arc<Mutex<Vec<String>>>;

fn notes(name: &'static str, sign: char, ledger: &Ledger) -> impl Tool + use<> {
    let ledger = Arc::clone(ledger);
    tool(name, move |args: String, _| {
        let of: std::collections::BTreeMap<String, String> = serde_json::from_str(&args).unwrap();
        ledger.lock().unwrap().push(format!("{sign}{}", of["of"]));
        async move { Ok(ToolOutput::new("done", of["of"].clone())) }.boxed()
    })
}

const ACTIONS: &str = r#"[{"id":"t","transaction":[
    {"id":"a","name":"create","parameters":{"of":"A"},
     "compensate":{"name":"delete","parameters":{"of":"$a"}}},
    {"id":"w","name":"write","parameters":{"file":"w","text":"$a"}},
    {"id":"l","foreach":"['x','y']","as":"n","max_parallel":1,"actions":[
        {"id":"u","transaction":[
            {"id":"b","name":"create","parameters":{"of":"$n"},
             "compensate":{"name":"delete","parameters":{"of":"$n"}}}]}]},
    {"id":"bad","name":"bad","compensate":{"name":"delete","parameters":{"of":"never"}}}]}]"#;

/// The same as tags of a turn.
const TURN: &str = r#"<transaction id="t">
<action id="a">{"name":"create","parameters":{"of":"A"},"compensate":{"name":"delete","parameters":{"of":"$a"}}}</action>
<action id="w">{"name":"write","parameters":{"file":"w","text":"$a"}}</action>
<foreach id="l" in="['x','y']" as="n" max_parallel="1"><transaction id="u">
<action id="b">{"name":"create","parameters":{"of":"$n"},"compensate":{"name":"delete","parameters":{"of":"$n"}}}</action>
</transaction></foreach>
<action id="bad">{"name":"bad","compensate":{"name":"delete","parameters":{"of":"never"}}}</action>
</transaction>"#;

/// The state that all processes share.
#[derive(Default)]
struct World {
    /// Whether the transaction is in the turn of a model, and not in a workflow.
    is_turn: bool,
    store: Arc<MemoryStore>,
    ledger: Ledger,
    files: Files,
}

impl World {
    /// Runs a process that may die, and returns whether it did.
    async fn process(&self, prompt: &str, death: Option<Death>) -> bool {
        let store = MortalStore::new(&self.store, death);
        let bad = tool("bad", |_, _| async { Err(ToolError::new("no")) }.boxed());
        let inner = crate::support::toolbox([
            with(notes("create", '+', &self.ledger)),
            with(notes("delete", '-', &self.ledger)),
            with(bad),
            with(Write(Arc::clone(&self.files))),
        ]);
        let dialect = if self.is_turn { Dialect::Action } else { Dialect::Sigil };
        let host = Agent::new(ScriptedModel::parse("", 1), store.clone()).with_tools(inner.clone());
        let mut tools = if self.is_turn { inner } else { Toolbox::new() };
        tools.add(InlineWorkflow::new(move || host.clone())).unwrap();
        let actions = ACTIONS.replace('\n', " ");
        let text = match prompt {
            "go" if self.is_turn => format!("{TURN}\n%%\n<response>Done.</response>"),
            _ if self.is_turn => "<response>Done.</response>".to_owned(),
            "go" => format!(
                "§call: {{\"name\":\"workflow\",\"args\":{{\"actions\":{actions}}}}}\n§execute\n%%\nDone.\n§end"
            ),
            _ => "Done.\n§end".to_owned(),
        };
        let agent = Agent::new(ScriptedModel::parse(&text, 1), store.clone());
        let agent = agent.with_tools(tools).with_dialect(dialect);
        let scope = Scope::new("c").with_cancellation(CancellationToken::new());
        let run = async { agent.stream(scope, prompt).answer().await.map(drop) };
        tokio::select! {
            biased;
            () = store.died() => true,
            ended = run => {
                ended.unwrap();
                false
            }
        }
    }

    async fn log(&self) -> Vec<Entry> {
        let name = if self.is_turn { "c" } else { "c/1/a1" };
        let head = self.store.head(name).await.unwrap();
        if head == 0 { Vec::new() } else { self.store.read(name, 1..=head).await.unwrap() }
    }

    async fn verify(&self, what: &str) {
        let ledger = self.ledger.lock().unwrap().clone();
        let log = self.log().await;
        for name in ["A", "x", "y"] {
            let at = |sign: char| {
                let entries = ledger.iter().enumerate();
                let own = entries.filter(|(_, entry)| **entry == format!("{sign}{name}"));
                own.map(|(at, _)| at).collect::<Vec<_>>()
            };
            let (done, undone) = (at('+'), at('-'));
            assert!(done.len() <= 1, "{what}: {name} was done twice: {ledger:?}");
            // The output with which `A` would be taken back may be lost, and the log says so.
            let end = result(&log, "t").map(CallResult::failure_text).unwrap_or_default();
            if name == "A" && end.contains("`a`: its `compensate` needs `$a`") {
                continue;
            }
            if let Some(done) = done.first() {
                let is_undone = undone.last().is_some_and(|undone| undone > done);
                assert!(is_undone, "{what}: {name} stays: {ledger:?}\n{:#?}", events(&log));
            }
        }
        assert!(self.files.lock().unwrap().is_empty(), "{what}: a file stays");
        if ledger.iter().any(|entry| entry.starts_with('+')) {
            assert!(result(&log, "t").is_some(), "{what}: {:#?}", events(&log));
        }
    }
}

fn result<'l>(log: &'l [Entry], id: &str) -> Option<&'l CallResult> {
    log.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if result.id.as_deref() == Some(id) => Some(result),
        _ => None,
    })
}

fn events(log: &[Entry]) -> Vec<String> {
    log.iter().map(Entry::to_json).collect()
}

#[tokio::test]
async fn killed_workflow_is_rolled_back_by_next_process() {
    check_deaths(false).await;
}

#[tokio::test]
async fn killed_turn_is_rolled_back_by_next_process() {
    check_deaths(true).await;
}

async fn check_deaths(is_turn: bool) {
    let deaths =
        (1..).flat_map(|change| [true, false].map(|takes_effect| Death { change, takes_effect }));
    let mut last = 0;
    for death in deaths {
        let world = World { is_turn, ..World::default() };
        let died = world.process("go", Some(death)).await;
        assert!(!world.process("again", None).await);
        world.verify(&format!("{death:?}")).await;
        if !died {
            last = death.change;
            break;
        }
    }
    assert!(last > 20, "there are {last} changes: most were not looked at");
}

#[tokio::test]
async fn rollback_survives_process_death() {
    for change in (4..40).step_by(3) {
        for second in 1.. {
            let world = World { is_turn: change % 2 == 0, ..World::default() };
            world.process("go", Some(Death { change, takes_effect: true })).await;
            let again = Death { change: second, takes_effect: second % 2 == 0 };
            let died = world.process("again", Some(again)).await;
            assert!(!world.process("once more", None).await);
            world.verify(&format!("{change}, then {second}")).await;
            if !died {
                break;
            }
        }
    }
}
