//! An approver that wants all requests at once.

use std::collections::HashMap;

use super::*;

/// An approver that sends requests over a channel and lets any number be open.
struct Board(mpsc::Sender<Asked>);

impl Approver for Board {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            let (answer, answered) = oneshot::channel();
            self.0.send((question.id.to_owned(), answer)).await.unwrap();
            answered.await.unwrap()
        }
        .boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        true
    }
}

/// Starts calls whose requests are all announced and open, and returns a sender for each answer.
async fn asked(
    ids: &[&str],
    args: &str,
) -> (Runner, HashMap<String, oneshot::Sender<ApprovalDecision>>) {
    let (questions, mut asked) = mpsc::channel(100);
    let mut runner = Runner::new(Arc::new(writer()), Arc::new(Board(questions)));
    for id in ids {
        runner.start(ready(id, "write", args));
    }
    for id in ids {
        let update = runner.next().await;
        assert!(matches!(&update, Some(CallUpdate::Asked { id: asked, .. }) if asked == id));
    }
    // Nothing else happens until somebody answers.
    assert!(runner.next().now_or_never().is_none());
    let mut answers = HashMap::new();
    for _ in ids {
        let (id, answer) = asked.recv().await.unwrap();
        answers.insert(id, answer);
    }
    (runner, answers)
}

#[tokio::test]
async fn concurrent_requests_are_answered_in_any_order() {
    let ids = ["a1", "a2", "a3"];
    let (mut runner, mut answers) = asked(&ids, "{}").await;
    for (id, decision) in
        [("a3", ONCE), ("a1", ApprovalDecision::Deny("no".to_owned())), ("a2", ONCE)]
    {
        answers.remove(id).unwrap().send(decision.clone()).unwrap();
        let update = runner.next().await;
        let Some(CallUpdate::Answered { id: answered, answer, .. }) = update else {
            panic!("{update:?}");
        };
        assert_eq!((&*answered, answer), (id, decision.clone()));
        let (ended, status, _) = next(&mut runner).await;
        assert_eq!((&*ended, status == ResultStatus::Success), (id, decision == ONCE));
    }
    assert_eq!(runner.next().await, None);
}

#[tokio::test]
async fn conversation_approval_withdraws_covered_requests() {
    let (mut runner, mut answers) = asked(&["a1", "a2", "a3"], "{}").await;
    answers.remove("a2").unwrap().send(ALWAYS).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { id, .. }) if id == "a2"));
    let mut ended = Vec::new();
    for _ in 0..3 {
        let (id, status, _) = next(&mut runner).await;
        assert_eq!(status, ResultStatus::Success);
        ended.push(id);
    }
    ended.sort();
    assert_eq!(ended, ["a1", "a2", "a3"]);
    assert!(answers.values().all(oneshot::Sender::is_closed), "nobody waits for an answer");
    assert_eq!(runner.next().await, None);
}

#[tokio::test]
async fn stopped_call_withdraws_only_its_request() {
    let (mut runner, mut answers) = asked(&["a1", "a2"], "{}").await;
    runner.stop("a1");
    yield_now().await;
    assert!(answers["a1"].is_closed());
    answers.remove("a2").unwrap().send(ONCE).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { id, .. }) if id == "a2"));
    assert_eq!(next(&mut runner).await.0, "a2");
    assert_eq!(runner.next().await, None);
}
