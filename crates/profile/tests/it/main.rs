//! Profiles over a store in memory, with models that follow a test's script.

mod conversations;
mod facts;
mod learning;
mod model;
mod races;
mod replies;
mod schedules;
mod stepped;

use model::TestModel;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_profile::{
    Error, FactOrigin, LearnOptions, LearnOutcome, Profile, StoredProfile, learn,
};
use silcrow_store::Store;

/// Learns from each message at a number of minutes after 1970.
async fn learn_at(
    store: &dyn Store,
    model: &TestModel,
    minutes: i64,
) -> Result<LearnOutcome, Error> {
    let options = LearnOptions::new().with_every(1);
    learn(store, model, None, minute(minutes), &options).await
}

fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_nanos(minutes * 60_000_000_000)
}

async fn load(store: &dyn Store) -> Profile {
    StoredProfile::new(store, None).load().await.unwrap()
}

async fn texts(store: &dyn Store) -> Vec<String> {
    load(store).await.facts().iter().map(|fact| fact.text().to_owned()).collect()
}

/// Returns the conversation and the position that each fact was noted from.
fn origins(profile: &Profile) -> Vec<(String, u64)> {
    let origin = |fact: &silcrow_profile::Fact| match fact.origin().clone() {
        FactOrigin::Model { conversation, seq } => (conversation, seq),
        FactOrigin::Person => ("person".to_owned(), 0),
    };
    profile.facts().iter().map(origin).collect()
}

async fn append(store: &dyn Store, conversation: &str, entry: Entry) {
    let head = store.head(conversation).await.unwrap();
    store.append(conversation, head, vec![entry]).await.unwrap();
}

/// Appends a message without a user.
async fn say(store: &dyn Store, conversation: &str, text: &str) {
    append(store, conversation, Event::user(text).into()).await;
}

async fn answer(store: &dyn Store, conversation: &str, text: &str) {
    append(store, conversation, Event::respond(text).into()).await;
}
