//! Calls in the vendor's own way (P-45).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, AgentOptions, CallForms, RunOutcome};
use silcrow_event::{ContentPart, Event, Message, NativeCall, NativeResult, Role};
use silcrow_parser::Dialect;
use silcrow_provider::{
    CallDelta, Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, CancellationToken, ParkAll, ToolOutput};

use crate::support::{Ran, run, tool, toolbox, with};
use crate::vendor_model::VendorModel;

fn text(text: &str) -> Vec<Delta> {
    text.split_inclusive(' ').map(|word| Delta::Text(word.to_owned())).collect()
}

fn call(id: &str, name: &str, args: &[&str]) -> Vec<Delta> {
    let begin = CallDelta::Begin { id: Some(id.to_owned()), name: name.to_owned() };
    let args = args.iter().map(|args| CallDelta::Args((*args).to_owned()));
    let parts = [begin].into_iter().chain(args).chain([CallDelta::End { opaque: None }]);
    parts.map(Delta::Call).collect()
}

fn done(finish: FinishReason) -> Vec<Delta> {
    vec![Delta::Done(finish)]
}

/// An answer that thinks, says something and calls twice.
fn calling() -> Vec<Delta> {
    [
        vec![Delta::Reasoning("hm".to_owned()), Delta::Opaque("{\"signature\":\"s\"}".to_owned())],
        text("I look."),
        call(ID, "look", &["{\"path\"", ": \".\"}"]),
        call("toolu_0000000000000002", "look", &[]),
        done(FinishReason::ToolUse),
    ]
    .concat()
}

fn answering() -> Vec<Delta> {
    [text("There is one file."), done(FinishReason::Stop)].concat()
}

const ID: &str = "toolu_0000000000000001";

/// The arguments of the calls that ran.
type Calls = Arc<Mutex<Vec<String>>>;

fn agent(model: &VendorModel, store: &Arc<MemoryStore>, calls: &Calls, forms: CallForms) -> Agent {
    let mut options = AgentOptions::default();
    options.calls = forms;
    let calls = Arc::clone(calls);
    let look = tool("look", move |args, _| {
        calls.lock().unwrap().push(args);
        async { Ok(ToolOutput::new("1 file", "a.rs")) }.boxed()
    });
    Agent::new(model.clone(), Arc::clone(store))
        .with_options(options)
        .with_tools(toolbox([with(look)]))
}

async fn ran(agent: &Agent, store: &Arc<MemoryStore>) -> Ran {
    run(agent, store, "What is here?", &CancellationToken::new()).await
}

fn parts(message: &Message) -> &[ContentPart] {
    message.content.parts()
}

#[tokio::test]
async fn batch_results_return_in_one_message() {
    for dialect in Dialect::ALL {
        let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
        let model = VendorModel::new("vendor:one", [calling(), answering()]);
        let agent = agent(&model, &store, &calls, CallForms::Native).with_dialect(dialect);
        let ran = ran(&agent, &store).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{dialect}");
        assert_eq!(*calls.lock().unwrap(), ["{\"path\": \".\"}", "{}"], "{dialect}");
        assert_eq!(
            Ran::types(&ran.stored),
            ["user", "think", "respond", "call", "call", "result", "result", "respond"],
            "{dialect}"
        );
        // Parts that only the model reads are stored but not shown.
        assert!(ran.stored[1].event.has_opaque());
        assert!(!ran.shown.iter().any(|entry| entry.event.has_opaque()));

        let asked = model.asked();
        let names: Vec<_> = asked[0].tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["look"]);
        let system = asked[0].messages[0].text();
        assert!(!system.contains("§call") && !system.contains("<execute>"), "{system}");
        assert!(!system.contains("## Tools"), "{system}");
        let [_, _, said, results] = &asked[1].messages[..] else { panic!("{:?}", asked[1]) };
        assert_eq!((said.role, results.role), (Role::Assistant, Role::User));
        let [opaque, said, one, two] = parts(said) else { panic!("{said:?}") };
        assert_eq!(opaque, &ContentPart::Opaque("{\"signature\":\"s\"}".to_owned()));
        assert_eq!(said, &ContentPart::Text("I look.".to_owned()));
        let native = |id: &str, args: &str| {
            let (id, name, args) = (id.to_owned(), "look".to_owned(), args.to_owned());
            ContentPart::Call(NativeCall { id, name, args, opaque: None })
        };
        assert_eq!(one, &native(ID, "{\"path\": \".\"}"));
        assert_eq!(two, &native("toolu_0000000000000002", "{}"));
        let ids = parts(results).iter().map(|part| match part {
            ContentPart::Result(NativeResult { id, text, is_error: false, .. }) => {
                assert!(text.contains("\na.rs"), "{text}");
                &**id
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(ids.collect::<Vec<_>>(), [ID, "toolu_0000000000000002"]);
    }
}

#[tokio::test]
async fn session_gets_results_of_kept_calls() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let mut model = VendorModel::new("vendor:one", [calling(), answering()]);
    model.sessions = true;
    let ran = ran(&agent(&model, &store, &calls, CallForms::Native), &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(calls.lock().unwrap().len(), 2);
    let asked = model.asked();
    assert_eq!(asked[0].tools.len(), 1);
    // The request has the answer, by which the session finds the messages that it keeps, and the
    // new messages.
    let [said, results] = &asked[1].messages[..] else { panic!("{:?}", asked[1]) };
    let is_call = |part: &&ContentPart| matches!(part, ContentPart::Call(_));
    assert_eq!(parts(said).iter().filter(is_call).count(), 2);
    assert!(parts(results).iter().all(|part| matches!(part, ContentPart::Result(_))));
}

#[tokio::test]
async fn truncated_answer_runs_nothing() {
    let whole = calling();
    for cut in 0..whole.len() {
        let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
        let answer = whole[..cut].to_vec();
        let model = VendorModel::new("vendor:one", [answer, answering()]);
        let ran = ran(&agent(&model, &store, &calls, CallForms::Native), &store).await;
        assert!(calls.lock().unwrap().is_empty(), "cut at {cut}");
        // Every call of the log has a result.
        let count = |name: &str| Ran::types(&ran.stored).iter().filter(|one| **one == name).count();
        assert!(count("call") <= count("result"), "cut at {cut}: {:?}", Ran::types(&ran.stored));
    }
    for finish in [FinishReason::Length, FinishReason::Filter] {
        let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
        let answer = [&whole[..whole.len() - 1], &done(finish)].concat();
        let model = VendorModel::new("vendor:one", [answer]);
        ran(&agent(&model, &store, &calls, CallForms::Native), &store).await.ended.unwrap_err();
        assert!(calls.lock().unwrap().is_empty(), "{finish:?}");
    }
}

#[tokio::test]
async fn conversation_continues_with_another_model() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let one = VendorModel::new("vendor:one", [calling(), answering()]);
    ran(&agent(&one, &store, &calls, CallForms::Native), &store).await.ended.unwrap();

    let words =
        [text("§call: {\"name\": \"look\", \"args\": {}}\n§execute"), done(FinishReason::Stop)];
    let last = [text("§respond: One.\n§end"), done(FinishReason::Stop)];
    let other = Written(VendorModel::new("words", [words.concat(), last.concat()]));
    let asked = Arc::clone(&other.0.asked);
    let mut options = AgentOptions::default();
    options.calls = CallForms::Own;
    let look = tool("look", |_, _| async { Ok(ToolOutput::new("1 file", "a.rs")) }.boxed());
    let agent_in_text = Agent::new(other, Arc::clone(&store))
        .with_options(options)
        .with_tools(toolbox([with(look)]));
    let told = ran(&agent_in_text, &store).await;
    assert_eq!(told.ended.unwrap(), RunOutcome::Answered);
    let request = asked.lock().unwrap()[0].clone();
    assert!(request.tools.is_empty());
    let history: String =
        request.messages.iter().map(|message| message.text().into_owned()).collect();
    assert!(history.contains("§call: {\"name\": \"look\""), "{history}");
    assert!(!history.contains("signature"), "{history}");

    // Calls written as text go to the vendor as native calls, and an opaque part goes only to its
    // own model.
    for (name, is_own) in [("vendor:one", true), ("vendor:two", false)] {
        let model = VendorModel::new(name, [answering()]);
        ran(&agent(&model, &store, &calls, CallForms::Native), &store).await.ended.unwrap();
        let asked = model.asked();
        let all = asked[0].messages.iter().flat_map(parts);
        let count = |is: fn(&ContentPart) -> bool| all.clone().filter(|part| is(part)).count();
        assert_eq!(count(|part| matches!(part, ContentPart::Call(_))), 3, "{name}");
        assert_eq!(count(|part| matches!(part, ContentPart::Result(_))), 3, "{name}");
        assert_eq!(count(|part| matches!(part, ContentPart::Opaque(_))), usize::from(is_own));
        let text: String =
            asked[0].messages.iter().skip(1).map(|one| one.text().into_owned()).collect();
        assert!(!text.contains("§execute") && !text.contains("§end"), "{text}");
    }
}

/// A model without sessions.
struct Written(VendorModel);

impl Provider for Written {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.0.stream(request)
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

#[tokio::test]
async fn waiting_call_runs_once_in_later_process() {
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let asking = |model: &VendorModel| {
        let calls = Arc::clone(&calls);
        let mut options = AgentOptions::default();
        options.calls = CallForms::Native;
        let write = tool("look", move |args, _| {
            calls.lock().unwrap().push(args);
            async { Ok(ToolOutput::new("written", "")) }.boxed()
        });
        Agent::new(model.clone(), Arc::clone(&store))
            .with_options(options)
            .with_tools(toolbox([with(write.asking())]))
            .with_approver(ParkAll)
    };
    let answer = [call(ID, "look", &["{\"a\":1}"]), done(FinishReason::ToolUse)].concat();
    let first = asking(&VendorModel::new("vendor:one", [answer]));
    let RunOutcome::Waiting(questions) = first.run("c", "go", &mut |_| {}).await.unwrap() else {
        panic!("it does not wait");
    };
    assert!(calls.lock().unwrap().is_empty());
    let model = VendorModel::new("vendor:one", [answering()]);
    let yes = questions[0].answer(ApprovalDecision::Allow(ApprovalScope::Once));
    let ended = asking(&model).resume("c", &[yes], &mut |_| {}).await.unwrap();
    assert_eq!(ended, RunOutcome::Answered);
    assert_eq!(*calls.lock().unwrap(), ["{\"a\":1}"]);
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let count = |name: &str| entries.iter().filter(|one| one.event.type_name() == name).count();
    assert_eq!((count("call"), count("result")), (1, 1));
}

#[tokio::test]
async fn malformed_calls_get_explanatory_results() {
    let odd = [
        call("", "look", &["{\"path\": \".\"}"]),
        call("", "look", &["{'path': '.',}"]),
        call("", "look", &["{\"path\": "]),
        call("", "peek", &["{}"]),
        call("", "", &["{}"]),
        done(FinishReason::ToolUse),
    ];
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let model = VendorModel::new("vendor:one", [odd.concat(), answering()]);
    let ran = ran(&agent(&model, &store, &calls, CallForms::Native), &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    // One is mended if it can be read in one way only.
    assert_eq!(*calls.lock().unwrap(), ["{\"path\": \".\"}", "{\"path\":\".\"}"]);
    let failed = ran.stored.iter().filter(|entry| match &entry.event {
        Event::Result(result) => result.status() == silcrow_event::ResultStatus::Failure,
        _ => false,
    });
    assert_eq!(failed.count(), 3);
}

#[tokio::test]
async fn call_written_as_text_is_reported() {
    let written = "§call: {\"name\": \"look\", \"args\": {}}\n§execute";
    let (store, calls) = (Arc::new(MemoryStore::new()), Calls::default());
    let answers = [[text(written), done(FinishReason::Stop)].concat(), answering()];
    let model = VendorModel::new("vendor:one", answers);
    let ran = ran(&agent(&model, &store, &calls, CallForms::Native), &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert!(calls.lock().unwrap().is_empty());
    let asked = model.asked();
    let last = asked[1].messages.last().unwrap().text().into_owned();
    assert!(last.contains("through the interface"), "{last}");
}
