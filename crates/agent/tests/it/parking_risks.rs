//! A stored yes covers the risk that its question named and the lines that it showed, and no others
//! (P-40).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ParkedQuestion, ParkedRun, RunOutcome};
use silcrow_event::{Approval, ApprovalState, Entry, Event, read_entry};
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalScope, FileDiff, ParkAll, Preview, PreviewDiff, ToolOutput,
};

use crate::support::{tool, toolbox, with};

const YES: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);

/// The tool's preview of its call.
type Look = fn(&str) -> Preview;

const PLAIN: Look = |_| Preview::new("all").with_target("place");
const RISKY: Look = |_| Preview::new("all").with_target("place").with_risk("it belongs to git");
const OTHER: Look = |_| Preview::new("all").with_target("place").with_risk("it is a start file");

const LINES: Look = |_| changes("@@ -1 +1 @@\n-one\n+two\n");
const MOVED: Look = |_| changes("@@ -7 +7 @@\n-one\n+two\n");
const OTHERS: Look = |_| changes("@@ -1 +1 @@\n-1\n+two\n");

fn changes(hunks: &str) -> Preview {
    let file = FileDiff { path: "place".to_owned(), hunks: hunks.to_owned() };
    PLAIN("").with_diff(PreviewDiff::new(vec![file]))
}

#[derive(Default)]
struct World {
    store: Arc<MemoryStore>,
    ran: Arc<Mutex<u32>>,
}

impl World {
    fn agent(&self, script: &str, look: Look) -> Agent {
        let ran = Arc::clone(&self.ran);
        let run = move |_, _| {
            *ran.lock().unwrap() += 1;
            async { Ok(ToolOutput::new("written", "w")) }.boxed()
        };
        let write = tool("write", run).asking().with_preview(look);
        Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&self.store))
            .with_tools(toolbox([with(write)]))
            .with_approver(ParkAll)
    }

    /// Runs until the question about the one call is open, and returns it.
    async fn park(&self, look: Look) -> ParkedQuestion {
        let asks = "§call: {\"name\":\"write\",\"args\":{}}\n§execute";
        let outcome = self.agent(asks, look).run("c", "go", &mut |_| {}).await.unwrap();
        let RunOutcome::Waiting(questions) = outcome else { panic!("{outcome:?}") };
        <[_; 1]>::try_from(questions).unwrap().into_iter().next().unwrap()
    }

    /// Continues the run, and returns how it ended and how many calls ran.
    async fn resume(&self, look: Look) -> (RunOutcome, u32) {
        let agent = self.agent("§respond: done\n§end", look);
        let outcome = agent.resume("c", &[], &mut |_| {}).await.unwrap();
        (outcome, *self.ran.lock().unwrap())
    }

    async fn answer(&self, question: &ParkedQuestion, decision: ApprovalDecision) {
        let mut run = ParkedRun::read(&*self.store, "c", None).await.unwrap();
        run.answer(&[question.answer(decision)]).await.unwrap();
    }

    async fn stored(&self) -> Vec<Entry> {
        self.store.read("c", 1..=u64::MAX).await.unwrap()
    }
}

#[tokio::test]
async fn approval_covers_only_named_risks() {
    for (then, now) in [(PLAIN, RISKY), (OTHER, RISKY)] {
        let world = World::default();
        let question = world.park(then).await;
        world.answer(&question, YES).await;
        let (outcome, ran) = world.resume(now).await;
        let RunOutcome::Waiting(again) = outcome else { panic!("{outcome:?}") };
        assert_eq!(ran, 0);
        assert_eq!(again[0].question.risk.as_deref(), Some("it belongs to git"));
        assert_eq!(again[0].answer, None, "the earlier yes is no answer to this question");
        // The person sees the risk and says yes: now it runs.
        world.answer(&again[0], YES).await;
        assert_eq!(world.resume(now).await, (RunOutcome::Answered, 1));
    }
}

#[tokio::test]
async fn answered_risky_question_runs_its_call() {
    // The call may also have lost its risk.
    for now in [RISKY, PLAIN] {
        let world = World::default();
        let question = world.park(RISKY).await;
        assert_eq!(question.question.risk.as_deref(), Some("it belongs to git"));
        world.answer(&question, YES).await;
        assert_eq!(world.resume(now).await, (RunOutcome::Answered, 1));
        let entries = world.stored().await;
        let risks: Vec<_> =
            entries.iter().filter_map(approval).map(|it| it.risk.as_deref()).collect();
        assert_eq!(risks, [Some("it belongs to git"); 2], "the question and its answer name it");
    }
}

#[tokio::test]
async fn denial_holds_at_any_risk() {
    let world = World::default();
    let question = world.park(PLAIN).await;
    world.answer(&question, ApprovalDecision::Deny("not there".to_owned())).await;
    assert_eq!(world.resume(RISKY).await, (RunOutcome::Answered, 0));
    let entries = world.stored().await;
    let result = entries.iter().find_map(|entry| match &entry.event {
        Event::Result(result) => Some(result.content.text().into_owned()),
        _ => None,
    });
    let result = result.unwrap();
    assert!(result.contains("not there"), "{result}");
}

#[tokio::test]
async fn old_answer_covers_only_calls_without_risk() {
    for (look, expected) in [(PLAIN, 1), (RISKY, 0)] {
        let world = World::default();
        let question = world.park(look).await;
        let hash = &question.question.args_sha256;
        let line = format!(
            r#"{{"type":"approval","id":"a1","state":"allowed","args_sha256":"{hash}","target":"place","turn":1}}"#
        );
        let entry = read_entry(&line).unwrap();
        assert_eq!(approval(&entry).unwrap().risk, None);
        assert_eq!(entry.to_json(), line);
        let head = world.store.head("c").await.unwrap();
        world.store.append("c", head, vec![entry]).await.unwrap();
        let (outcome, ran) = world.resume(look).await;
        assert_eq!(ran, expected);
        assert_eq!(matches!(outcome, RunOutcome::Waiting(_)), expected == 0, "{outcome:?}");
    }
}

#[tokio::test]
async fn approval_covers_exactly_the_shown_lines() {
    for now in [LINES, MOVED] {
        let world = World::default();
        let question = world.park(LINES).await;
        let shown = question.question.diff.as_ref().unwrap();
        assert_eq!(shown.files[0].hunks, "@@ -1 +1 @@\n-one\n+two\n");
        world.answer(&question, YES).await;
        assert_eq!(world.resume(now).await, (RunOutcome::Answered, 1));
    }
    for now in [OTHERS, PLAIN] {
        let world = World::default();
        let question = world.park(LINES).await;
        world.answer(&question, YES).await;
        let (outcome, ran) = world.resume(now).await;
        let RunOutcome::Waiting(again) = outcome else { panic!("{outcome:?}") };
        assert_eq!((ran, again[0].answer), (0, None));
        world.answer(&again[0], YES).await;
        assert_eq!(world.resume(now).await, (RunOutcome::Answered, 1));
    }
    // A yes of a log without differences covers all.
    let world = World::default();
    let question = world.park(PLAIN).await;
    world.answer(&question, YES).await;
    assert_eq!(world.resume(LINES).await, (RunOutcome::Answered, 1));
}

fn approval(entry: &Entry) -> Option<&Approval> {
    match &entry.event {
        Event::Approval(approval) if approval.state != ApprovalState::Denied => Some(approval),
        _ => None,
    }
}
