//! Workflows that a call declares: choices, loops and groups without a request for each result.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, InlineWorkflow};
use silcrow_event::{BlockChange, BlockMark, BlockTracker, Call, Event, Json};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Tool, ToolError, ToolOutput, Toolbox};

use crate::support::{Ran, echo, hangs, run, tool, toolbox, with};

/// A tool that returns the number of its runs, and fails for a text with `bad` in it.
fn count(runs: &Arc<AtomicU32>) -> impl Tool + use<> {
    let runs = Arc::clone(runs);
    tool("count", move |args: String, _| {
        let run = runs.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            match args.contains("bad") {
                true => Err(ToolError::new("it is bad")),
                false => Ok(ToolOutput::new("counted", format!("{run}"))),
            }
        }
        .boxed()
    })
}

/// A tool that lists three names as JSON text.
fn list() -> impl Tool {
    tool("list", |_, _| async { Ok(ToolOutput::new("3", r#"["a","b","c"]"#)) }.boxed())
}

/// Lets a model that writes `sigil` call `workflow` with these arguments, and returns the run.
async fn call(store: &Arc<MemoryStore>, args: &str, runs: &Arc<AtomicU32>) -> Ran {
    let inner = toolbox([with(count(runs)), with(list()), with(echo("echo"))]);
    let host = Agent::new(ScriptedModel::parse("", 1), Arc::clone(store)).with_tools(inner);
    let mut tools = Toolbox::new();
    tools.add(InlineWorkflow::new(move || host.clone())).unwrap();
    let name = Json::string("workflow");
    let text = format!("§call: {{\"name\":{name},\"args\":{args}}}\n§execute\n%%\nDone.\n§end");
    let agent = Agent::new(ScriptedModel::parse(&text, 1), Arc::clone(store));
    let agent = agent.with_tools(tools).with_dialect(Dialect::Sigil);
    run(&agent, store, "go", &CancellationToken::new()).await
}

async fn output(args: &str) -> String {
    let store = Arc::new(MemoryStore::new());
    call(&store, args, &Arc::default()).await.result("a1").content.text().into_owned()
}

#[tokio::test]
async fn one_call_stores_every_step() {
    let store = Arc::new(MemoryStore::new());
    let runs = Arc::default();
    let args = r#"{"actions":[
        {"id":"names","name":"list"},
        {"id":"all","foreach":"names","as":"n","max_parallel":1,"actions":[
            {"id":"one","name":"count","parameters":{"text":"$n"}}]},
        {"id":"sum","value":"sum(all)"}]}"#
        .replace('\n', " ");
    let ran = call(&store, &args, &runs).await;
    assert_eq!(ran.result("a1").content, "6");
    assert_eq!(runs.load(Ordering::Relaxed), 3);

    let head = store.head("c/1/a1").await.unwrap();
    let stored = store.read("c/1/a1", 1..=head).await.unwrap();
    let ids = |wanted: fn(&Event) -> Option<&str>| {
        Vec::from_iter(stored.iter().filter_map(|entry| wanted(&entry.event)).map(str::to_owned))
    };
    let calls = ids(|event| match event {
        Event::Call(call) => Some(call.id()),
        _ => None,
    });
    let results = ids(|event| match event {
        Event::Result(result) => result.id.as_deref(),
        _ => None,
    });
    assert_eq!(calls, ["names", "all[0].one", "all[1].one", "all[2].one"]);
    assert_eq!(results, [&calls[..], &["all".to_owned()]].concat());
    // Each call is stored before its result, and with its item.
    let call = stored.iter().find_map(|entry| match &entry.event {
        Event::Call(call) if call.id() == "all[1].one" => Some(call.args()),
        _ => None,
    });
    assert_eq!(call, Some(r#"{"text":"b"}"#));

    // A workflow marks its blocks as a turn does, so code that draws turns can draw it, too.
    let marks = stored.iter().filter_map(|entry| match &entry.event {
        Event::Block(BlockMark::Begin(block)) => Some(format!("begin {}", block.id)),
        Event::Block(BlockMark::Template(call)) => Some(format!("call {}", call.id())),
        Event::Block(BlockMark::End { id }) => Some(format!("end {id}")),
        _ => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), ["begin all", "call one", "end all", "begin sum"]);
    let (mut rows, mut drawn) = (BlockTracker::default(), Vec::new());
    for entry in &stored {
        let mut draw = |change: BlockChange<'_>| {
            drawn.push(match change {
                BlockChange::Began { row, .. } => format!("+{row}"),
                BlockChange::Ended { row, .. } => format!("-{row}"),
            });
        };
        rows.before(&entry.event, &mut draw);
        rows.after(&entry.event, &mut draw);
    }
    let expected = "+all +all[0] -all[0] +all[1] -all[1] +all[2] -all[2] -all";
    assert_eq!(drawn.join(" "), expected);
}

#[tokio::test]
async fn condition_takes_branch_by_earlier_outcome() {
    let args = |text: &str| {
        format!(
            r#"{{"actions":[{{"id":"try","name":"count","parameters":{{"text":"{text}"}},"on_error":"skip"}},
            {{"id":"c","if":"failed(try)","then":[{{"name":"echo","parameters":{{"mended":true}}}}],
            "else":[{{"name":"echo","parameters":{{"was":"$try"}}}}]}}]}}"#
        )
        .replace('\n', " ")
    };
    assert_eq!(output(&args("good")).await, r#"{"was":"1"}"#);
    assert_eq!(output(&args("bad")).await, r#"{"mended":true}"#);
}

#[tokio::test]
async fn failed_item_fails_call_or_is_skipped() {
    let args = |on_error: &str| {
        format!(
            r#"{{"actions":[{{"id":"l","foreach":"['x','bad','y']","as":"n","max_parallel":1{on_error},
            "actions":[{{"name":"count","parameters":{{"text":"$n"}}}}]}}]}}"#
        )
        .replace('\n', " ")
    };
    let why = output(&args("")).await;
    assert!(why.contains("`l` failed: `l[1].a1` failed: it is bad"), "{why}");
    assert_eq!(output(&args(r#","on_error":"skip""#)).await, "[1,null,3]");
}

#[tokio::test(start_paused = true)]
async fn a_group_ends_when_its_time_is_over() {
    let store = Arc::new(MemoryStore::new());
    let host = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store))
        .with_tools(toolbox([with(hangs("hang")), with(echo("echo"))]));
    let mut tools = Toolbox::new();
    tools.add(InlineWorkflow::new(move || host.clone())).unwrap();
    let group = |join: &str| {
        let args = format!(
            r#"{{"actions":[{{"parallel":"{join}","timeout":7.5,"actions":[{{"name":"echo"}},{{"name":"hang"}}]}}]}}"#
        );
        format!("§call: {{\"name\":\"workflow\",\"args\":{args}}}\n")
    };
    let text = format!("{}{}§execute\n%%\nDone.\n§end", group("all"), group("settled"));
    let agent = Agent::new(ScriptedModel::parse(&text, 1), Arc::clone(&store));
    let agent = agent.with_tools(tools).with_dialect(Dialect::Sigil);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let failed = ran.result("a1").content.text().into_owned();
    assert!(failed.contains("`a1` failed: not done after 7.5 s"), "{failed}");
    assert_eq!(ran.result("a2").content, "[{},null]");
    // The call that was cut off has a result in the log, and so has the group, which failed.
    let head = store.head("c/1/a1").await.unwrap();
    let stored = store.read("c/1/a1", 1..=head).await.unwrap();
    let results = stored.iter().filter(|entry| matches!(entry.event, Event::Result(_)));
    assert_eq!(results.count(), 3);
}

#[tokio::test]
async fn unreadable_actions_are_reported_with_position() {
    for (actions, why) in [
        ("[]", "`actions` is empty"),
        (r#"[{"id":"x"}]"#, "actions[0]: an entry has one of `name`, `if`"),
        (r#"[{"name":"echo","foreach":"l"}]"#, "actions[0]: an entry has one of"),
        (r#"[{"if":"true","then":[{"foreach":"[]"}]}]"#, "actions[0].then[0]: `as` is missing"),
        (r#"[{"foreach":"[]","as":"x","then":[]}]"#, "what is in this block is under `actions`"),
        (r#"[{"if":"1 +","then":[]}]"#, "action 1: `a1`: "),
        (r#"[{"parallel":"some"}]"#, "`parallel` is one of all, any, race, settled"),
        (r#"[{"name":"echo","mode":"soon"}]"#, "`soon` is not one of sync, async"),
        (r#"[{"name":"echo","args":[]}]"#, "actions[0]: "),
        (r#"[{"name":"echo","timeout":"x"}]"#, "`timeout` is not a number of seconds"),
        (r#"[{"name":"echo","colour":1}]"#, "unknown field `colour`"),
        (r#"[{"id":"x","name":"echo"},{"id":"x","value":"1"}]"#, "the id `x` is taken"),
    ] {
        let said = output(&format!(r#"{{"actions":{actions}}}"#)).await;
        assert!(said.contains(why), "{actions}: {said}");
    }
}

#[tokio::test]
async fn stopped_run_answers_every_loop_call() {
    let store = Arc::new(MemoryStore::new());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let stops = tool("stop", move |_, _| {
        stop.cancel();
        std::future::pending().boxed()
    });
    let host = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store))
        .with_tools(toolbox([with(stops)]));
    let mut tools = Toolbox::new();
    tools.add(InlineWorkflow::new(move || host.clone())).unwrap();
    let args =
        r#"{"actions":[{"id":"l","foreach":"range(3)","as":"n","actions":[{"name":"stop"}]}]}"#;
    let text = format!("§call: {{\"name\":\"workflow\",\"args\":{args}}}\n§execute");
    let agent = Agent::new(ScriptedModel::parse(&text, 1), Arc::clone(&store));
    run(&agent.with_tools(tools), &store, "go", &cancel).await;
    let head = store.head("c/1/a1").await.unwrap();
    let stored = store.read("c/1/a1", 1..=head).await.unwrap();
    let count =
        |is_it: fn(&Event) -> bool| stored.iter().filter(|entry| is_it(&entry.event)).count();
    assert_eq!(count(|event| matches!(event, Event::Call(_))), 3);
    // And so does the loop.
    assert_eq!(count(|event| matches!(event, Event::Result(_))), 4);
    let is_whole = |entry: &silcrow_event::Entry| match &entry.event {
        Event::Call(call) => Call::parse(call.id(), call.content()).is_ok(),
        _ => true,
    };
    assert!(stored.iter().all(is_whole));
}

#[tokio::test]
async fn shown_calls_and_failures_accompany_the_output() {
    let args = r#"{"actions":[
        {"id":"names","name":"list","show":true},
        {"id":"all","foreach":"['a','bad']","as":"n","on_error":"skip","max_parallel":1,"actions":[
            {"id":"one","name":"count","parameters":{"text":"$n"},"show":true}]},
        {"id":"sum","value":"all.size()"}]}"#
        .replace('\n', " ");
    let store = Arc::new(MemoryStore::new());
    let ran = call(&store, &args, &Arc::default()).await;
    let result = ran.result("a1");
    let expected = r#"{"output":2,"shown":{"all[0].one":"1","names":"[\"a\",\"b\",\"c\"]"}}"#;
    assert_eq!(result.content, expected);
    assert_eq!(result.value().unwrap().as_str(), r#""2""#, "a name is bound to the output");
    assert_eq!(result.notices(), ["`all[1].one` failed: it is bad"]);
}
