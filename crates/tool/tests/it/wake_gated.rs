//! Futures that are polled only after they have been woken.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use silcrow_tool::{CancellationToken, WakeGated};
use tokio::sync::Notify;
use tokio::task::{spawn, yield_now};
use tokio::time::{Instant, sleep, timeout};

#[tokio::test]
async fn task_wake_polls_no_gated_future() {
    let (polls, waker) = (Cell::new(0), Cell::new(None));
    let counted = pin!(poll_fn(|context| {
        polls.set(polls.get() + 1);
        waker.set(Some(context.waker().clone()));
        if polls.get() < 3 { Poll::Pending } else { Poll::Ready(polls.get()) }
    }));
    let mut gated = WakeGated::new(counted);
    for _ in 0..5 {
        assert!(is_pending(&mut gated).await);
    }
    assert_eq!(polls.get(), 1);
    waker.take().unwrap().wake();
    for _ in 0..5 {
        assert!(is_pending(&mut gated).await);
    }
    assert_eq!(polls.get(), 2);
    waker.take().unwrap().wake_by_ref();
    assert_eq!(gated.await, 3);
}

/// Polls a future once, and wakes the task for nothing.
async fn is_pending(future: &mut (impl Future + Unpin)) -> bool {
    let polled = poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending()));
    let is_pending = polled.await;
    yield_now().await;
    is_pending
}

/// Each wake of the inner future wakes the task that waits for it, even if that has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gated_future_wakes_its_polling_task() {
    for round in 0..2_000 {
        let stop = CancellationToken::new();
        let cancelled = stop.clone();
        let mut gated = WakeGated::new(Box::pin(async move { cancelled.cancelled().await }));
        assert!(is_pending(&mut gated).await, "{round}");
        // The next poll is by another task, while a third one wakes it.
        let waits = spawn(gated);
        let wakes = spawn(async move { stop.cancel() });
        timeout(Duration::from_secs(30), waits).await.expect("it is woken").unwrap();
        wakes.await.unwrap();
    }
}

/// Many wakes in a row are not lost among the polls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_lost_between_polls() {
    let (asks, answers) = (Notify::new(), Notify::new());
    let (asks, answers) = (std::sync::Arc::new(asks), std::sync::Arc::new(answers));
    let (asked, answered) = (asks.clone(), answers.clone());
    let counts = Box::pin(async move {
        for _ in 0..5_000 {
            asked.notified().await;
            answered.notify_one();
        }
    });
    let waits = spawn(WakeGated::new(counts));
    for _ in 0..5_000 {
        asks.notify_one();
        timeout(Duration::from_secs(30), answers.notified()).await.expect("it is woken");
    }
    waits.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_changed_future_is_polled_again() {
    let mut alive = WakeGated::new(Box::pin(sleep(Duration::from_secs(1))));
    assert!(is_pending(&mut alive).await);
    let begin = Instant::now();
    alive.inner_mut().as_mut().reset(begin + Duration::from_secs(60));
    alive.await;
    assert!(begin.elapsed() >= Duration::from_secs(60));
}
