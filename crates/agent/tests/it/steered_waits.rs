//! Messages to a run that has answered, and waits for its calls in the background (P-24).

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_agent::{
    Agent, ErrorKind, RunOutcome, RunStream, SteerMessage, StreamOptions, steer_stored,
};
use silcrow_event::{Event, RunEvent};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::ToolOutput;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::support::{Answer, DeltaModel, tool};

/// An answer that leaves a call in the background, and an answer without one.
const BEHIND: &str = "<action mode=\"fire_and_forget\" id=\"f\">{\"name\":\"slow\",\
                      \"parameters\":{}}</action>\n<response>one</response>";
const LAST: &str = "<response>two</response>";

/// A run whose call in the background waits for a permit.
struct Waiting {
    model: DeltaModel,
    store: Arc<MemoryStore>,
    gate: Arc<Semaphore>,
    run: RunStream,
}

impl Waiting {
    fn new(answers: &[&str], max_steps: u32) -> Self {
        let answer = |text: &&str| {
            let text = Delta::Text((*text).to_owned());
            Answer { deltas: vec![Ok(text), Ok(Delta::Done(FinishReason::Stop))], hangs: false }
        };
        let model = DeltaModel::new(answers.iter().map(answer));
        let (store, gate) = (Arc::new(MemoryStore::new()), Arc::new(Semaphore::new(0)));
        let opened = Arc::clone(&gate);
        let slow = tool("slow", move |_, _| {
            let opened = Arc::clone(&opened);
            async move {
                opened.acquire().await.unwrap().forget();
                Ok(ToolOutput::new("done", "done"))
            }
            .boxed()
        });
        let agent = Agent::new(model.clone(), Arc::clone(&store))
            .with_dialect(Dialect::Action)
            .with_max_steps(max_steps)
            .with_tool(slow)
            .unwrap();
        let run = agent.stream_with("c", "go", StreamOptions::default());
        Self { model, store, gate, run }
    }

    /// Reads the run until the metric of its next step, after which it waits for the call.
    async fn answered(&mut self) {
        while let Some(event) = self.run.next().await {
            if matches!(&event, RunEvent::Entry(entry) if matches!(entry.event, Event::Metric(_))) {
                return;
            }
        }
        panic!("the run is over");
    }

    /// Lets the call end, and returns the events of the rest of the run except metrics.
    async fn rest(mut self) -> (RunOutcome, Vec<&'static str>) {
        self.gate.add_permits(1);
        let mut names = Vec::new();
        while let Some(event) = self.run.next().await {
            if let RunEvent::Entry(entry) = event {
                names.push(entry.event.type_name());
            }
        }
        (self.run.outcome().await.unwrap(), names)
    }
}

#[tokio::test(start_paused = true)]
async fn message_during_background_call_is_answered_at_once() {
    let mut waiting = Waiting::new(&[BEHIND, LAST], 20);
    waiting.answered().await;
    waiting.run.handle().steer("and now?").await.unwrap();
    // The call has not ended.
    waiting.answered().await;
    let model = waiting.model.clone();
    let asked = model.asked();
    assert_eq!((asked.len(), &*asked[1].last().unwrap().text()), (2, "and now?"));
    let (outcome, names) = waiting.rest().await;
    assert_eq!((outcome, names), (RunOutcome::Answered, vec!["result", "end"]));
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn message_from_elsewhere_is_answered_while_waiting() {
    let mut waiting = Waiting::new(&[BEHIND, LAST], 20);
    waiting.answered().await;
    steer_stored(&*waiting.store, "c", None, "and now?".into()).await.unwrap();
    waiting.answered().await;
    let asked = waiting.model.asked();
    assert_eq!((asked.len(), &*asked[1].last().unwrap().text()), (2, "and now?"));
    let (outcome, names) = waiting.rest().await;
    assert_eq!((outcome, names), (RunOutcome::Answered, vec!["result", "end"]));
}

#[tokio::test(start_paused = true)]
async fn each_message_to_waiting_run_is_answered() {
    let mut waiting = Waiting::new(&[BEHIND, LAST, LAST, LAST], 20);
    waiting.answered().await;
    for number in 2..=4 {
        let text = format!("message {number}");
        let message = SteerMessage::new(&*text).with_dropped_calls();
        waiting.run.handle().steer(message).await.unwrap();
        waiting.answered().await;
        let asked = waiting.model.asked();
        assert_eq!((asked.len(), &*asked[number - 1].last().unwrap().text()), (number, &*text));
    }
    assert_eq!(waiting.rest().await.0, RunOutcome::Answered);
}

#[tokio::test(start_paused = true)]
async fn last_step_takes_no_message_while_waiting() {
    let mut waiting = Waiting::new(&[BEHIND], 1);
    waiting.answered().await;
    let handle = waiting.run.handle();
    let steer = handle.steer("and now?");
    let opened = async {
        sleep(Duration::from_secs(9)).await;
        waiting.rest().await
    };
    let (refused, (outcome, _)) = tokio::join!(steer, opened);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(outcome, RunOutcome::Answered);
}

#[tokio::test(start_paused = true)]
async fn stop_while_waiting_is_an_interrupt() {
    let mut waiting = Waiting::new(&[BEHIND, LAST], 20);
    waiting.answered().await;
    let (handle, store) = (waiting.run.handle(), Arc::clone(&waiting.store));
    handle.steer("and now?").await.unwrap();
    waiting.answered().await;
    handle.cancel();
    while waiting.run.next().await.is_some() {}
    assert_eq!(waiting.run.outcome().await.unwrap(), RunOutcome::Interrupted);
    let stored = store.read("c", 1..=u64::MAX).await.unwrap();
    let names: Vec<_> = stored.iter().map(|entry| entry.event.type_name()).collect();
    assert_eq!(names, ["user", "call", "respond", "user", "respond", "result", "cancelled"]);
}
