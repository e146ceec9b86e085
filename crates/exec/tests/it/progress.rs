use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::{join_all, pending};
use silcrow_event::{Entry, Event, Progress};
use silcrow_exec::CallUpdate;
use silcrow_tool::{CallContext, ToolOutput};
use tokio::sync::oneshot;
use tokio::task::yield_now;

use crate::{next, plain, ready, runner, tool, toolbox, with};

fn piece(id: &str, channel: &str, n: u64, content: &str) -> CallUpdate {
    let (id, channel, content) = (id.to_owned(), channel.to_owned(), content.to_owned());
    CallUpdate::Progress(Progress { id, channel, n, content })
}

#[tokio::test]
async fn progress_is_numbered_per_channel_and_precedes_end() {
    let talk = tool("talk", |_, context| {
        async move {
            context.progress("stdout", "one").await;
            context.progress("stderr", "oops").await;
            context.progress("stdout", "two").await;
            Ok(ToolOutput::new("", "done"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(talk));
    for id in ["a1", "a2"] {
        runner.start(ready(id, "talk", "{}"));
        assert_eq!(runner.next().await, Some(piece(id, "stdout", 0, "one")));
        assert_eq!(runner.next().await, Some(piece(id, "stderr", 0, "oops")));
        assert_eq!(runner.next().await, Some(piece(id, "stdout", 1, "two")));
        assert_eq!(next(&mut runner).await.2, "done");
        assert_eq!(runner.next().await, None);
    }
}

#[tokio::test]
async fn events_of_an_agent_pass_through() {
    let entry = Entry::from(Event::think("hm"));
    let told = entry.clone();
    let agent = tool("agent", move |_, context| {
        let entry = told.clone();
        async move {
            context.report_event(entry).await;
            Ok(ToolOutput::new("", "done"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(agent));
    runner.start(ready("a1", "agent", "{}"));
    assert_eq!(runner.next().await, Some(CallUpdate::AgentEvent(Box::new(entry))));
    assert_eq!(next(&mut runner).await.2, "done");
}

#[tokio::test]
async fn slow_listener_slows_tool_without_losing_progress() {
    const PIECES: usize = 5000;
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let flood = tool("flood", move |_, context| {
        let told = Arc::clone(&count);
        async move {
            for n in 0..PIECES {
                context.progress("stdout", n.to_string()).await;
                told.fetch_add(1, Ordering::SeqCst);
            }
            Ok(ToolOutput::new("", "done"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(flood));
    runner.start(ready("a1", "flood", "{}"));
    for heard in 0..PIECES {
        for _ in 0..10 {
            yield_now().await;
        }
        let ahead = told.load(Ordering::SeqCst) - heard;
        assert!(ahead <= 256, "{ahead} pieces ahead");
        let text = heard.to_string();
        assert_eq!(runner.next().await, Some(piece("a1", "stdout", heard as u64, &text)));
    }
    assert_eq!(next(&mut runner).await.2, "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_stays_ordered_across_threads() {
    const CALLS: usize = 20;
    const PIECES: u64 = 200;
    let flood = tool("flood", |_, context| {
        async move {
            // Two tasks report on one channel.
            let report = |context: CallContext| async move {
                for _ in 0..PIECES / 2 {
                    context.progress("stdout", "").await;
                }
            };
            join_all([tokio::spawn(report(context.clone())), tokio::spawn(report(context))]).await;
            Ok(ToolOutput::new("", "done"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(flood));
    for n in 0..CALLS {
        runner.start(ready(&n.to_string(), "flood", "{}"));
    }
    let mut heard = [0; CALLS];
    while let Some(news) = runner.next().await {
        match news {
            CallUpdate::Progress(Progress { id, n, .. }) => {
                let heard = &mut heard[id.parse::<usize>().unwrap()];
                assert_eq!(n, *heard);
                *heard += 1;
            }
            CallUpdate::Ended(ended) => {
                assert_eq!(heard[ended.id.parse::<usize>().unwrap()], PIECES);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(heard, [PIECES; CALLS]);
}

#[tokio::test]
async fn progress_flood_never_delays_other_calls() {
    let flood = tool("flood", |_, context| {
        async move {
            loop {
                context.progress("stdout", "again").await;
            }
        }
        .boxed()
    });
    let mut runner = runner(with(toolbox(flood), plain("fine")));
    runner.start(ready("a1", "flood", "{}"));
    for _ in 0..10 {
        yield_now().await;
    }
    runner.start(ready("a2", "fine", "{}"));
    let mut heard = 0;
    while let Some(CallUpdate::Progress(_)) = runner.next().await {
        heard += 1;
        assert!(heard < 2000, "the end is held back");
    }
}

#[tokio::test]
async fn progress_after_end_is_ignored() {
    for end in ["done", "stop", "cancel"] {
        let (go_on, went_on) = oneshot::channel::<()>();
        let (told, was_told) = oneshot::channel::<()>();
        let ends = std::sync::Mutex::new(Some((went_on, told)));
        let leave = tool("leave", move |_, context| {
            let (went_on, told) = ends.lock().unwrap().take().unwrap();
            tokio::spawn(async move {
                went_on.await.unwrap();
                context.progress("stdout", "late").await;
                context.report_event(Entry::from(Event::think("late"))).await;
                told.send(()).unwrap();
            });
            if end == "done" {
                return async { Ok(ToolOutput::new("", "done")) }.boxed();
            }
            pending().boxed()
        });
        // The late report comes while another call with the same id runs, and is not about that
        // call.
        let mut runner = runner(with(toolbox(leave), plain("fine")));
        runner.start(ready("a1", "leave", "{}"));
        yield_now().await;
        match end {
            "done" => assert_eq!(next(&mut runner).await.2, "done"),
            "stop" => runner.stop("a1"),
            _ => runner.cancel(),
        }
        go_on.send(()).unwrap();
        was_told.await.unwrap();
        runner.start(ready("a1", "fine", "{}"));
        assert!(matches!(runner.next().await, Some(CallUpdate::Ended(_))), "{end}");
        assert_eq!(runner.next().await, None);
    }
}

#[tokio::test]
async fn progress_without_listener_does_not_wait() {
    let context = CallContext::new("talk", "a1");
    for _ in 0..10_000 {
        assert!(context.progress("stdout", "x").now_or_never().is_some());
    }
}
