//! One model by several ways.

use silcrow_provider::{Delta, Error, ErrorKind, KeyRotation, Provider as _, Retry};

use crate::played::{Connected, Item, Played, ask, connect, done, request, text};

fn failed(kind: ErrorKind, why: &str) -> Vec<Item> {
    vec![Err(Error::new(kind, why))]
}

fn answer() -> Vec<Item> {
    vec![text("a"), done()]
}

fn counts(ways: &[Played]) -> Vec<usize> {
    ways.iter().map(Played::count).collect()
}

#[tokio::test(start_paused = true)]
async fn exhausted_key_is_abandoned_permanently() {
    for kind in [ErrorKind::Rate, ErrorKind::Auth] {
        let ways = [
            Played::new([failed(kind, "first")]),
            Played::new([answer(), answer()]),
            Played::new([]),
        ];
        let model = KeyRotation::new(ways[0].clone(), ways[1..].to_vec());
        assert_eq!(model.name(), "played");
        for _ in 0..2 {
            let (deltas, error) = ask(&model).await;
            assert_eq!((deltas.len(), error.is_none()), (2, true));
        }
        assert_eq!(counts(&ways), [1, 2, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn each_key_is_tried_once_before_failing() {
    let ways = ["first", "second"].map(|why| Played::new([failed(ErrorKind::Rate, why)]));
    let model = KeyRotation::new(ways[0].clone(), [ways[1].clone()]);
    assert_eq!(ask(&model).await.1.unwrap().to_string(), "second");
    assert_eq!(counts(&ways), [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn other_and_late_errors_keep_the_key() {
    for first in [
        failed(ErrorKind::Overload, "no"),
        failed(ErrorKind::Refused, "no"),
        vec![text("a"), Err(Error::new(ErrorKind::Rate, "no"))],
    ] {
        let ways = [Played::new([first]), Played::new([])];
        let (deltas, error) = ask(&KeyRotation::new(ways[0].clone(), [ways[1].clone()])).await;
        assert_eq!((deltas.len() < 2, error.is_some()), (true, true));
        assert_eq!(counts(&ways), [1, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn outer_retry_returns_to_the_first_key() {
    let ways = [
        Played::new([failed(ErrorKind::Rate, "first"), answer()]),
        Played::new([failed(ErrorKind::Rate, "second")]),
    ];
    let (deltas, _) = ask(&Retry::new(KeyRotation::new(ways[0].clone(), [ways[1].clone()]))).await;
    assert_eq!(deltas[0], Delta::Text("a".into()));
    assert_eq!(counts(&ways), [2, 1]);
}

#[tokio::test(start_paused = true)]
async fn sessions_rotate_keys_too() {
    for kind in [ErrorKind::Rate, ErrorKind::Auth] {
        let ways = [Played::new([failed(kind, "first")]), Played::new([answer(), answer()])];
        let model = KeyRotation::new(Connected(ways[0].clone()), [Connected(ways[1].clone())]);
        for _ in 0..2 {
            assert_eq!(connect(&model).await.unwrap(), Delta::Text("a".into()));
        }
        assert_eq!(counts(&ways), [1, 2]);
    }
    let ways = ["first", "second"].map(|why| Played::new([failed(ErrorKind::Rate, why)]));
    let model = KeyRotation::new(Connected(ways[0].clone()), [Connected(ways[1].clone())]);
    assert_eq!(connect(&model).await.unwrap_err().to_string(), "second");
    assert_eq!(counts(&ways), [1, 1]);
    let ways = [Played::new([failed(ErrorKind::Overload, "no")]), Played::new([])];
    let model = KeyRotation::new(Connected(ways[0].clone()), [Connected(ways[1].clone())]);
    assert_eq!(connect(&model).await.unwrap_err().to_string(), "no");
    assert_eq!(counts(&ways), [1, 0]);
    assert!(KeyRotation::new(Played::new([]), []).connect(request()).is_none());
}
