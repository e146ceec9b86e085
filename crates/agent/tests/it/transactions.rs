//! Transactions in workflows: their results, calls in the log, and stops (P-32).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::{Agent, InlineWorkflow};
use silcrow_event::{Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason, ScriptedModel};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    CallContext, CancellationToken, Tool, ToolArgs, ToolError, ToolOutput, Toolbox,
};

use crate::support::{Answer, DeltaModel, Ran, run, tool};

/// Files in memory: by its name the text of each, and the call that wrote it.
pub(crate) type Files = Arc<Mutex<BTreeMap<String, (String, String)>>>;

/// A tool that writes a file, and takes it away again unless somebody has changed it.
pub(crate) struct Write(pub(crate) Files);

impl Tool for Write {
    fn name(&self) -> &str {
        "write"
    }

    fn description(&self) -> &str {
        "Writes."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let args: BTreeMap<String, String> = serde_json::from_str(args.as_str()).unwrap();
        let file = (args["text"].clone(), context.call_id().to_owned());
        self.0.lock().unwrap().insert(args["file"].clone(), file);
        async { Ok(ToolOutput::new("written", "")) }.boxed()
    }

    fn can_undo(&self, _: ToolArgs<'_>) -> bool {
        true
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let mut files = self.0.lock().unwrap();
        let name = files.iter().find(|(_, (_, by))| by == call).map(|(name, _)| name.clone());
        let undone = match name {
            Some(name) if files[&name].0 == "mine" => Err(ToolError::new("it has changed since")),
            Some(name) => {
                files.remove(&name);
                Ok(ToolOutput::new(format!("removed {name}"), ""))
            }
            None => Ok(ToolOutput::new("nothing to take back", "")),
        };
        async { undone }.boxed()
    }
}

/// Adds a tool.
type AddTool = Box<dyn FnOnce(&mut Toolbox)>;

/// Lets a model call `workflow` with these actions.
async fn call(
    store: &Arc<MemoryStore>,
    files: &Files,
    more: Vec<AddTool>,
    actions: &str,
    cancel: &CancellationToken,
) -> Ran {
    let mut inner = Toolbox::new();
    inner.add(Write(Arc::clone(files))).unwrap();
    more.into_iter().for_each(|add| add(&mut inner));
    let host = Agent::new(ScriptedModel::parse("", 1), Arc::clone(store)).with_tools(inner);
    let mut tools = Toolbox::new();
    tools.add(InlineWorkflow::new(move || host.clone())).unwrap();
    let actions = actions.replace('\n', " ");
    let text = format!(
        "§call: {{\"name\":\"workflow\",\"args\":{{\"actions\":{actions}}}}}\n§execute\n%%\nDone.\n§end"
    );
    let agent = Agent::new(ScriptedModel::parse(&text, 1), Arc::clone(store));
    run(&agent.with_tools(tools).with_dialect(Dialect::Sigil), store, "go", cancel).await
}

fn adding(tool: impl Tool + 'static) -> Box<dyn FnOnce(&mut Toolbox)> {
    Box::new(move |tools| tools.add(tool).unwrap())
}

fn fails(name: &'static str) -> impl Tool {
    tool(name, |_, _| async { Err(ToolError::new("no such order")) }.boxed())
}

/// A tool that notes its arguments.
fn notes(name: &'static str, notes: &Arc<Mutex<Vec<String>>>) -> impl Tool + use<> {
    let notes = Arc::clone(notes);
    tool(name, move |args: String, _| {
        notes.lock().unwrap().push(format!("{name} {args}"));
        async { Ok(ToolOutput::new("done", "17")) }.boxed()
    })
}

async fn stored(store: &MemoryStore) -> Vec<Entry> {
    let head = store.head("c/1/a1").await.unwrap();
    store.read("c/1/a1", 1..=head).await.unwrap()
}

/// Returns the ids of the calls and results of a log, in order.
fn ids(log: &[Entry]) -> Vec<String> {
    let id = |entry: &Entry| match &entry.event {
        Event::Call(call) => Some(format!("call {}", call.id())),
        Event::Result(result) => Some(format!("result {}", result.id.as_deref()?)),
        _ => None,
    };
    log.iter().filter_map(id).collect()
}

const FAILING: &str = r#"[{"id":"t","transaction":[
    {"id":"new","name":"write","parameters":{"file":"new.txt","text":"hi"}},
    {"id":"order","name":"create","parameters":{"of":"a book"},
     "compensate":{"name":"delete","parameters":{"order":"$order"}}},
    {"id":"edit","name":"write","parameters":{"file":"other.txt","text":"$order"}},
    {"id":"ship","name":"ship","parameters":{"order":"$order"},"compensate":{"name":"delete"}}]}]"#;

#[tokio::test]
async fn failed_call_rolls_back_files_and_orders() {
    let (files, store) = (Files::default(), Arc::new(MemoryStore::new()));
    let noted = Arc::default();
    let more = vec![
        adding(notes("create", &noted)),
        adding(notes("delete", &noted)),
        adding(fails("ship")),
    ];
    let ran = call(&store, &files, more, FAILING, &CancellationToken::new()).await;
    assert_eq!(
        ran.result("a1").content.text(),
        "the workflow `workflow` has no output: `t` failed: `ship` failed: no such order; \
         rolled back: `edit`, `order`, `new`"
    );
    assert!(files.lock().unwrap().is_empty());
    let noted = noted.lock().unwrap().clone();
    assert_eq!(noted, [r#"create {"of":"a book"}"#, r#"delete {"order":"17"}"#]);
    let log = stored(&store).await;
    let rolled_back = [
        "result ship",
        "call edit~undo",
        "call order~undo",
        "call new~undo",
        "result edit~undo",
        "result order~undo",
        "result new~undo",
        "result t",
    ];
    assert_eq!(ids(&log)[7..], rolled_back);
    // A reader of the log sees the work of each of them.
    let undone = log.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if result.id.as_deref() == Some("new~undo") => Some(result),
        _ => None,
    });
    assert_eq!(undone.unwrap().payload.as_ref().unwrap().summary, "removed new.txt");
    let call = log.iter().find_map(|entry| match &entry.event {
        Event::Call(call) if call.id() == "new~undo" => Some(call.content()),
        _ => None,
    });
    assert_eq!(call, Some(r#"{"name":"undo","args":{"call":"new","tool":"write"}}"#));
}

#[tokio::test]
async fn persons_changes_are_named_and_kept() {
    let (files, store) = (Files::default(), Arc::new(MemoryStore::new()));
    let changed = Arc::clone(&files);
    let ship = tool("ship", move |_, _| {
        changed.lock().unwrap().get_mut("new.txt").unwrap().0 = "mine".to_owned();
        async { Err(ToolError::new("no such order")) }.boxed()
    });
    let noted = Arc::default();
    let more = vec![adding(notes("create", &noted)), adding(notes("delete", &noted)), adding(ship)];
    let ran = call(&store, &files, more, FAILING, &CancellationToken::new()).await;
    let why = ran.result("a1").content.text().into_owned();
    let left = "rolled back: `edit`, `order`; could not be undone: `new`: it has changed since";
    assert!(why.ends_with(left), "{why}");
    assert_eq!(files.lock().unwrap()["new.txt"].0, "mine");
}

#[tokio::test]
async fn irreversible_call_prevents_transaction_start() {
    let (files, store) = (Files::default(), Arc::new(MemoryStore::new()));
    let noted = Arc::default();
    let actions = r#"[{"id":"t","transaction":[
        {"id":"new","name":"write","parameters":{"file":"new.txt","text":"hi"}},
        {"id":"mail","name":"send"}]}]"#;
    let more = vec![adding(notes("send", &noted))];
    let ran = call(&store, &files, more, actions, &CancellationToken::new()).await;
    let why = ran.result("a1").content.text().into_owned();
    assert!(
        why.contains("`t` failed: `mail` cannot be taken back: give it a `compensate`"),
        "{why}"
    );
    assert!(noted.lock().unwrap().is_empty() && files.lock().unwrap().is_empty());
}

#[tokio::test]
async fn stopped_run_rolls_back() {
    let (files, store) = (Files::default(), Arc::new(MemoryStore::new()));
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let stops = tool("ship", move |_, _| {
        stop.cancel();
        std::future::pending().boxed()
    });
    let noted = Arc::default();
    let more =
        vec![adding(notes("create", &noted)), adding(notes("delete", &noted)), adding(stops)];
    call(&store, &files, more, FAILING, &cancel).await;
    assert!(files.lock().unwrap().is_empty());
    let log = stored(&store).await;
    assert!(ids(&log).contains(&"result new~undo".to_owned()), "{:?}", ids(&log));
    let Event::Cancelled { content } = &log.last().unwrap().event else { panic!("{log:?}") };
    let undone = "rolled back: `ship`, `edit`, `order`, `new`";
    assert!(content.ends_with(undone), "{content}");
}

#[tokio::test]
async fn model_reads_rollbacks_in_its_turn() {
    let (files, store) = (Files::default(), Arc::new(MemoryStore::new()));
    let turn = r#"<transaction id="t">
<action id="new">{"name":"write","parameters":{"file":"new.txt","text":"hi"}}</action>
<action id="ship">{"name":"ship","compensate":{"name":"ship"}}</action>
</transaction>"#;
    let answer = |text: &str| Answer {
        deltas: vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))],
        hangs: false,
    };
    let last = "<response>It could not be shipped.</response>";
    let model = DeltaModel::new([answer(turn), answer(last)]);
    let mut tools = Toolbox::new();
    tools.add(Write(Arc::clone(&files))).unwrap();
    tools.add(fails("ship")).unwrap();
    let agent = Agent::new(model.clone(), Arc::clone(&store)).with_tools(tools);
    let agent = agent.with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(files.lock().unwrap().is_empty());
    let log = ids(&ran.stored);
    let undone = ["result ship", "call new~undo", "result new~undo", "result t"];
    assert_eq!(log[log.len() - 4..], undone, "{log:?}");
    let asked = model.asked();
    let read = asked[1].last().unwrap().content.text().into_owned();
    assert!(read.contains("`ship` failed: no such order; rolled back: `new`"), "{read}");
    let told: Vec<_> = asked[1].iter().map(|message| message.content.text()).collect();
    assert!(!told.concat().contains("~undo"), "{told:?}");
}
