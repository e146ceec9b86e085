//! Rate limits: requests wait in order.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Message, Role, Usage};
use silcrow_provider::{
    Delta, Error, ErrorKind, Provider as _, RateLimited, RateLimiter, RateLimits, Retry,
    ScriptedModel,
};
use tokio::time::{Instant, sleep, timeout};

use crate::played::{Item, Played, ask, done, request, text};

fn requests(count: u32) -> RateLimiter {
    RateLimiter::new(RateLimits::default().with_requests(NonZeroU32::new(count).unwrap()))
}

fn tokens(count: u64) -> RateLimiter {
    RateLimiter::new(RateLimits::default().with_tokens(NonZeroU64::new(count).unwrap()))
}

fn answers(count: usize) -> Played {
    Played::new((0..count).map(|_| vec![text("a"), done()]))
}

fn used(input: u64, output: u64) -> Item {
    Ok(Delta::Usage(Usage { input, output, ..Usage::default() }))
}

fn busy(seconds: u64) -> Vec<Item> {
    let error = Error::new(ErrorKind::Rate, "slow");
    vec![Err(error.with_retry_after(Duration::from_secs(seconds)))]
}

/// Seconds from `start` to each request.
fn asked(model: &Played, start: Instant) -> Vec<u64> {
    let asked = model.asked.lock().unwrap();
    asked.iter().map(|(at, _)| (*at - start).as_secs()).collect()
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_rate_wait_in_order() {
    let (start, played) = (Instant::now(), answers(7));
    let model = RateLimited::new(played.clone(), requests(3));
    assert_eq!(model.name(), "played");
    ask(&model).await;
    sleep(Duration::from_secs(20)).await;
    let ended = join_all((0..6).map(|at| ask(&model).map(move |_| (at, start.elapsed())))).await;
    assert!(ended.windows(2).all(|two| two[0].1 <= two[1].1), "{ended:?}");
    assert_eq!(asked(&played, start), [0, 20, 20, 60, 80, 80, 120]);
}

#[tokio::test(start_paused = true)]
async fn those_who_share_a_pace_wait_together() {
    let (start, played) = (Instant::now(), answers(3));
    let pace = requests(1);
    let models = [0, 1, 2].map(|_| RateLimited::new(played.clone(), pace.clone()));
    join_all(models.iter().map(|model| ask(model))).await;
    assert_eq!(asked(&played, start), [0, 60, 120]);
}

#[tokio::test(start_paused = true)]
async fn used_up_tokens_hold_the_next_request() {
    let start = Instant::now();
    // The last report counts, and only once.
    let played = Played::new([
        vec![used(50, 0), text("a"), used(40, 20), done()],
        vec![text("a"), used(40, 0), done()],
        vec![text("a"), used(1, 0), done()],
        vec![text("a"), done()],
    ]);
    let model = RateLimited::new(played.clone(), tokens(100));
    ask(&model).await;
    sleep(Duration::from_secs(30)).await;
    for _ in 0..3 {
        ask(&model).await;
    }
    // 60 and 40 are 100: the third waits until the first are a minute old.
    assert_eq!(asked(&played, start), [0, 30, 61, 61]);
}

#[tokio::test(start_paused = true)]
async fn retry_after_delays_all_requests() {
    let start = Instant::now();
    let played = Played::new([busy(7), vec![text("a"), done()], vec![text("a"), done()]]);
    let pace = RateLimiter::new(RateLimits::default());
    let (first, second) =
        (RateLimited::new(played.clone(), pace.clone()), RateLimited::new(played.clone(), pace));
    assert!(ask(&first).await.1.is_some());
    ask(&second).await;
    assert_eq!(asked(&played, start), [0, 7]);
    ask(&first).await;
    assert_eq!(asked(&played, start), [0, 7, 7]);
    // A wait that is too long is left to the person, and other errors do not delay requests.
    for failed in [busy(61), vec![Err(Error::new(ErrorKind::Overload, "no"))]] {
        let played = Played::new([failed, vec![done()]]);
        let model = RateLimited::new(played.clone(), RateLimiter::new(RateLimits::default()));
        let start = Instant::now();
        ask(&model).await;
        ask(&model).await;
        assert_eq!(asked(&played, start), [0, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_waiters_take_no_slot() {
    let (start, played) = (Instant::now(), answers(2));
    let model = RateLimited::new(played.clone(), requests(1));
    ask(&model).await;
    let soon = Duration::from_secs(10);
    let (left, _, last) = tokio::join!(
        timeout(soon, ask(&model)),
        async {
            // This stream is dropped without being read.
            drop(model.stream(request()));
        },
        ask(&model)
    );
    assert!(left.is_err());
    assert_eq!(last.0.len(), 2);
    assert_eq!(asked(&played, start), [0, 60]);
}

#[tokio::test(start_paused = true)]
async fn queue_length_is_bounded() {
    let played = answers(1);
    let model = RateLimited::new(played.clone(), requests(1));
    ask(&model).await;
    let mut row: Vec<_> = (0..1001).map(|_| model.stream(request())).collect();
    let mut ended = Vec::new();
    for deltas in &mut row {
        ended.extend(deltas.next().now_or_never().flatten());
    }
    let [Err(error)] = &ended[..] else { panic!("{ended:?}") };
    assert_eq!(error.kind(), ErrorKind::Rate);
    assert!(error.to_string().contains("1000 requests already wait"), "{error}");
    drop(row);
    assert!(model.stream(request()).next().now_or_never().is_none(), "it waits again");
}

#[tokio::test(start_paused = true)]
async fn sessions_are_rate_limited_too() {
    let start = Instant::now();
    let model = RateLimited::new(ScriptedModel::parse("a\n%%\nb\n%%\nc", 1), requests(1));
    let mut session = model.connect(request()).unwrap().await.unwrap();
    while session.receive().await.is_some() {}
    session.cancel().await.unwrap();
    session.send(&"a".into(), &[Message::new(Role::User, "and?")]).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60);
    assert!(matches!(session.receive().await, Some(Ok(Delta::Text(text))) if text == "b"));
    session.close().await;
    ask(&model).await;
    assert_eq!(start.elapsed().as_secs(), 120);
    // A model without sessions has none through the wrapper either.
    assert!(RateLimited::new(answers(0), requests(1)).connect(request()).is_none());
}

#[tokio::test(start_paused = true)]
async fn outer_retry_waits_only_once() {
    let (start, played) = (Instant::now(), Played::new([busy(7), vec![text("a"), done()]]));
    let model =
        Retry::new(RateLimited::new(played.clone(), RateLimiter::new(RateLimits::default())));
    assert!(ask(&model).await.1.is_none());
    assert_eq!(asked(&played, start), [0, 7]);
}
