use std::num::NonZeroU32;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, FinishReason, Provider as _, Request};
use silcrow_rehearsal::Rehearsal;
use tokio::time::Instant;

use crate::play::SIGIL;

fn request(streaming: bool) -> Request {
    Request::new(vec![Message::new(Role::User, "hello you")]).with_streaming(streaming)
}

async fn deltas(rate: Option<u32>, seed: u64, streaming: bool) -> Vec<(Duration, Delta)> {
    let model = Rehearsal::new(SIGIL, rate.and_then(NonZeroU32::new), seed);
    let start = Instant::now();
    model.stream(request(streaming)).map(|delta| (start.elapsed(), delta.unwrap())).collect().await
}

fn text(deltas: &[(Duration, Delta)]) -> String {
    let text = deltas.iter().filter_map(|(_, delta)| match delta {
        Delta::Text(text) => Some(&**text),
        _ => None,
    });
    text.collect()
}

#[tokio::test(start_paused = true)]
async fn tokens_come_at_the_rate() {
    let deltas = deltas(Some(4), 1, true).await;
    for (number, (at, delta)) in deltas.iter().enumerate() {
        if let Delta::Text(_) = delta {
            let due = Duration::from_millis(250) * number as u32;
            assert!(*at >= due && *at < due + Duration::from_millis(5), "{number}: {at:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_rate_nothing_waits() {
    assert_eq!(deltas(None, 1, true).await.last().unwrap().0, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn tokens_join_to_the_text_and_are_counted() {
    let whole = deltas(None, 1, false).await;
    for seed in 0..20 {
        let pieces = deltas(None, seed, true).await;
        assert_eq!(text(&pieces), text(&whole));
        let [texts @ .., (_, Delta::Usage(usage)), (_, Delta::Done(FinishReason::Stop))] =
            &pieces[..]
        else {
            panic!("{pieces:?}")
        };
        assert_eq!(usage.output, texts.len() as u64);
        assert_eq!(usage.input, 2, "nine characters");
        for (_, delta) in texts {
            let Delta::Text(text) = delta else { panic!("{delta:?}") };
            assert!((1..=6).contains(&text.chars().count()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_request_gives_the_same_pieces() {
    assert_eq!(deltas(None, 3, true).await, deltas(None, 3, true).await);
    assert_ne!(deltas(None, 3, true).await, deltas(None, 4, true).await);
}

#[tokio::test(start_paused = true)]
async fn unstreamed_answer_is_one_delta() {
    let streamed = deltas(Some(10), 1, true).await;
    let whole = deltas(Some(10), 1, false).await;
    assert_eq!(whole.len(), 3);
    assert_eq!(whole[0].1, Delta::Text(text(&streamed)));
    let last = streamed[streamed.len() - 3].0;
    assert!(whole[0].0.abs_diff(last) < Duration::from_millis(5), "as late as the last token");
}
