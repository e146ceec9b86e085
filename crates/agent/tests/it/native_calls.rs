//! Calls in the forms that models were trained to write (P-44).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, AgentOptions, CallForms, ErrorKind, RunOutcome};
use silcrow_event::{Event, ResultStatus};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalScope, CancellationToken, ParkAll, Tool, ToolOutput, Toolbox,
};

use crate::support::{Answer, DeltaModel, Ran, run, tool, toolbox, with};

/// A model with a name.
#[derive(Clone)]
struct NamedModel(&'static str, DeltaModel);

impl NamedModel {
    /// The texts arrive in pieces of three characters.
    fn new(name: &'static str, texts: &[&str]) -> Self {
        let answers = texts.iter().map(|text| {
            let chars: Vec<char> = text.chars().collect();
            let pieces = chars.chunks(3).map(|piece| Ok(Delta::Text(piece.iter().collect())));
            let deltas = pieces.chain([Ok(Delta::Done(FinishReason::Stop))]).collect();
            Answer { deltas, hangs: false }
        });
        Self(name, DeltaModel::new(answers))
    }

    /// Returns the text of the last message of each request.
    fn asked(&self) -> Vec<String> {
        let requests = self.1.asked().into_iter();
        requests.map(|mut request| request.pop().unwrap().text().into_owned()).collect()
    }
}

impl Provider for NamedModel {
    fn name(&self) -> &str {
        self.0
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.1.stream(request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.1.connect(request)
    }
}

/// The arguments of the calls that ran.
type Calls = Arc<Mutex<Vec<String>>>;

fn look(calls: &Calls) -> impl Tool + use<> {
    let calls = Arc::clone(calls);
    tool("look", move |args, _| {
        calls.lock().unwrap().push(args);
        async { Ok(ToolOutput::new("1 file", "a.rs")) }.boxed()
    })
}

fn tools(calls: &Calls) -> Toolbox {
    toolbox([with(look(calls))])
}

fn agent(model: &NamedModel, store: &Arc<MemoryStore>, calls: &Calls, forms: CallForms) -> Agent {
    let mut options = AgentOptions::default();
    options.calls = forms;
    Agent::new(model.clone(), Arc::clone(store)).with_options(options).with_tools(tools(calls))
}

async fn ran(agent: &Agent, store: &Arc<MemoryStore>) -> Ran {
    run(agent, store, "What is here?", &CancellationToken::new()).await
}

const QWEN: &str = "compatible:http://127.0.0.1:8080/v1#Qwen2.5-7B-Instruct";

const NATIVE: &str =
    "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"path\": \".\"}}\n</tool_call>";

#[tokio::test]
async fn known_models_may_call_natively_in_every_dialect() {
    for (dialect, answer) in [
        (Dialect::Sigil, "§respond: One file.\n§end"),
        (Dialect::Phase, "One file.<end>"),
        (Dialect::Action, "<response>One file.</response>"),
    ] {
        let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
        let model = NamedModel::new(QWEN, &[NATIVE, answer]);
        let agent = agent(&model, &store, &calls, CallForms::Known).with_dialect(dialect);
        let ran = ran(&agent, &store).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{dialect}");
        assert_eq!(*calls.lock().unwrap(), ["{\"path\": \".\"}"], "{dialect}");
        assert_eq!(
            Ran::types(&ran.stored),
            ["user", "respond", "call", "result", "respond"],
            "{dialect}"
        );
        let request = model.asked().pop().unwrap();
        assert!(request.contains("a.rs"), "{dialect}: {request}");
    }
}

#[tokio::test]
async fn unknown_model_may_use_native_calls_after_correction() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let model = NamedModel::new("says", &[NATIVE, NATIVE, "§respond: One file.\n§end"]);
    let agent = agent(&model, &store, &calls, CallForms::Known);
    let ran = ran(&agent, &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert_eq!(calls.lock().unwrap().len(), 1);
    assert!(model.asked()[1].contains("[Your last answer"), "{:?}", model.asked());
}

#[tokio::test]
async fn native_calls_do_not_run_if_disabled() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let model = NamedModel::new(QWEN, &[NATIVE; 4]);
    let ran = ran(&agent(&model, &store, &calls, CallForms::Own), &store).await;
    assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::NoAnswer);
    assert!(calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn quoted_native_calls_do_not_run() {
    let quoted = format!("§respond: Write this:\n```\n{NATIVE}\n```\n§end");
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let model = NamedModel::new(QWEN, &[&quoted]);
    let ran = ran(&agent(&model, &store, &calls, CallForms::Known), &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert!(calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn unknown_tool_is_reported_in_result() {
    let native = NATIVE.replace("look", "peek");
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let model = NamedModel::new(QWEN, &[&native, "§respond: I cannot.\n§end"]);
    let ran = ran(&agent(&model, &store, &calls, CallForms::Known), &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(ran.result("n1").status(), ResultStatus::Failure);
}

#[tokio::test]
async fn waiting_native_call_runs_once_later() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let asking = |model: &NamedModel| {
        let calls = Arc::clone(&calls);
        let write = tool("look", move |args, _| {
            calls.lock().unwrap().push(args);
            async { Ok(ToolOutput::new("written", "")) }.boxed()
        });
        Agent::new(model.clone(), Arc::clone(&store))
            .with_tools(toolbox([with(write.asking())]))
            .with_approver(ParkAll)
    };
    let first = asking(&NamedModel::new(QWEN, &[NATIVE]));
    let RunOutcome::Waiting(questions) = first.run("c", "go", &mut |_| {}).await.unwrap() else {
        panic!("it does not wait");
    };
    assert_eq!(questions.len(), 1);
    assert!(calls.lock().unwrap().is_empty());
    // Another model continues it, which is not known to write this form.
    let second = asking(&NamedModel::new("says", &["§respond: done\n§end"]));
    let yes = questions[0].answer(ApprovalDecision::Allow(ApprovalScope::Once));
    assert_eq!(second.resume("c", &[yes], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(*calls.lock().unwrap(), ["{\"path\": \".\"}"]);
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let count = |name: &str| entries.iter().filter(|one| one.event.type_name() == name).count();
    assert_eq!((count("call"), count("result")), (1, 1));
    assert_eq!(entries.last().unwrap().event, Event::respond("done"));
}
