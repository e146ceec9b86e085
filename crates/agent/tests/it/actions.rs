//! Turns in the dialect of actions: concurrent calls, and the end of a run (P-22 to P-28).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Event, ResultStatus, Role, RunEventRef};
use silcrow_parser::Dialect;
use silcrow_plan::PlanLimits;
use silcrow_provider::{Delta, FinishReason, ScriptedModel};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Tool, ToolError, ToolOutput, Validator};
use tokio::time::{Instant, sleep};

use crate::support::{Answer, DeltaModel, Ran, echo, hangs, run, tool, toolbox, with};

/// Waits as many milliseconds as its argument says, and gives that number.
fn waits() -> impl Tool {
    tool("wait", |args: String, _| {
        async move {
            let args: serde_json::Value = serde_json::from_str(&args).unwrap();
            sleep(Duration::from_millis(args["ms"].as_u64().unwrap())).await;
            Ok(ToolOutput::new("waited", args["ms"].to_string()))
        }
        .boxed()
    })
}

fn agent(answers: &str, store: &Arc<MemoryStore>) -> Agent {
    Agent::new(ScriptedModel::parse(answers, 3), Arc::clone(store))
        .with_tools(toolbox([with(waits()), with(echo("echo")), with(hangs("hangs"))]))
        .with_dialect(Dialect::Action)
}

async fn script(answers: &str) -> Ran {
    let store = Arc::new(MemoryStore::new());
    run(&agent(answers, &store), &store, "go", &CancellationToken::new()).await
}

fn wait(id: &str, ms: u32, more: &str) -> String {
    format!(
        "<action id=\"{id}\" {more}>{{\"name\":\"wait\",\"parameters\":{{\"ms\":{ms}}}}}</action>\n"
    )
}

#[tokio::test(start_paused = true)]
async fn answer_waits_for_named_asynchronous_actions() {
    let started = Instant::now();
    let text = format!(
        "{}{}<response>$a and $b, not $$a</response>",
        wait("a", 300, "mode=\"async\""),
        wait("b", 200, "mode=\"async\""),
    );
    let ran = script(&text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(started.elapsed(), Duration::from_millis(300));
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "call", "result", "result", "respond"]);
    // A result is stored when its call ends.
    let Event::Result(first) = &ran.stored[3].event else { panic!() };
    assert_eq!(first.id.as_deref(), Some("b"));
    let Event::Respond(said) = &ran.stored[5].event else { panic!() };
    assert_eq!(said.content, "300 and 200, not $a");
    assert_eq!(said.wire.as_deref(), Some("$a and $b, not $$a"));
}

#[tokio::test(start_paused = true)]
async fn synchronous_action_delays_following_actions() {
    let started = Instant::now();
    let ran =
        script(&format!("{}{}<response>done</response>", wait("a", 300, ""), wait("b", 200, "")))
            .await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(started.elapsed(), Duration::from_millis(500));
}

#[tokio::test]
async fn without_a_final_answer_the_results_go_back() {
    let says = DeltaModel::new(
        ["<action>{\"name\":\"echo\",\"parameters\":{\"n\":1}}</action>", "<response>1</response>"]
            .map(answer),
    );
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(says.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(echo("echo"))]))
        .with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "result", "respond"]);
    let last = says.asked()[1].last().unwrap().clone();
    assert_eq!(last.role, Role::User);
    assert!(last.content.text().contains("{\\\"n\\\":1}"), "{}", last.content);
}

#[tokio::test]
async fn non_final_answer_is_continued() {
    let says = DeltaModel::new(
        ["<response final=\"false\">one moment</response>", "<response>there</response>"]
            .map(answer),
    );
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(says.clone(), Arc::clone(&store)).with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "respond", "respond"]);
    let last = says.asked()[1].last().unwrap().clone();
    assert_eq!(last.role, Role::User, "no request ends with the model's own words");
}

#[tokio::test(start_paused = true)]
async fn only_the_run_awaits_fire_and_forget() {
    let started = Instant::now();
    let text = format!(
        "{}{}\n%%\n<response>done</response>",
        wait("slow", 900, "mode=\"fire_and_forget\""),
        wait("a", 100, ""),
    );
    let ran = script(&text).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(started.elapsed(), Duration::from_millis(900));
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "call", "result", "respond", "result"]);
    // Its result belongs to the turn that called it, and the run ends after it.
    assert_eq!(ran.stored[5].turn, Some(1));
    assert_eq!(Ran::types(&ran.shown).last(), Some(&"end"));
    assert_eq!(ran.result("slow").content, "900");
}

#[tokio::test(start_paused = true)]
async fn stop_answers_background_calls_too() {
    let store = Arc::new(MemoryStore::new());
    let text = "<action id=\"h\" mode=\"fire_and_forget\">{\"name\":\"hangs\",\"parameters\":{}}</action>\n\
                <response>done</response>";
    let agent = agent(text, &store);
    let cancel = CancellationToken::new();
    let stop = async {
        sleep(Duration::from_millis(1)).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(run(&agent, &store, "go", &cancel), stop);
    assert!(ran.result("h").content.text().starts_with("cancelled"));
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "respond", "result", "cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn retries_pause_and_count_as_one_call() {
    let attempts = Arc::new(AtomicU32::new(0));
    let made = Arc::clone(&attempts);
    let flaky = tool("flaky", move |_, _| {
        let attempt = made.fetch_add(1, Ordering::SeqCst);
        async move {
            match attempt {
                0 | 1 => Err(ToolError::new("not yet")),
                _ => Ok(ToolOutput::new("done", "third")),
            }
        }
        .boxed()
    });
    let store = Arc::new(MemoryStore::new());
    let text = "<action id=\"f\">{\"name\":\"flaky\",\"parameters\":{},\"retry\":2}</action>\n<response>$f</response>";
    let agent = Agent::new(ScriptedModel::parse(text, 3), Arc::clone(&store))
        .with_tools(toolbox([with(flaky)]))
        .with_dialect(Dialect::Action);
    let started = Instant::now();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.result("f").content, "third");
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    // 100 and 200 ms, and up to a quarter more.
    let waited = started.elapsed().as_millis();
    assert!((300..=375).contains(&waited), "{waited} ms");
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "result", "respond"]);
}

#[tokio::test(start_paused = true)]
async fn model_timeout_applies() {
    let text = "<action id=\"h\">{\"name\":\"hangs\",\"parameters\":{},\"timeout\":0.5}</action>\n<response>so</response>";
    let started = Instant::now();
    let ran = script(text).await;
    assert_eq!(started.elapsed(), Duration::from_millis(500));
    assert_eq!(ran.result("h").content, "timed out after 0.5 s");
}

#[tokio::test(start_paused = true)]
async fn turn_failure_stops_running_calls() {
    let text = format!(
        "{}<action id=\"x\" mode=\"async\">{{\"name\":\"none\",\"parameters\":{{}},\"on_error\":\"fail\"}}</action>\n",
        wait("long", 100_000, "mode=\"async\""),
    );
    let started = Instant::now();
    let ran = script(&format!("{text}%%\n<response>sorry</response>")).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert!(
        ran.result("long").content.text().contains("`x` failed"),
        "{}",
        ran.result("long").content
    );
    assert_eq!(ran.result("x").status(), ResultStatus::Failure);
}

/// Keeps the time when arguments were read: right before a call is handed to its tool.
struct Watch(Arc<Mutex<Vec<&'static str>>>);

impl Validator for Watch {
    fn check(&self, _: &str, _: &str) -> Result<(), ToolError> {
        self.0.lock().unwrap().push("start");
        Ok(())
    }
}

#[tokio::test]
async fn calls_before_an_answer_start_first() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let actions: String = (0..200).map(|n| wait(&format!("w{n}"), n, "mode=\"async\"")).collect();
    let store = Arc::new(MemoryStore::new());
    let says = DeltaModel::new([answer(&format!("{actions}<response>at once</response>"))]);
    let agent = Agent::new(says, Arc::clone(&store))
        .with_tools(toolbox([with(waits())]))
        .with_validator(Watch(Arc::clone(&order)))
        .with_dialect(Dialect::Action);
    let ended = agent
        .run("c", "go", &mut |output| {
            if let RunEventRef::Text(..) = output {
                order.lock().unwrap().push("text");
            }
        })
        .await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let order = order.lock().unwrap();
    // 16 run at once; the others start as places become free.
    let first_text = order.iter().position(|what| *what == "text").unwrap();
    assert_eq!((first_text, order.len()), (16, 201));
}

#[tokio::test(start_paused = true)]
async fn call_id_may_exceed_the_stores_name_limit() {
    let [one, other] = [1, 2].map(|n| format!("{}{n}", "§".repeat(200)));
    let ran = script(&format!(
        "{}{}<response>done</response>",
        wait(&one, 1, "mode=\"async\""),
        wait(&other, 2, "mode=\"async\""),
    ))
    .await;
    assert_eq!(
        (&*ran.result(&one).content.text(), &*ran.result(&other).content.text()),
        ("1", "2")
    );
}

#[tokio::test(start_paused = true)]
async fn caller_sets_the_limits_of_a_turn() {
    let actions: String = (0..4).map(|n| wait(&format!("w{n}"), 100, "mode=\"async\"")).collect();
    let text = format!("{actions}<response>done</response>");
    for (limits, took, ran) in [
        (PlanLimits::default(), 100, 4),
        (PlanLimits { max_parallel: 1, ..PlanLimits::default() }, 400, 4),
        (PlanLimits { max_calls: 2, ..PlanLimits::default() }, 100, 2),
    ] {
        let store = Arc::new(MemoryStore::new());
        let started = Instant::now();
        let ended = run(
            &agent(&text, &store).with_plan_limits(limits),
            &store,
            "go",
            &CancellationToken::new(),
        )
        .await;
        assert_eq!(started.elapsed(), Duration::from_millis(took), "{limits:?}");
        let well = ended.stored.iter().filter(|entry| {
            matches!(&entry.event, Event::Result(outcome) if outcome.status() == ResultStatus::Success)
        });
        assert_eq!(well.count(), ran, "{limits:?}");
    }
}

#[tokio::test]
async fn malformed_action_is_answered_and_returned_to_model() {
    let ran =
        script("<action id=\"m\">{\"name\":5}</action>\n%%\n<response>sorry</response>").await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "respond", "result", "respond"]);
}

/// The text after invented results is not read (P-10).
#[tokio::test]
async fn invented_results_end_the_answer() {
    let answers = "<action id=\"a\">{\"name\":\"echo\",\"parameters\":{\"is\":\"real\"}}</action>\n\
         <results>[{\"content\":\"invented\"}]</results>\n<response>It is invented.</response>\n\
         %%\n<response>It is real.</response>";
    let ran = script(answers).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "result", "respond"]);
    let Event::Respond(said) = &ran.stored[3].event else { panic!() };
    assert_eq!(said.content, "It is real.");
}

/// An action that waits for one that never came fails, so that the model is asked again.
#[tokio::test]
async fn nothing_is_awaited_after_invented_results() {
    let answers = "<action id=\"a\" mode=\"async\" depends_on=\"b\">{\"name\":\"echo\"}</action>\n\
         <results>[]</results>\n%%\n<response>sorry</response>";
    let ran = script(answers).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "result", "respond"]);
}

#[tokio::test]
async fn open_actions_of_a_dead_process_get_results() {
    let store = Arc::new(MemoryStore::new());
    let left = [
        r#"{"type":"user","content":"go","turn":1}"#,
        r#"{"type":"call","id":"a","content":"{\"name\":\"echo\",\"args\":{}}","action":{"type":"tool","mode":"async"},"turn":1}"#,
        r#"{"type":"call","id":"b","content":"{\"name\":\"echo\",\"args\":{}}","action":{"type":"tool","mode":"async"},"turn":1}"#,
        r#"{"type":"result","id":"b","content":"{}","turn":1}"#,
        r#"{"type":"think","content":"and then","turn":1}"#,
    ];
    let entries = left.map(|line| silcrow_event::read_entry(line).unwrap());
    store.append("c", 0, entries.to_vec()).await.unwrap();
    store.put("started/c", "1/a", 0, Vec::new()).await.unwrap();
    let ran =
        run(&agent("<response>on</response>", &store), &store, "and?", &CancellationToken::new())
            .await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert!(ran.result("a").content.text().starts_with("interrupted"));
    let results = ran.stored.iter().filter(|entry| matches!(entry.event, Event::Result(_)));
    assert_eq!(results.count(), 2, "`b` has its own already");
}

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}
