//! Learners and persons who change the same profile, and failures at each step.

use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use futures_util::future::join;
use silcrow_profile::{ErrorKind, LearnOutcome, StoredProfile};

use crate::model::{TestAnswer, TestModel};
use crate::stepped::SteppedStore;
use crate::{learn_at, minute, say, texts};

/// Polls a future until a condition holds. Panics if the future ends before.
async fn until<T>(future: &mut (impl Future<Output = T> + Unpin), holds: impl Fn() -> bool) {
    while !holds() {
        assert!(future.now_or_never().is_none(), "it ended too early");
    }
}

#[tokio::test]
async fn the_request_is_sent_once() {
    let store = SteppedStore::default();
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    let both = join(learn_at(&store, &model, 1), learn_at(&store, &model, 1));
    let (one, other) = both.await;
    let outcomes = [one.unwrap(), other.unwrap()];
    assert!(outcomes.contains(&LearnOutcome::Busy), "{outcomes:?}");
    assert_eq!(model.asked(), [["M1"]]);
    assert_eq!(texts(&store).await, ["M1"]);
}

#[tokio::test]
async fn user_changes_during_request_stay() {
    let store = SteppedStore::default();
    say(&store, "c1", "M1").await;
    learn_at(&store, &TestModel::saying([r#"{"add":["A","B"]}"#]), 1).await.unwrap();
    say(&store, "c1", "M2").await;
    let answer = r#"{"replace":[{"fact":1,"text":"A2"}],"remove":[2],"add":["C"]}"#;
    let model = TestModel::saying([answer]);
    let mut learning = Box::pin(learn_at(&store, &model, 2));
    until(&mut learning, || !model.requests().is_empty()).await;
    let stored = StoredProfile::new(&store.store, None);
    stored.change(|profile| profile.forget(1)).await.unwrap().unwrap();
    stored.change(|profile| profile.add("P", minute(2))).await.unwrap().unwrap();
    let LearnOutcome::Learned(made) = learning.await.unwrap() else { panic!("not learned") };
    assert_eq!((made.added, made.removed, made.replaced, made.refused), (1, 1, 0, 1));
    assert_eq!(texts(&store).await, ["P", "C"]);
}

#[tokio::test]
async fn profile_deleted_during_request_stays_deleted() {
    let store = SteppedStore::default();
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    let mut learning = Box::pin(learn_at(&store, &model, 1));
    until(&mut learning, || !model.requests().is_empty()).await;
    StoredProfile::new(&store.store, None).delete().await.unwrap();
    assert_eq!(learning.await.unwrap(), LearnOutcome::Superseded);
    assert!(texts(&store).await.is_empty());
    assert_eq!(learn_at(&store, &model, 2).await.unwrap(), LearnOutcome::TooFew { new: 0 });
}

#[tokio::test]
async fn killed_learner_causes_only_one_further_request() {
    let store = SteppedStore::default();
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    let mut learning = Box::pin(learn_at(&store, &model, 10));
    until(&mut learning, || !model.requests().is_empty()).await;
    // The next step puts the result, after the answer.
    let steps = store.steps.load(Ordering::Relaxed);
    until(&mut learning, || store.steps.load(Ordering::Relaxed) > steps).await;
    drop(learning);
    say(&store, "c1", "M2").await;
    assert_eq!(learn_at(&store, &model, 14).await.unwrap(), LearnOutcome::Busy);
    // A clock that was set back does not block it either.
    let outcome = learn_at(&store, &model, 4).await.unwrap();
    assert!(matches!(outcome, LearnOutcome::Learned(_)), "{outcome:?}");
    assert_eq!(texts(&store).await, ["M1", "M2"]);
    assert_eq!(model.asked(), [vec!["M1"], vec!["M1", "M2"]]);
}

#[tokio::test]
async fn answer_after_claim_expiry_is_dropped() {
    let store = SteppedStore::default();
    say(&store, "c1", "M1").await;
    let slow = TestModel::saying([r#"{"add":["slow"]}"#]);
    let mut learning = Box::pin(learn_at(&store, &slow, 1));
    until(&mut learning, || !slow.requests().is_empty()).await;
    let fast = TestModel::saying([r#"{"add":["fast"]}"#]);
    let mut second = Box::pin(learn_at(&store, &fast, 7));
    until(&mut second, || !fast.requests().is_empty()).await;
    assert_eq!(learning.await.unwrap(), LearnOutcome::Superseded);
    assert!(matches!(second.await.unwrap(), LearnOutcome::Learned(_)));
    assert_eq!(texts(&store).await, ["fast"]);
}

#[tokio::test]
async fn a_conflict_at_each_step_loses_nothing() {
    // A person adds a fact after each number of steps.
    for at in 0.. {
        let store = SteppedStore::default();
        say(&store, "c1", "M1").await;
        let model = TestModel::new([TestAnswer::Echo]);
        let mut learning = Box::pin(learn_at(&store, &model, 1));
        let mut done = None;
        while store.steps.load(Ordering::Relaxed) < at && done.is_none() {
            done = (&mut learning).now_or_never();
        }
        if done.is_some() {
            assert!(at > 5, "there are several steps");
            return;
        }
        let stored = StoredProfile::new(&store.store, None);
        stored.change(|profile| profile.add("P", minute(1))).await.unwrap().unwrap();
        let outcome = learning.await.unwrap();
        if outcome == LearnOutcome::Busy {
            learn_at(&store, &model, 1).await.unwrap();
        }
        let mut texts = texts(&store).await;
        texts.sort();
        assert_eq!(texts, ["M1", "P"], "at step {at}: {outcome:?}");
        assert_eq!(model.asked(), [["M1"]], "at step {at}");
    }
}

#[tokio::test]
async fn store_failures_at_any_step_lose_nothing() {
    for at in 0.. {
        let store = SteppedStore::default();
        say(&store, "c1", "M1").await;
        let first = store.steps.load(Ordering::Relaxed);
        let store = SteppedStore { fails_at: Some(first + at), ..store };
        let model = TestModel::new([TestAnswer::Echo]);
        let failed = learn_at(&store, &model, 1).await;
        let is_over = failed.is_ok();
        if let Err(error) = failed {
            assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Store, true));
            let outcome = learn_at(&store, &model, 7).await.unwrap();
            assert!(matches!(outcome, LearnOutcome::Learned(_)), "at step {at}: {outcome:?}");
        }
        assert_eq!(texts(&store.store).await, ["M1"], "at step {at}");
        if is_over {
            assert!(at > 5, "there are several steps");
            return;
        }
    }
}
