//! The ends of a question at the wall, and the counting of its time.

use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn end_of_a_call_withdraws_its_question() {
    let (gone, mut seen) = mpsc::channel(10);
    let question = move |_: ApprovalRequest<'_>| {
        let gone = gone.clone();
        async move {
            let _left = Left(gone);
            pending::<ApprovalDecision>().await
        }
        .boxed()
    };
    struct Left(mpsc::Sender<()>);
    impl Drop for Left {
        fn drop(&mut self) {
            self.0.try_send(()).unwrap();
        }
    }
    /// A tool that gives up, or ends, while its question is open.
    fn leaver() -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
        tool("shell", |args, context| {
            async move {
                tokio::select! {
                    _ = context.ask_for(doors("git")) => {}
                    () = sleep(Duration::from_millis(20)), if args.contains("leave") => {}
                }
                if args.contains("stay") {
                    pending::<()>().await;
                }
                Ok(ToolOutput::new("", "left"))
            }
            .boxed()
        })
    }
    // The call ends.
    let mut runner = by(toolbox(leaver()), question.clone());
    runner.start(knocks("a1", "leave"));
    assert_eq!(next(&mut runner).await.2, "left");
    within(seen.recv()).await.unwrap();
    // It is stopped.
    runner.start(knocks("a2", "wait"));
    within(runner.next()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(50), runner.next()).await.is_err());
    runner.stop("a2");
    within(async { tokio::join!(runner.next(), seen.recv()) }).await.1.unwrap();
    // Everything is.
    runner.start(knocks("a3", "wait"));
    within(runner.next()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(50), runner.next()).await.is_err());
    runner.cancel();
    within(seen.recv()).await.unwrap();
    // The tool gives up, and does something else.
    runner.start(knocks("a4", "leave and stay"));
    within(runner.next()).await.unwrap();
    tokio::select! {
        _ = runner.next() => panic!("nothing to report"),
        left = within(seen.recv()) => left.unwrap(),
    }
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_while_a_question_waits() {
    let hour = Duration::from_secs(3600);
    let tool = tool("shell", |_, context| {
        async move {
            sleep(Duration::from_secs(3)).await;
            let limit = context.has_run_for(Duration::from_secs(2));
            let begun = Instant::now();
            let asked = async {
                context.ask_for(doors("git")).await.unwrap();
                sleep(Duration::from_secs(100)).await;
            };
            tokio::select! {
                () = asked => panic!("it has run for longer than 2 s"),
                () = limit => {}
            }
            assert_eq!(begun.elapsed(), Duration::from_secs(3602));
            sleep(Duration::from_secs(60)).await;
            Ok(ToolOutput::new("", ""))
        }
        .boxed()
    });
    let limited = tool
        .limited(Duration::from_secs(10))
        .treated(|policy| ToolPolicy { idle_timeout: Some(Duration::from_secs(8)), ..policy });
    let mut runner = by(toolbox(limited), move |_| {
        async move {
            sleep(hour).await;
            ONCE
        }
        .boxed()
    });
    let begun = Instant::now();
    runner.start(knocks("a1", "git"));
    let (_, outcome) = ended(&mut runner).await;
    // Three seconds before the question, and five after the first two seconds after it.
    assert_eq!(outcome.content, "timed out after 10 s");
    assert_eq!(begun.elapsed(), hour + Duration::from_secs(10));
}
