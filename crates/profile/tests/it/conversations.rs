//! The users and conversations whose messages are learned.

use silcrow_event::{BranchPoint, ConversationOrigin, Entry, Event};
use silcrow_profile::{LearnOptions, LearnOutcome, StoredProfile, learn};
use silcrow_store::{Fork, MemoryStore, Store};

use crate::model::{TestAnswer, TestModel};
use crate::{append, learn_at, load, minute, origins, say, texts};

async fn say_as(store: &dyn Store, conversation: &str, user: &str, text: &str) {
    let entry = Entry { user: Some(user.to_owned()), ..Event::user(text).into() };
    append(store, conversation, entry).await;
}

async fn learn_of(store: &dyn Store, model: &TestModel, user: Option<&str>) {
    let options = LearnOptions::new().with_every(1);
    let outcome = learn(store, model, user, minute(1), &options).await.unwrap();
    assert!(matches!(outcome, LearnOutcome::Learned(_)), "{outcome:?}");
}

async fn texts_of(store: &dyn Store, user: Option<&str>) -> Vec<String> {
    let profile = StoredProfile::new(store, user).load().await.unwrap();
    profile.facts().iter().map(|fact| fact.text().to_owned()).collect()
}

#[tokio::test]
async fn every_user_and_anonymous_have_separate_profiles() {
    let store = MemoryStore::new();
    let long = "u".repeat(256);
    let users = [Some("ann"), Some("bob"), Some("profile"), Some(&*long), None];
    for user in users {
        let id = format!("c-{}", user.map_or("none", |user| &user[..3]));
        match user {
            Some(user) => say_as(&store, &id, user, &format!("I am {}", &user[..3])).await,
            None => say(&store, &id, "I am none").await,
        }
    }
    say_as(&store, "c-ann", "bob", "bob speaks where ann began").await;
    let model = TestModel::new([TestAnswer::Echo]);
    for user in users {
        learn_of(&store, &model, user).await;
        let name = user.map_or("none", |user| &user[..3]);
        assert_eq!(texts_of(&store, user).await, [format!("I am {name}")]);
    }
    assert_eq!(texts_of(&store, Some("an")).await, [] as [&str; 0]);
    StoredProfile::new(&store, None).delete().await.unwrap();
    assert_eq!(texts_of(&store, Some("ann")).await, ["I am ann"]);
}

#[tokio::test]
async fn unnamed_message_belongs_to_conversation_owner() {
    let store = MemoryStore::new();
    say_as(&store, "c1", "ann", "I am ann").await;
    say(&store, "c1", "I like tea").await;
    let model = TestModel::new([TestAnswer::Echo]);
    assert_eq!(learn_at(&store, &model, 1).await.unwrap(), LearnOutcome::TooFew { new: 0 });
    learn_of(&store, &model, Some("ann")).await;
    assert_eq!(texts_of(&store, Some("ann")).await, ["I am ann", "I like tea"]);
}

#[tokio::test]
async fn messages_between_agents_are_not_learned() {
    let store = MemoryStore::new();
    let to_agent = Entry { agent_path: Some("helper".to_owned()), ..Event::user("do it").into() };
    append(&store, "c1/1/a1", to_agent).await;
    say(&store, "c1", "M1").await;
    let model = TestModel::new([TestAnswer::Echo]);
    learn_at(&store, &model, 1).await.unwrap();
    assert_eq!(texts(&store).await, ["M1"]);
}

#[tokio::test]
async fn imported_messages_are_not_learned() {
    let store = MemoryStore::new();
    append(&store, "old", Event::user("from elsewhere").into()).await;
    store.put("imported/old", "head", 0, b"1".to_vec()).await.unwrap();
    let model = TestModel::new([TestAnswer::Echo]);
    assert_eq!(learn_at(&store, &model, 1).await.unwrap(), LearnOutcome::TooFew { new: 0 });
    say(&store, "old", "from here").await;
    learn_at(&store, &model, 1).await.unwrap();
    assert_eq!(texts(&store).await, ["from here"]);
}

#[tokio::test]
async fn a_replay_is_not_learned() {
    let store = MemoryStore::new();
    let point = BranchPoint { conversation: "c0".to_owned(), seq: 1 };
    let origin = Some(ConversationOrigin::Replay(point));
    append(&store, "c1", Entry { origin, ..Event::user("again").into() }).await;
    let model = TestModel::new([TestAnswer::Echo]);
    assert_eq!(learn_at(&store, &model, 1).await.unwrap(), LearnOutcome::TooFew { new: 0 });
}

#[tokio::test]
async fn forks_neither_repeat_nor_lose_messages() {
    // Whether the original is learned before the fork begins, and whether it is then deleted.
    for (is_learned, is_deleted) in [(false, false), (false, true), (true, false), (true, true)] {
        let store = MemoryStore::new();
        let model = TestModel::new([TestAnswer::Echo]);
        say(&store, "c1", "M1").await;
        if is_learned {
            learn_at(&store, &model, 1).await.unwrap();
        }
        say(&store, "c1", "M2").await;
        Fork::read(&store, "c1", 2).await.unwrap().begin(&store, "c2").await.unwrap();
        say(&store, "c2", "M3").await;
        say(&store, "c1", "M4").await;
        if is_deleted {
            store.delete("c1", 3).await.unwrap();
        }
        learn_at(&store, &model, 2).await.unwrap();
        // A mark that was made stays when the original is deleted later.
        if !is_deleted {
            store.delete("c1", 3).await.unwrap();
        }
        let again = learn_at(&store, &model, 3).await.unwrap();
        assert_eq!(again, LearnOutcome::TooFew { new: 0 });
        let mut asked = model.asked().concat();
        asked.sort();
        let all = ["M1", "M2", "M3", "M4"];
        assert_eq!(asked, if is_deleted { &all[..3] } else { &all }, "{is_learned} {is_deleted}");
    }
}

#[tokio::test]
async fn pending_fork_remembers_deleted_original() {
    let store = MemoryStore::new();
    let model = TestModel::saying(["{}"]);
    say(&store, "c1", "M1").await;
    learn_at(&store, &model, 1).await.unwrap();
    say(&store, "c1", "M2").await;
    Fork::read(&store, "c1", 2).await.unwrap().begin(&store, "c2").await.unwrap();
    store.delete("c1", 2).await.unwrap();
    // These come first, and fill more than one request.
    for _ in 0..7 {
        say(&store, "c0", &"x".repeat(6_000)).await;
    }
    while learn_at(&store, &model, 2).await.unwrap() != (LearnOutcome::TooFew { new: 0 }) {}
    let asked = model.asked();
    assert!(asked.len() > 3, "{}", asked.len());
    let short: Vec<_> = asked.concat().into_iter().filter(|text| text.len() == 2).collect();
    assert_eq!(short, ["M1", "M2"]);
}

#[tokio::test]
async fn deleting_conversation_removes_facts_and_allows_relearning() {
    let store = MemoryStore::new();
    let model = TestModel::new([TestAnswer::Echo]);
    let at = |seconds: i64, text: &str| Entry {
        timestamp: Some(silcrow_event::Timestamp::from_nanos(seconds)),
        ..Event::user(text).into()
    };
    for (id, text) in [("c1", "M1"), ("c1", "M2"), ("c2", "M3")] {
        append(&store, id, at(1, text)).await;
    }
    learn_at(&store, &model, 1).await.unwrap();
    store.delete("c1", 2).await.unwrap();
    assert_eq!(texts(&store).await, ["M3"]);
    for text in ["M4", "M5", "M6"] {
        append(&store, "c1", at(2, text)).await;
    }
    learn_at(&store, &model, 2).await.unwrap();
    let profile = load(&store).await;
    let places = [("c2", 1), ("c1", 1), ("c1", 2), ("c1", 3)];
    assert_eq!(origins(&profile), places.map(|(id, seq)| (id.to_owned(), seq)));
    assert_eq!(model.asked().concat(), ["M1", "M2", "M3", "M4", "M5", "M6"]);
}
