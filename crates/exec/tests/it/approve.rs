use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::Status;
use silcrow_exec::{Answer, Approver, Output, Runner, Toolbox};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::sleep;

use crate::{next, plain, ready, runner, summary, tool, toolbox, with};

/// What was asked, and where the answer is awaited.
type Question = (String, oneshot::Sender<Answer>);

/// Somebody at the other end of a channel, who counts the questions that are open at once.
struct Desk {
    questions: mpsc::Sender<Question>,
    open: AtomicUsize,
}

impl Approver for Desk {
    fn ask<'a>(&'a self, id: &'a str, tool: &'a str, args: &'a str) -> BoxFuture<'a, Answer> {
        async move {
            assert_eq!(self.open.fetch_add(1, Ordering::SeqCst), 0, "one question at a time");
            let (answer, answered) = oneshot::channel();
            self.questions.send((format!("{id} {tool} {args}"), answer)).await.unwrap();
            let answer = answered.await.unwrap();
            self.open.fetch_sub(1, Ordering::SeqCst);
            answer
        }
        .boxed()
    }
}

fn desk(tools: Toolbox) -> (Runner, mpsc::Receiver<Question>) {
    let (questions, asked) = mpsc::channel(100);
    let desk = Desk { questions, open: AtomicUsize::new(0) };
    (Runner::new(Arc::new(tools), Arc::new(desk)), asked)
}

/// An approver that never answers.
struct Silent;

impl Approver for Silent {
    fn ask<'a>(&'a self, _: &'a str, _: &'a str, _: &'a str) -> BoxFuture<'a, Answer> {
        pending().boxed()
    }
}

fn writer() -> Toolbox {
    toolbox(tool("write", |args, _| async { Ok(Output::new("written", args)) }.boxed()).asking())
}

#[tokio::test]
async fn calls_are_asked_about_one_by_one_in_their_order_and_answers_are_not_mixed_up() {
    let (mut runner, mut asked) = desk(writer());
    for n in 0..20_u32 {
        runner.start(ready(&format!("a{n}"), "write", &format!(r#"{{"n":{n}}}"#)), "c");
    }
    let answers = tokio::spawn(async move {
        for n in 0..20_u32 {
            let (question, answer) = asked.recv().await.unwrap();
            assert_eq!(question, format!(r#"a{n} write {{"n":{n}}}"#));
            let no = Answer::Deny(format!("not {n}"));
            answer.send(if n.is_multiple_of(3) { no } else { Answer::Allow }).unwrap();
        }
    });
    let mut ended = Vec::new();
    while let Some((id, outcome)) = runner.next().await {
        let n: u32 = id[1..].parse().unwrap();
        if n.is_multiple_of(3) {
            assert_eq!((summary(&outcome), &*outcome.content), ("denied", &*format!("not {n}")));
        } else {
            assert_eq!(outcome.content, format!(r#"{{"n":{n}}}"#));
        }
        ended.push(n);
    }
    ended.sort_unstable();
    assert_eq!(ended, (0..20).collect::<Vec<_>>());
    answers.await.unwrap();
}

#[tokio::test]
async fn nothing_runs_before_the_yes() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", "{}"), "c");
    let (_, answer) = asked.recv().await.unwrap();
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    answer.send(Answer::Allow).unwrap();
    assert_eq!(next(&mut runner).await.1, Status::Success);
}

#[tokio::test]
async fn without_anybody_the_answer_is_no() {
    let mut runner = runner(writer());
    runner.start(ready("a1", "write", "{}"), "c");
    let (_, outcome) = runner.next().await.unwrap();
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(outcome.content, "`write` needs a person's yes, and nobody is there to give it");
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_cannot_run() {
    let (mut runner, mut asked) = desk(with(writer(), plain("read")));
    runner.start(ready("a1", "wriet", "{}"), "c");
    runner.start(ready("a2", "read", "{}"), "c");
    assert_eq!(next(&mut runner).await.0, "a1");
    assert_eq!(next(&mut runner).await.0, "a2");
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn an_approver_that_never_answers_blocks_nobody_else_and_cancel_ends_the_wait() {
    let tools = with(writer(), plain("read"));
    let mut runner = Runner::new(Arc::new(tools), Arc::new(Silent));
    runner.start(ready("a0", "write", "{}"), "c");
    for n in 1..=40 {
        runner.start(ready(&format!("a{n}"), "read", "{}"), "c");
    }
    for _ in 1..=40 {
        assert_eq!(next(&mut runner).await.2, "read");
    }
    assert!(runner.next().now_or_never().is_none(), "the question is open");
    runner.cancel();
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn cancel_takes_the_question_back() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", "{}"), "c");
    runner.start(ready("a2", "write", "{}"), "c");
    let (_, mut answer) = asked.recv().await.unwrap();
    runner.cancel();
    answer.closed().await;
    assert!(runner.next().await.is_none());
    assert!(asked.try_recv().is_err(), "the second question is not asked");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_tool_does_not_run_while_somebody_thinks() {
    struct Slow;
    impl Approver for Slow {
        fn ask<'a>(&'a self, _: &'a str, _: &'a str, _: &'a str) -> BoxFuture<'a, Answer> {
            async {
                sleep(Duration::from_secs(3600)).await;
                Answer::Allow
            }
            .boxed()
        }
    }
    let write = tool("write", |_, _| {
        async {
            sleep(Duration::from_secs(59)).await;
            Ok(Output::new("", "slow but in time"))
        }
        .boxed()
    });
    let mut runner = Runner::new(Arc::new(toolbox(write.asking())), Arc::new(Slow));
    runner.start(ready("a1", "write", "{}"), "c");
    assert_eq!(next(&mut runner).await.2, "slow but in time");
}

#[tokio::test]
async fn an_approver_that_panics_has_not_said_yes() {
    struct Broken;
    impl Approver for Broken {
        fn ask<'a>(&'a self, _: &'a str, _: &'a str, _: &'a str) -> BoxFuture<'a, Answer> {
            panic!("no terminal")
        }
    }
    let mut runner = Runner::new(Arc::new(writer()), Arc::new(Broken));
    runner.start(ready("a1", "write", "{}"), "c");
    let (_, outcome) = runner.next().await.unwrap();
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(outcome.content, "nobody could be asked: no terminal");
}

#[tokio::test]
async fn what_was_allowed_waits_for_a_place_like_the_others() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let hold = tool("hold", move |_, _| {
        let gate = Arc::clone(&held);
        async move {
            drop(gate.acquire().await);
            Ok(Output::new("", "held"))
        }
        .boxed()
    });
    let (runner, mut asked) = desk(with(with(writer(), hold), plain("read")));
    let mut runner = runner.with_settings(crate::run::parallel(1));
    runner.start(ready("a1", "hold", "{}"), "c");
    runner.start(ready("a2", "write", "{}"), "c");
    runner.start(ready("a3", "read", "{}"), "c");
    asked.recv().await.unwrap().1.send(Answer::Allow).unwrap();
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    gate.add_permits(1);
    assert_eq!(next(&mut runner).await.0, "a1");
    assert_eq!(next(&mut runner).await.0, "a3", "it waited longer");
    assert_eq!(next(&mut runner).await.0, "a2");
}
