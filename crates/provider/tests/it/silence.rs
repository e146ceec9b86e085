use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_provider::{
    Activity, Delta, DeltaStream, Error, ErrorKind, FinishReason, SilenceLimits, limit_silence,
};
use tokio::time::{Instant, sleep};

const LIMITS: SilenceLimits = SilenceLimits::new()
    .with_first(Duration::from_secs(60))
    .with_first_total(Duration::from_secs(600))
    .with_idle(Duration::from_secs(5));

/// Returns deltas that each arrive this many seconds after the last one was taken, then silence.
fn paced(deltas: Vec<(u64, Delta)>) -> DeltaStream {
    let paced = stream::iter(deltas).then(|(seconds, delta)| async move {
        sleep(Duration::from_secs(seconds)).await;
        Ok(delta)
    });
    Box::pin(paced.chain(stream::pending()))
}

fn text() -> Delta {
    Delta::Text("a".to_owned())
}

async fn collect(deltas: DeltaStream) -> (Vec<Delta>, Option<Error>, u64) {
    let start = Instant::now();
    let items: Vec<_> = limit_silence(deltas, LIMITS, Activity::default()).collect().await;
    let count = items.len();
    let mut error = None;
    let deltas = items.into_iter().enumerate().filter_map(|(at, item)| {
        item.map_err(|found| {
            assert_eq!(at + 1, count, "nothing follows an error");
            error = Some(found);
        })
        .ok()
    });
    (deltas.collect(), error, start.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn steady_answer_passes_and_ends_when_done() {
    let done = Delta::Done(FinishReason::Stop);
    let given = vec![(59, text()), (4, text()), (4, done.clone()), (1, text())];
    let (deltas, error, seconds) = collect(paced(given)).await;
    assert_eq!(deltas, [text(), text(), done]);
    assert!(error.is_none());
    assert_eq!(seconds, 67);
}

#[tokio::test(start_paused = true)]
async fn total_silence_exceeds_the_first_limit() {
    let (deltas, error, seconds) = collect(paced(vec![(61, text())])).await;
    let error = error.unwrap();
    assert!(deltas.is_empty());
    assert_eq!((error.kind(), seconds), (ErrorKind::Timeout, 60));
    assert!(error.to_string().contains("`first`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn silence_passes_the_idle_limit() {
    let (deltas, error, seconds) = collect(paced(vec![(10, text()), (6, text())])).await;
    let error = error.unwrap();
    assert_eq!(deltas, [text()]);
    assert_eq!((error.kind(), seconds), (ErrorKind::Timeout, 15));
    assert!(error.to_string().contains("`idle`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn silence_timeout_is_cancel_safe() {
    let mut deltas = limit_silence(paced(vec![(1, text())]), LIMITS, Activity::default());
    deltas.next().await.unwrap().unwrap();
    let start = Instant::now();
    let error = loop {
        tokio::select! {
            item = deltas.next() => break item.unwrap().unwrap_err(),
            () = sleep(Duration::from_secs(1)) => assert!(start.elapsed() <= LIMITS.idle),
        }
    };
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn slow_reader_is_not_a_silent_model() {
    let mut deltas =
        limit_silence(paced(vec![(1, text()), (1, text())]), LIMITS, Activity::default());
    deltas.next().await.unwrap().unwrap();
    sleep(Duration::from_secs(600)).await;
    deltas.next().await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn passing_a_limit_drops_the_answer() {
    let (held, mut dropped) = tokio::sync::oneshot::channel::<()>();
    let silent = stream::pending().map(move |item| {
        let _held = &held;
        item
    });
    let mut deltas = limit_silence(Box::pin(silent), LIMITS, Activity::default());
    deltas.next().await.unwrap().unwrap_err();
    assert_eq!(dropped.try_recv(), Err(tokio::sync::oneshot::error::TryRecvError::Closed));
}

/// Shows only signs of life, every `pause` seconds, forever or until `last` seconds have passed.
fn living(activity: &Activity, pause: u64, last: u64) -> DeltaStream {
    let activity = activity.clone();
    let signs = stream::iter(0..last / pause).then(move |_| {
        let activity = activity.clone();
        async move {
            sleep(Duration::from_secs(pause)).await;
            activity.note();
        }
    });
    let begun = signs.filter_map(|()| async { None });
    Box::pin(begun.chain(stream::iter([Ok(text())])))
}

#[tokio::test(start_paused = true)]
async fn keep_alives_extend_the_wait_for_first_delta() {
    for (pause, last, waited) in [(50, 500, Ok(500)), (50, 650, Err(600)), (61, 610, Err(60))] {
        let (activity, start) = (Activity::default(), Instant::now());
        let mut deltas = limit_silence(living(&activity, pause, last), LIMITS, activity);
        let first = deltas.next().await.unwrap();
        let seconds = start.elapsed().as_secs();
        match first {
            Ok(delta) => assert_eq!((delta, Ok(seconds)), (text(), waited)),
            Err(error) => {
                assert_eq!((error.kind(), Err(seconds)), (ErrorKind::Timeout, waited));
                let name = if seconds == 600 { "`first_total`" } else { "`first`" };
                assert!(error.to_string().contains(name), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn keep_alives_do_not_extend_later_waits() {
    let activity = Activity::default();
    let living = living(&activity, 1, 100);
    let mut deltas =
        limit_silence(Box::pin(stream::iter([Ok(text())]).chain(living)), LIMITS, activity);
    deltas.next().await.unwrap().unwrap();
    let start = Instant::now();
    deltas.next().await.unwrap().unwrap_err();
    assert_eq!(start.elapsed(), LIMITS.idle);
}

#[test]
#[should_panic(expected = "Tokio 1.x runtime")]
fn polling_outside_a_runtime_panics() {
    let mut deltas = limit_silence(Box::pin(stream::pending()), LIMITS, Activity::default());
    drop(deltas.next().now_or_never());
}
