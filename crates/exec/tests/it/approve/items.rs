//! One request about the calls for the items of a loop.

use std::collections::VecDeque;
use std::sync::Mutex;

use silcrow_event::{Call, CallEnd, Json};
use silcrow_exec::{CallDriver, DriverEvent};
use silcrow_plan::{ControlBlock, ControlKind, Plan, PlanUpdate};
use silcrow_tool::{ItemRequest, ParkAll};

use super::*;
use crate::within;

/// A person who answers each request as it is written here, and notes the questions.
#[derive(Default)]
struct Person {
    answers: Mutex<VecDeque<ApprovalDecision>>,
    asked: Mutex<Vec<Vec<(String, String)>>>,
    is_asked_at_once: bool,
}

impl Approver for Person {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        let item = |item: &ItemRequest<'_>| (item.id.to_owned(), item.args.to_owned());
        let first = (question.id.to_owned(), question.args.to_owned());
        let all = [first].into_iter().chain(question.items.iter().map(item)).collect();
        self.asked.lock().unwrap().push(all);
        let answer = self.answers.lock().unwrap().pop_front();
        async move { answer.unwrap_or_else(|| panic!("asked once more")) }.boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        self.is_asked_at_once
    }

    fn takes_items(&self) -> bool {
        true
    }
}

/// Returns a driver of a loop over numbers, of which `parallel` are at work at once, whose body writes
/// each.
fn driver(items: &str, parallel: usize, approver: Arc<dyn Approver>) -> CallDriver {
    let mut plan = Plan::new();
    plan.preset("all", Json::parse(items).unwrap());
    plan.open_block(ControlBlock::new(
        "each",
        ControlKind::ForEach {
            items: "all".to_owned(),
            item: "x".to_owned(),
            index: None,
            max_parallel: parallel,
            limit: ControlKind::LIMIT,
            on_error: silcrow_event::OnError::Skip,
        },
    ));
    let call = Call::parse("save", r#"{"name":"write","args":{"x":"$x"}}"#).unwrap();
    plan.push(call.with_action(Default::default()));
    plan.close_block();
    plan.end_text();
    CallDriver::new(plan, Runner::new(Arc::new(writer()), approver))
}

/// Drives to the end, and returns how the calls ended, and the answers that were reported before each call
/// could start.
async fn drive(driver: &mut CallDriver) -> (Vec<(String, CallEnd)>, Vec<(String, bool)>) {
    let (mut ends, mut answers) = (Vec::new(), Vec::new());
    loop {
        while let Some(update) = driver.plan_mut().next_update() {
            if let PlanUpdate::End { id, how } = update {
                ends.push((id, how));
            }
        }
        driver.start();
        match within(driver.next()).await {
            None => break,
            Some(DriverEvent::Reported(CallUpdate::Answered { id, answer, .. })) => {
                answers.push((id, matches!(answer, ApprovalDecision::Allow(_))));
            }
            Some(_) if driver.is_parked() => break,
            Some(_) => {}
        }
    }
    ends.sort_by(|(one, _): &(String, _), (other, _)| one.cmp(other));
    (ends, answers)
}

fn some(allowed: &[usize]) -> ApprovalDecision {
    ApprovalDecision::Items { allowed: allowed.to_vec(), denied: "not this one".to_owned() }
}

#[tokio::test]
async fn one_question_covers_items_and_allows_some() {
    for parallel in [1, 2, 8] {
        for is_asked_at_once in [false, true] {
            let answers = Mutex::new([some(&[0, 3])].into());
            let person = Arc::new(Person { answers, is_asked_at_once, ..Person::default() });
            let mut driver = driver("[10,11,12,13]", parallel, person.clone());
            let (ends, answers) = drive(&mut driver).await;
            let asked = person.asked.lock().unwrap();
            let named: Vec<_> = asked[0].iter().map(|(id, args)| format!("{id} {args}")).collect();
            let all = [10, 11, 12, 13].iter().enumerate();
            let all = all.map(|(at, x)| format!(r#"each[{at}].save {{"x":{x}}}"#));
            assert_eq!((asked.len(), named), (1, all.collect()), "{parallel}");
            let good: Vec<_> = ends.iter().map(|(_, how)| *how == CallEnd::Ok).collect();
            assert_eq!(good, [true, false, false, true], "{parallel}");
            let yes: Vec<_> = answers.iter().map(|(_, is_yes)| *is_yes).collect();
            assert_eq!(yes, [true, false, false, true], "{parallel}");
            let why = driver.plan().outcome("each[1].save").unwrap().failure_text();
            assert!(why.contains("not this one"), "{why}");
        }
    }
}

#[tokio::test]
async fn answering_one_item_asks_about_remaining_items() {
    let no = ApprovalDecision::Deny("no".to_owned());
    let answers = Mutex::new([ONCE, no, some(&[0, 1])].into());
    let person = Arc::new(Person { answers, ..Person::default() });
    let mut driver = driver("[1,2,3,4]", 2, person.clone());
    let (ends, _) = drive(&mut driver).await;
    let named: Vec<_> = person.asked.lock().unwrap().iter().map(Vec::len).collect();
    assert_eq!(named, [4, 3, 2]);
    let good: Vec<_> = ends.iter().map(|(_, how)| *how == CallEnd::Ok).collect();
    assert_eq!(good, [true, false, true, true]);
}

#[tokio::test]
async fn conversation_approval_covers_items_in_scope() {
    let person = Arc::new(Person { answers: Mutex::new([ALWAYS].into()), ..Person::default() });
    let mut driver = driver("[1,1,1]", 1, person.clone());
    let (ends, answers) = drive(&mut driver).await;
    assert_eq!((ends.len(), answers.len()), (3, 1));
    assert!(ends.iter().all(|(_, how)| *how == CallEnd::Ok));
}

#[tokio::test]
async fn approver_without_item_support_answers_each_item() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let approver = FunctionApprover(move |question: ApprovalRequest<'_>| {
        noted.lock().unwrap().push((question.id.to_owned(), question.items.len()));
        async { ONCE }.boxed()
    });
    let mut driver = driver("[1,2,3]", 8, Arc::new(approver));
    assert_eq!(drive(&mut driver).await.0.len(), 3);
    let alone = |id: &str| (id.to_owned(), 0);
    let all = ["each[0].save", "each[1].save", "each[2].save"].map(alone);
    assert_eq!(*asked.lock().unwrap(), all);
}

#[tokio::test]
async fn parked_question_waits_for_all_items() {
    let mut driver = driver("[1,2,3]", 1, Arc::new(ParkAll));
    drive(&mut driver).await;
    assert!(driver.is_parked());
    let open = driver.open_questions();
    let named: Vec<_> = open.iter().map(|open| (&*open.id, open.item_of.as_deref())).collect();
    let item_of = Some("each[].save");
    assert_eq!(
        named,
        [("each[0].save", item_of), ("each[1].save", item_of), ("each[2].save", item_of)]
    );
}
