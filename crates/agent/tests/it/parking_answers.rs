//! An answer to a question of a parked run counts only for the subject of that question (P-40).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, ParkedQuestion, ParkedRun, RunOutcome};
use silcrow_event::{ApprovalState, Event};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, ParkAll, Preview, Tool, ToolOutput};

use crate::support::{tool, toolbox, with};

const ONCE: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);
const ALL: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Conversation);

/// The arguments of the calls that ran, in order.
type Ran = Arc<Mutex<Vec<String>>>;

/// A tool whose calls all have one scope. While it runs, it stores the answer to another question,
/// if there is one.
fn write(ran: &Ran, store: &Arc<MemoryStore>, answers: bool) -> impl Tool + use<> {
    let (ran, store) = (Arc::clone(ran), Arc::clone(store));
    let run = move |args: String, _| {
        let (ran, store) = (Arc::clone(&ran), Arc::clone(&store));
        async move {
            ran.lock().unwrap().push(args.clone());
            let mut run = ParkedRun::read(&*store, "c", None).await.unwrap();
            let open = run.questions().iter().find(|asked| asked.answer.is_none());
            if let Some(yes) = open.map(|asked| asked.answer(ONCE)).filter(|_| answers) {
                run.answer_with(&[yes], Some("and hurry")).await.unwrap();
            }
            Ok(ToolOutput::new("written", args))
        }
        .boxed()
    };
    tool("write", run).asking().with_preview(|args| Preview::new("all").with_target(args))
}

struct Waiting {
    store: Arc<MemoryStore>,
    ran: Ran,
    questions: Vec<ParkedQuestion>,
}

const ASKS: &str = "§call: {\"name\":\"write\",\"args\":{\"n\":1}}\n\
                    §call: {\"name\":\"write\",\"args\":{\"n\":2}}\n§execute";

impl Waiting {
    async fn new() -> Self {
        let mut waiting =
            Self { store: Arc::default(), ran: Ran::default(), questions: Vec::new() };
        let outcome = waiting.agent(ASKS, false).run("c", "go", &mut |_| {}).await.unwrap();
        let RunOutcome::Waiting(questions) = outcome else { panic!("{outcome:?}") };
        waiting.questions = questions;
        waiting
    }

    fn agent(&self, script: &str, answers: bool) -> Agent {
        Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&self.store))
            .with_tools(toolbox([with(write(&self.ran, &self.store, answers))]))
            .with_approver(ParkAll)
            .with_root("/one", "7:1")
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

const DONE: &str = "§respond: done\n§end";

#[tokio::test]
async fn denial_outranks_conversation_approval() {
    let waiting = Waiting::new().await;
    let no = ApprovalDecision::Deny("not two".to_owned());
    let answers = [waiting.questions[1].answer(no), waiting.questions[0].answer(ALL)];
    let outcome = waiting.agent(DONE, false).resume("c", &answers, &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(waiting.ran(), ["{\"n\":1}"]);
}

#[tokio::test]
async fn conversation_approval_covers_other_open_questions() {
    let waiting = Waiting::new().await;
    let answers = [waiting.questions[0].answer(ALL)];
    let outcome = waiting.agent(DONE, false).resume("c", &answers, &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(waiting.ran().len(), 2);
}

#[tokio::test]
async fn approval_holds_only_at_its_root() {
    let waiting = Waiting::new().await;
    let answers: Vec<_> = waiting.questions.iter().map(|asked| asked.answer(ONCE)).collect();
    let elsewhere = waiting.agent(DONE, false).with_root("/two", "7:2");
    let outcome = elsewhere.resume("c", &answers, &mut |_| {}).await.unwrap();
    let RunOutcome::Waiting(again) = outcome else { panic!("{outcome:?}") };
    assert_eq!(again.len(), 2, "they are asked again");
    assert!(waiting.ran().is_empty());
}

#[tokio::test]
async fn a_run_is_resumed_in_its_own_dialect() {
    let waiting = Waiting::new().await;
    let answers = [waiting.questions[0].answer(ONCE)];
    let other = waiting.agent(DONE, false).with_dialect(Dialect::Action);
    let head = waiting.store.head("c").await.unwrap();
    let error = other.resume("c", &answers, &mut |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("dialect `sigil`"), "{error}");
    assert_eq!(waiting.store.head("c").await.unwrap(), head, "the answer is not stored");
}

#[tokio::test]
async fn unknown_conversation_is_not_resumed() {
    let waiting = Waiting::new().await;
    let error = waiting.agent(DONE, false).resume("d", &[], &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("unknown conversation `d`"), "{error}");
    assert_eq!(waiting.store.head("d").await.unwrap(), 0);
}

#[tokio::test]
async fn early_answer_is_kept_for_next_run() {
    let waiting = Waiting::new().await;
    let answers = [waiting.questions[0].answer(ONCE)];
    let outcome = waiting.agent(DONE, true).resume("c", &answers, &mut |_| {}).await.unwrap();
    let RunOutcome::Waiting(left) = outcome else { panic!("{outcome:?}") };
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].answer, Some(ApprovalState::Allowed), "the answer was stored meanwhile");
    let outcome = waiting.agent(DONE, false).resume("c", &[], &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(waiting.ran(), ["{\"n\":1}", "{\"n\":2}"]);
    let entries = waiting.store.read("c", 1..=u64::MAX).await.unwrap();
    let steers = entries.iter().filter(|entry| entry.event == Event::steer("and hurry"));
    assert_eq!(steers.count(), 1);
}

#[tokio::test]
async fn fork_neither_asks_nor_takes_answers() {
    let waiting = Waiting::new().await;
    let agent = waiting.agent(DONE, false);
    let fork = agent.fork("c", None, "fork").await.unwrap();
    let run = ParkedRun::read(&*waiting.store, &fork, None).await.unwrap();
    assert_eq!(run.questions(), []);
    let yes = waiting.questions[0].answer(ONCE);
    let gone = agent.resume(&*fork, &[yes], &mut |_| {}).await.unwrap_err();
    assert!(gone.to_string().contains("is gone"), "{gone}");
    // The original still waits.
    let original = ParkedRun::read(&*waiting.store, "c", None).await.unwrap();
    assert_eq!(original.questions(), waiting.questions);
    assert!(waiting.ran().is_empty());
}
