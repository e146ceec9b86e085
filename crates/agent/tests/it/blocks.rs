//! Control blocks as tags of the dialect `action` (P-29 to P-31): calls that run while the model
//! still writes, and the results that it reads.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request, ScriptedModel,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Tool, ToolError, ToolOutput, ToolPolicy};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::support::{Ran, run, tool, toolbox, with};

/// Returns its argument `text`, after as many milliseconds as `ms` says.
fn say() -> impl Tool {
    tool("say", |args: String, _| {
        async move {
            let args: serde_json::Value = serde_json::from_str(&args).unwrap();
            sleep(Duration::from_millis(args["ms"].as_u64().unwrap_or(0))).await;
            let text =
                args["text"].as_str().map_or_else(|| args["text"].to_string(), str::to_owned);
            match text.as_str() {
                "bad" => Err(ToolError::new("it is bad")),
                _ => Ok(ToolOutput::new("said", text)),
            }
        }
        .boxed()
    })
}

/// Lists three names, as JSON.
fn list() -> impl Tool {
    tool("list", |_: String, _| {
        async { Ok(ToolOutput::new("3 names", r#"["a","b","c"]"#)) }.boxed()
    })
}

fn agent(answers: &str, store: &Arc<MemoryStore>) -> Agent {
    Agent::new(ScriptedModel::parse(answers, 3), Arc::clone(store))
        .with_tools(toolbox([with(say()), with(list())]))
        .with_dialect(Dialect::Action)
}

async fn script(answers: &str) -> (Ran, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new());
    (run(&agent(answers, &store), &store, "go", &CancellationToken::new()).await, store)
}

const LIST: &str = r#"<action id="names">{"name":"list"}</action>"#;

/// Returns the results with their ids, in the order of the log.
fn results(ran: &Ran) -> Vec<(String, String)> {
    let result = |event: &Event| match event {
        Event::Result(result) => {
            Some((result.id.clone().unwrap_or_default(), result.content.text().into_owned()))
        }
        _ => None,
    };
    ran.stored.iter().filter_map(|entry| result(&entry.event)).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn one_turn_handles_each_item_of_output() {
    let started = Instant::now();
    let text = format!(
        "{LIST}<foreach id=\"each\" in=\"names\" as=\"n\" index=\"i\" output_key=\"all\">\
         <action id=\"s\">{{\"name\":\"say\",\"parameters\":{{\"text\":\"$n$i\",\"ms\":100}}}}</action>\
         </foreach><value name=\"count\" expr=\"len(all)\"/>\
         <response>$count: $all</response>"
    );
    let (ran, _) = script(&text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    // The items are at work at the same time.
    assert_eq!(started.elapsed(), Duration::from_millis(100));
    let types = Ran::types(&ran.stored);
    assert_eq!(types.iter().filter(|one| **one == "block").count(), 4, "{types:?}");
    assert_eq!(types.iter().filter(|one| **one == "call").count(), 4, "{types:?}");
    let said = ran.stored.iter().find_map(|entry| match &entry.event {
        Event::Respond(said) => Some(said.content.clone()),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some(r#"3: ["a0","b1","c2"]"#));
    let mut got = results(&ran);
    got.sort();
    let expected = [
        ("each", "3 items"),
        ("each[0].s", "a0"),
        ("each[1].s", "b1"),
        ("each[2].s", "c2"),
        ("names", r#"["a","b","c"]"#),
    ];
    assert_eq!(got, pairs(&expected));
}

/// A model that writes a text, waits for three permits, and then writes the rest.
struct WaitingModel {
    begin: &'static str,
    rest: &'static str,
    permits: Arc<Semaphore>,
}

impl Provider for WaitingModel {
    fn name(&self) -> &str {
        "waiting"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let (rest, permits) = (self.rest, Arc::clone(&self.permits));
        let first = stream::iter([Ok(Delta::Text(self.begin.to_owned()))]);
        let then = stream::once(async move {
            permits.acquire_many(3).await.unwrap().forget();
            Ok(Delta::Text(rest.to_owned()))
        });
        first.chain(then).chain(stream::iter([Ok(Delta::Done(FinishReason::Stop))])).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

#[tokio::test]
async fn loop_runs_while_the_model_writes() {
    let permits = Arc::new(Semaphore::new(0));
    let given = Arc::clone(&permits);
    let give = tool("give", move |_, _| {
        given.add_permits(1);
        async { Ok(ToolOutput::new("given", "1")) }.boxed()
    });
    let model = WaitingModel {
        begin: "<foreach in=\"[1,2,3]\" as=\"n\"><action>{\"name\":\"give\"}</action>",
        rest: "</foreach><response>done</response>",
        permits,
    };
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model, Arc::clone(&store))
        .with_tools(toolbox([with(give)]))
        .with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let calls = Ran::types(&ran.stored).into_iter().filter(|one| *one == "call").count();
    assert_eq!(calls, 3);
}

#[tokio::test]
async fn one_branch_runs_and_the_other_is_skipped() {
    let text = "<if test=\"1 < 2\"><action id=\"yes\">{\"name\":\"say\",\"parameters\":{\"text\":\"y\"}}</action>\
        <else><action id=\"no\">{\"name\":\"say\",\"parameters\":{\"text\":\"n\"}}</action></if>\
        <response>$yes</response>";
    let (ran, _) = script(text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let got = results(&ran);
    assert!(got.contains(&("yes".to_owned(), "y".to_owned())), "{got:?}");
    let (_, why) = got.iter().find(|(id, _)| id == "no").unwrap();
    assert_eq!(why, "skipped: the test of `a1` is true");
    assert_eq!(Ran::types(&ran.stored).last(), Some(&"respond"));
}

#[tokio::test]
async fn failed_block_makes_the_answer_a_draft() {
    let text = "<if test=\"nobody > 2\"><action>{\"name\":\"say\",\"parameters\":{\"text\":\"y\"}}</action></if>\
        <response>done</response>\n%%\n<response>It failed.</response>";
    let (ran, _) = script(text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let failed = ran.stored.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if result.tool() == Some("if") => Some(result.clone()),
        _ => None,
    });
    let failed = failed.expect("the model reads that the block failed");
    assert!(failed.content.text().contains("nobody"), "{failed:?}");
    assert!(Ran::types(&ran.stored).contains(&"notice"));
}

#[tokio::test]
async fn skipping_loop_keeps_the_answer() {
    let each = |policy: &str| {
        format!(
            "<foreach id=\"each\" in=\"['a','bad','c']\" as=\"t\" {policy}>\
             <action>{{\"name\":\"say\",\"parameters\":{{\"text\":\"$t\"}}}}</action></foreach>\
             <response>$each</response>\n%%\n<response>One failed.</response>"
        )
    };
    let (ran, _) = script(&each("on_error=\"skip\"")).await;
    let last = |ran: &Ran| match &ran.stored.last().unwrap().event {
        Event::Respond(said) => said.content.clone(),
        other => format!("{other:?}"),
    };
    assert_eq!(last(&ran), r#"["a",null,"c"]"#);
    let (ran, _) = script(&each("")).await;
    assert_eq!(last(&ran), "One failed.");
}

#[tokio::test]
async fn unclosed_block_starts_nothing_more() {
    let text = format!(
        "{LIST}<foreach id=\"each\" in=\"names\" as=\"n\" max_parallel=\"1\">\
         <action id=\"s\">{{\"name\":\"say\",\"parameters\":{{\"text\":\"$n\"}}}}</action>\
         \n%%\n<response>It was not closed.</response>"
    );
    let (ran, _) = script(&text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let got = results(&ran);
    assert!(got.iter().any(|(id, why)| id == "each" && why.contains("not closed")), "{got:?}");
    let said = got.iter().filter(|(id, _)| id.starts_with("each[")).count();
    assert!(said <= 1, "{got:?}");
}

#[tokio::test]
async fn wrong_tag_is_reported_and_nothing_runs() {
    let text = "<foreach in=\"[1]\"><action id=\"s\">{\"name\":\"say\",\"parameters\":{\"text\":\"x\"}}</action>\
        </foreach>\n%%\n<response>It was wrong.</response>";
    let (ran, _) = script(text).await;
    let got = results(&ran);
    assert!(got.iter().all(|(_, why)| why.contains("its attribute `as` is missing")), "{got:?}");
    assert_eq!(got.len(), 2, "{got:?}");
    assert_eq!(Ran::types(&ran.stored).last(), Some(&"respond"));
}

/// A tool that returns its text, but never returns `b` while `hangs` is true.
fn hanging(hangs: bool, policy: ToolPolicy, runs: &Arc<Mutex<Vec<String>>>) -> impl Tool + use<> {
    let runs = Arc::clone(runs);
    tool("say", move |args: String, _| {
        let args: serde_json::Value = serde_json::from_str(&args).unwrap();
        let text = args["text"].as_str().unwrap().to_owned();
        runs.lock().unwrap().push(text.clone());
        async move {
            if hangs && text == "b" {
                std::future::pending::<()>().await;
            }
            Ok(ToolOutput::new("said", text))
        }
        .boxed()
    })
    .with_policy(policy)
}

/// Runs a loop over three items, of which the second one is at work when the process dies, and
/// continues in another one. Returns the calls of both processes and the stored entries.
async fn resumed(policy: ToolPolicy, on_error: &str) -> (Vec<String>, Ran) {
    let text = format!(
        "{LIST}<foreach id=\"each\" in=\"names\" as=\"n\" max_parallel=\"1\" on_error=\"{on_error}\">\
         <action id=\"s\">{{\"name\":\"say\",\"parameters\":{{\"text\":\"$n\"}}}}</action></foreach>\
         \n%%\n<response>over</response>"
    );
    let (runs, store) = (Arc::default(), Arc::new(MemoryStore::new()));
    let agent = |answers: &str, hangs| {
        Agent::new(ScriptedModel::parse(answers, 3), Arc::clone(&store))
            .with_tools(toolbox([with(hanging(hangs, policy, &runs)), with(list())]))
            .with_dialect(Dialect::Action)
    };
    let first = agent(&text, true);
    let died = {
        let mut nothing = |_: silcrow_event::RunEventRef<'_>| {};
        tokio::time::timeout(Duration::from_secs(60), first.run("c", "go", &mut nothing)).await
    };
    assert!(died.is_err(), "it hangs");
    let second = agent("<response>over</response>", false);
    let ended = second.resume("c", &[], &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let head = store.head("c").await.unwrap();
    let stored = store.read("c", 1..=head).await.unwrap();
    let runs = runs.lock().unwrap().clone();
    (runs, Ran { ended: Ok(RunOutcome::Answered), shown: vec![], text: vec![], stored })
}

#[tokio::test(start_paused = true)]
async fn crashed_loop_resumes_with_unfinished_items() {
    let (runs, ran) = resumed(ToolPolicy::default(), "skip").await;
    assert_eq!(runs, ["a", "b", "c"], "nothing runs twice");
    let got = results(&ran);
    let find = |id: &str| got.iter().find(|(other, _)| other == id).map(|(_, text)| &**text);
    assert_eq!((find("each[0].s"), find("each[2].s")), (Some("a"), Some("c")));
    assert!(find("each[1].s").is_some_and(|why| why.contains("outcome is unknown")), "{got:?}");
    assert_eq!(find("each"), Some("3 items"));
    assert_eq!(Ran::types(&ran.stored).last(), Some(&"respond"));
}

#[tokio::test(start_paused = true)]
async fn repeatable_calls_rerun_after_a_crash() {
    let policy = ToolPolicy { read_only: true, ..ToolPolicy::default() };
    let (runs, ran) = resumed(policy, "fail").await;
    assert_eq!(runs, ["a", "b", "b", "c"]);
    let mut got = results(&ran);
    got.sort();
    let expected = [
        ("each", "3 items"),
        ("each[0].s", "a"),
        ("each[1].s", "b"),
        ("each[2].s", "c"),
        ("names", r#"["a","b","c"]"#),
    ];
    assert_eq!(got, pairs(&expected));
}

#[tokio::test]
async fn replay_uses_recorded_result_of_each_item() {
    let text = "<foreach id=\"each\" in=\"['a','b','c']\" as=\"n\">\
        <action id=\"s\">{\"name\":\"say\",\"parameters\":{\"text\":\"$n\"}}</action></foreach>\
        <response>$each</response>";
    let policy = ToolPolicy { read_only: true, ..ToolPolicy::default() };
    let (runs, store) = (Arc::default(), Arc::new(MemoryStore::new()));
    let agent = || {
        Agent::new(ScriptedModel::parse(text, 3), Arc::clone(&store))
            .with_tools(toolbox([with(hanging(false, policy, &runs))]))
            .with_dialect(Dialect::Action)
    };
    agent().run("c", "go", &mut |_| {}).await.unwrap();
    let ended = agent().replay("c", "again", &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    assert_eq!(runs.lock().unwrap().len(), 3, "no tool runs in the replay");
    let head = store.head("again").await.unwrap();
    let last = store.read("again", head..=head).await.unwrap().remove(0);
    let Event::Respond(said) = last.event else { panic!("{last:?}") };
    assert_eq!(said.content, r#"["a","b","c"]"#);
}
