//! The messages of a request, and the reasons why marks move.

use silcrow_event::Timestamp;
use silcrow_profile::{ErrorKind, LearnOptions, LearnOutcome, StoredProfile, learn};
use silcrow_provider as provider;
use silcrow_store::MemoryStore;
use silcrow_testkit::check_sources;

use crate::model::{TestAnswer, TestModel, shown_messages};
use crate::{answer, learn_at, load, minute, origins, say, texts};

fn learned(outcome: LearnOutcome) -> silcrow_profile::LearnedChanges {
    match outcome {
        LearnOutcome::Learned(made) => made,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn facts_have_their_origin_and_answers_are_context() {
    let store = MemoryStore::new();
    say(&store, "c1", "I am Ann.").await;
    answer(&store, "c1", "Do you prefer tabs?").await;
    say(&store, "c1", "Yes.").await;
    let model = TestModel::saying([
        r#"{"add":[{"text":"The person is Ann.","message":1},"The person likes tabs."]}"#,
    ]);
    let made = learned(learn_at(&store, &model, 1).await.unwrap());
    assert_eq!((made.messages, made.added, made.refused), (2, 2, 0));
    let profile = load(&store).await;
    assert_eq!(origins(&profile), [("c1".to_owned(), 1), ("c1".to_owned(), 3)]);
    assert!(profile.facts().iter().all(|fact| fact.learned_at() == minute(1)));
    let shown = shown_messages(&model.requests()[0]);
    let from: Vec<_> = shown.iter().map(|message| message["from"].as_str().unwrap()).collect();
    assert_eq!(from, ["person", "assistant", "person"]);
}

#[tokio::test]
async fn learning_waits_for_enough_new_messages() {
    let store = MemoryStore::new();
    let model = TestModel::new([TestAnswer::Echo]);
    let options = LearnOptions::new().with_every(3);
    for number in 1..=7 {
        say(&store, &format!("c{}", number % 2), &format!("M{number}")).await;
        let outcome = learn(&store, &model, None, minute(number), &options).await.unwrap();
        match number % 3 {
            0 => assert_eq!(learned(outcome).messages, 3),
            new => assert_eq!(outcome, LearnOutcome::TooFew { new: new as usize }),
        }
    }
    assert_eq!(model.asked(), [["M2", "M1", "M3"], ["M4", "M6", "M5"]]);
}

#[tokio::test]
async fn no_change_advances_too() {
    let store = MemoryStore::new();
    say(&store, "c1", "What is 2 + 2?").await;
    let model = TestModel::saying(["{}"]);
    let made = learned(learn_at(&store, &model, 1).await.unwrap());
    assert_eq!((made.messages, made.added), (1, 0));
    assert_eq!(learn_at(&store, &model, 1).await.unwrap(), LearnOutcome::TooFew { new: 0 });
    answer(&store, "c1", "4").await;
    assert_eq!(learn_at(&store, &model, 1).await.unwrap(), LearnOutcome::TooFew { new: 0 });
    assert_eq!(model.requests().len(), 1, "nobody is asked again about the same messages");
}

#[tokio::test]
async fn overflowing_messages_wait_for_next_request() {
    let store = MemoryStore::new();
    let mut all = Vec::new();
    for number in 0..300 {
        let text = format!("M{number}{}", "x".repeat(number * 7 % 900));
        say(&store, &format!("c{}", number % 3), &text).await;
        answer(&store, &format!("c{}", number % 3), &"y".repeat(number * 11 % 700)).await;
        all.push(text);
    }
    let model = TestModel::saying(["{}"]);
    let mut more = 0;
    while learned(learn_at(&store, &model, 1).await.unwrap()).has_more {
        more += 1;
    }
    assert!(more > 3);
    let mut asked = model.asked().concat();
    asked.sort();
    all.sort();
    assert!(asked == all, "each message is in one request");
    for request in model.requests().iter() {
        assert!(request.messages[1].text().len() < 40_000);
    }
}

#[tokio::test]
async fn few_long_messages_suffice_for_a_request() {
    let store = MemoryStore::new();
    for number in 0..4 {
        say(&store, "c1", &format!("M{number} {}", "é".repeat(50_000))).await;
    }
    let model = TestModel::saying(["{}"]);
    let options = LearnOptions::new().with_every(100);
    let outcome = learn(&store, &model, None, minute(1), &options).await.unwrap();
    let made = learned(outcome);
    assert!(made.has_more && made.messages < 4, "{made:?}");
    let rest = learn(&store, &model, None, minute(1), &options).await.unwrap();
    assert_eq!(rest, LearnOutcome::TooFew { new: 4 - made.messages });
    let text = &model.asked()[0][0];
    assert!(text.contains(" […] ") && text.starts_with("M0") && text.ends_with('é'));
}

#[tokio::test]
async fn unreadable_answer_is_requested_once_more() {
    let store = MemoryStore::new();
    say(&store, "c1", "M1").await;
    let model = TestModel::saying(["I would rather not.", "Nor now.", r#"{"add":["A fact."]}"#]);
    let first = learn_at(&store, &model, 1).await.unwrap();
    assert_eq!(first, LearnOutcome::Unreadable { gave_up: false });
    // Later messages are not skipped together with the unreadable ones.
    say(&store, "c1", "M2").await;
    say(&store, "c2", "M3").await;
    let second = learn_at(&store, &model, 1).await.unwrap();
    assert_eq!(second, LearnOutcome::Unreadable { gave_up: true });
    assert_eq!(learned(learn_at(&store, &model, 1).await.unwrap()).messages, 2);
    let asked = model.asked();
    assert_eq!(asked[..2], [["M1"], ["M1"]]);
    assert_eq!(asked[2], ["M2", "M3"]);
}

#[tokio::test]
async fn an_answer_without_an_end_cannot_be_read() {
    use provider::{ErrorKind as Kind, FinishReason};
    let fact = r#"{"add":["A fact."]}"#.to_owned();
    let answers = [
        TestAnswer::Ends(fact.clone(), FinishReason::Length),
        TestAnswer::Ends(fact.clone(), FinishReason::Filter),
        TestAnswer::Fails(Kind::ContextTooLong),
        TestAnswer::Text(format!("{fact}{}", " ".repeat(100_000))),
    ];
    for bad in answers {
        let store = MemoryStore::new();
        say(&store, "c1", "M1").await;
        let model = TestModel::new([bad]);
        let outcome = learn_at(&store, &model, 1).await.unwrap();
        assert_eq!(outcome, LearnOutcome::Unreadable { gave_up: false });
    }
}

#[tokio::test]
async fn failing_model_loses_no_message() {
    use provider::ErrorKind::{Auth, Malformed, Network, Overload, Rate, Refused};
    let store = MemoryStore::new();
    say(&store, "c1", "M1").await;
    let fails = [Auth, Malformed, Network, Overload, Rate, Refused].map(TestAnswer::Fails);
    let cut = TestAnswer::Cut(r#"{"add":["A fact."]}"#.to_owned());
    let model = TestModel::new(fails.into_iter().chain([cut, TestAnswer::Echo]));
    for retryable in [false, false, true, true, true, false, true] {
        let error = learn_at(&store, &model, 1).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Provider, retryable));
        check_sources(&error);
    }
    assert_eq!(learned(learn_at(&store, &model, 1).await.unwrap()).added, 1);
    assert_eq!(texts(&store).await, ["M1"]);
}

#[tokio::test]
async fn a_deleted_profile_is_not_learned_again() {
    let store = MemoryStore::new();
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    learn_at(&store, &model, 1).await.unwrap();
    say(&store, "c2", "M2").await;
    StoredProfile::new(&store, None).delete().await.unwrap();
    assert!(texts(&store).await.is_empty());
    assert_eq!(learn_at(&store, &model, 2).await.unwrap(), LearnOutcome::TooFew { new: 0 });
    say(&store, "c1", "M3").await;
    learn_at(&store, &model, 3).await.unwrap();
    assert_eq!(texts(&store).await, ["M3"]);
}

#[tokio::test]
async fn a_forgotten_fact_stays_forgotten() {
    let store = MemoryStore::new();
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    learn_at(&store, &model, 1).await.unwrap();
    let stored = StoredProfile::new(&store, None);
    let forgotten = stored.change(|profile| profile.forget(1)).await.unwrap();
    assert_eq!(forgotten.unwrap().text(), "M1");
    assert_eq!(stored.change(|profile| profile.forget(1)).await.unwrap(), None);
    say(&store, "c1", "M2").await;
    learn_at(&store, &model, 2).await.unwrap();
    assert_eq!(texts(&store).await, ["M2"]);
}

#[tokio::test]
async fn stuck_or_jumping_clock_blocks_nothing() {
    let store = MemoryStore::new();
    let model = TestModel::new([TestAnswer::Echo]);
    for (number, now) in [Timestamp::MAX, Timestamp::MIN, Timestamp::UNIX_EPOCH].iter().enumerate()
    {
        say(&store, "c1", &format!("M{number}")).await;
        let options = LearnOptions::new().with_every(1);
        learned(learn(&store, &model, None, *now, &options).await.unwrap());
    }
    assert_eq!(texts(&store).await, ["M0", "M1", "M2"]);
}
