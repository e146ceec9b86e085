use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::pending;
use silcrow_event::Status;
use silcrow_exec::{Failure, Output, Settings};
use tokio::sync::{Barrier, Semaphore, oneshot};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::{next, plain, ready, runner, summary, tool, toolbox, with};

pub(crate) fn parallel(max: usize) -> Settings {
    Settings { max_parallel: NonZeroUsize::new(max).unwrap(), ..Settings::default() }
}

#[tokio::test]
async fn an_outcome_carries_what_the_tool_gave() {
    let echo = tool("echo", |args, context| {
        async move {
            Ok(Output::new("a word", format!("{} {} {args}", context.conversation, context.call)))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(echo));
    assert!(runner.next().await.is_none());
    runner.start(ready("a7", "echo", r#"{ "b" : 1, "a" : 2 }"#), "talk");
    let (id, outcome) = runner.next().await.unwrap();
    assert_eq!(id, "a7");
    assert_eq!(outcome.content, r#"talk a7 { "b" : 1, "a" : 2 }"#);
    assert_eq!(summary(&outcome), "a word");
    assert_eq!(outcome.payload.unwrap().tool.as_deref(), Some("echo"));
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn two_calls_are_inside_at_once() {
    let barrier = Arc::new(Barrier::new(2));
    let meet = tool("meet", move |_, _| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(Output::new("", "met"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(meet));
    runner.start(ready("a1", "meet", "{}"), "c");
    runner.start(ready("a2", "meet", "{}"), "c");
    assert_eq!(next(&mut runner).await.2, "met");
    assert_eq!(next(&mut runner).await.2, "met");
}

#[tokio::test]
async fn a_call_starts_without_anybody_waiting_for_it() {
    let (told, inside) = oneshot::channel();
    let told = Mutex::new(Some(told));
    let tell = tool("tell", move |_, _| {
        told.lock().unwrap().take().unwrap().send(()).unwrap();
        pending().boxed()
    });
    let mut runner = runner(toolbox(tell));
    runner.start(ready("a1", "tell", "{}"), "c");
    inside.await.unwrap();
}

#[tokio::test]
async fn a_failure_is_told_and_summed_up() {
    let fail = tool("fail", |_, _| {
        async { Err(Failure::new(format!("first line\n{}", "x".repeat(1000)))) }.boxed()
    });
    let mut runner = runner(toolbox(fail));
    runner.start(ready("a1", "fail", "{}"), "c");
    let (_, outcome) = runner.next().await.unwrap();
    assert_eq!(summary(&outcome), "first line");
    assert_eq!(outcome.content.len(), 11 + 1000);
    assert!(outcome.payload.unwrap().error);
}

#[tokio::test]
async fn a_panic_is_a_failure_that_says_what_was_said() {
    let tools = toolbox(tool("at_once", |_, _| panic!("before the first await")));
    let inside = tool("inside", |args, _| {
        async move {
            yield_now().await;
            panic!("inside, with {args}")
        }
        .boxed()
    });
    let odd = tool("odd", |_, _| async { std::panic::panic_any(7) }.boxed());
    let late = tool("late", |_, _| {
        struct Grenade;
        impl Drop for Grenade {
            fn drop(&mut self) {
                panic!("while it was dropped");
            }
        }
        async {
            let _grenade = Grenade;
            pending().await
        }
        .boxed()
    });
    let tools = with(with(with(with(tools, inside), odd), plain("fine")), {
        late.limited(Duration::from_millis(1))
    });
    let mut runner = runner(tools);
    let table = [
        ("at_once", "the tool panicked: before the first await"),
        ("inside", "the tool panicked: inside, with {\"a\":1}"),
        ("odd", "the tool panicked: (without a message)"),
        ("late", "timed out after 0.001 s"),
    ];
    for (name, expected) in table {
        runner.start(ready("a1", name, r#"{"a":1}"#), "c");
        let (_, status, why) = next(&mut runner).await;
        assert_eq!((status, &*why), (Status::Failure, expected));
    }
    runner.start(ready("a2", "fine", "{}"), "c");
    assert_eq!(next(&mut runner).await.2, "fine", "the runner goes on");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_times_out_after_its_own_time() {
    let hang = || tool("hang", |_, _| pending().boxed());
    let mut patient = runner(toolbox(hang()));
    let began = Instant::now();
    patient.start(ready("a1", "hang", "{}"), "c");
    let (_, outcome) = patient.next().await.unwrap();
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(outcome.content, "timed out after 60 s");
    assert_eq!(summary(&outcome), "timed out after 60 s");

    let mut hasty = runner(toolbox(hang().limited(Duration::from_millis(1500))));
    hasty.start(ready("a1", "hang", "{}"), "c");
    assert_eq!(next(&mut hasty).await.2, "timed out after 1.5 s");

    let mut endless = runner(toolbox(hang().limited(Duration::MAX)));
    endless.start(ready("a1", "hang", "{}"), "c");
    yield_now().await;
    assert!(endless.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_costs_no_time() {
    let hang = tool("hang", |_, _| pending().boxed());
    let mut runner = runner(toolbox(hang)).with_settings(parallel(1));
    let began = Instant::now();
    for id in ["a1", "a2", "a3"] {
        runner.start(ready(id, "hang", "{}"), "c");
    }
    for (id, at) in [("a1", 60), ("a2", 120), ("a3", 180)] {
        assert_eq!(next(&mut runner).await.0, id);
        assert_eq!(began.elapsed().as_secs(), at);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_blocks_its_thread_times_out_too() {
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let block = tool("block", move |_, _| {
        // Until the test is over: this thread is lost to the runtime.
        let _ = released.lock().unwrap().recv();
        pending().boxed()
    });
    let mut runner = runner(toolbox(block.limited(Duration::from_millis(20))));
    runner.start(ready("a1", "block", "{}"), "c");
    let ended = tokio::spawn(async move { next(&mut runner).await });
    assert_eq!(ended.await.unwrap().2, "timed out after 0.02 s");
    drop(release);
}

#[tokio::test]
async fn a_thousand_calls_run_sixteen_at_a_time() {
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let gate = Arc::new(Semaphore::new(0));
    let count = {
        let (inside, most, gate) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&gate));
        tool("count", move |_, _| {
            let (inside, most, gate) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&gate));
            async move {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                inside.fetch_sub(1, Ordering::SeqCst);
                Ok(Output::new("", ""))
            }
            .boxed()
        })
    };
    let mut runner = runner(toolbox(count));
    for n in 0..1000 {
        runner.start(ready(&format!("a{n}"), "count", "{}"), "c");
    }
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        yield_now().await;
    }
    assert_eq!(inside.load(Ordering::SeqCst), 16, "sixteen are inside, the others wait");
    gate.add_permits(1000);
    let mut ids = Vec::new();
    while let Some((id, outcome)) = runner.next().await {
        assert_eq!(crate::status(&outcome), Status::Success);
        ids.push(id);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 1000);
    assert_eq!(most.load(Ordering::SeqCst), 16);
}

#[tokio::test]
async fn waiting_calls_start_in_their_order() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    let note = tool("note", move |_, context| {
        seen.lock().unwrap().push(context.call);
        async { Ok(Output::new("", "")) }.boxed()
    });
    let mut runner = runner(toolbox(note)).with_settings(parallel(1));
    let ids: Vec<_> = (0..50).map(|n| format!("a{n}")).collect();
    for id in &ids {
        runner.start(ready(id, "note", "{}"), "c");
    }
    while runner.next().await.is_some() {}
    assert_eq!(*order.lock().unwrap(), ids);
}

#[tokio::test]
async fn waiting_may_be_given_up_at_any_time() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let hold = tool("hold", move |_, _| {
        let gate = Arc::clone(&held);
        async move {
            gate.acquire().await.unwrap().forget();
            Ok(Output::new("", "held"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(hold)).with_settings(parallel(3));
    for n in 0..30 {
        runner.start(ready(&format!("a{n}"), "hold", "{}"), "c");
    }
    let mut ended = 0;
    let mut given_up = 0;
    while ended < 30 {
        match runner.next().now_or_never() {
            Some(Some(_)) => ended += 1,
            Some(None) => panic!("calls are open"),
            None => {
                given_up += 1;
                gate.add_permits(1);
                yield_now().await;
            }
        }
    }
    assert!(given_up >= 30);
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn a_flood_is_cut_between_characters_and_counted() {
    const FLOOD: usize = 8 << 20;
    const CAP: usize = 256 << 10;
    let flood = tool("flood", |_, _| {
        async { Ok(Output::new("much", format!("x{}", "é".repeat(FLOOD / 2)))) }.boxed()
    });
    let mut runner = runner(toolbox(flood));
    runner.start(ready("a1", "flood", "{}"), "c");
    let (_, status, content) = next(&mut runner).await;
    assert_eq!(status, Status::Success);
    let (kept, line) = content.rsplit_once('\n').unwrap();
    // 1 + 2n bytes: an even cap falls into the middle of a character.
    assert_eq!(kept.len(), CAP - 1);
    assert!(kept.strip_prefix('x').unwrap().chars().all(|c| c == 'é'));
    let left = FLOOD + 1 - kept.len();
    assert_eq!(line, format!("[the output was too long: {left} more bytes were left out]"));
}

#[tokio::test]
async fn the_cap_itself_still_fits() {
    for (length, cut) in [(9, false), (10, false), (11, true)] {
        let text = tool("text", move |_, _| {
            async move { Ok(Output::new("", "x".repeat(length))) }.boxed()
        });
        let settings = Settings { output_cap: 10, ..Settings::default() };
        let mut runner = runner(toolbox(text)).with_settings(settings);
        runner.start(ready("a1", "text", "{}"), "c");
        let content = next(&mut runner).await.2;
        assert_eq!(content.contains("left out"), cut, "{content}");
        assert!(content.starts_with(&"x".repeat(length.min(10))));
    }
}
