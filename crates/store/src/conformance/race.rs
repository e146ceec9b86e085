//! Checks of concurrent appends and puts.

use std::sync::Arc;

use silcrow_event as event;
use silcrow_event::Event;
use tokio::task::JoinSet;

use super::{must, must_equal, placed};
use crate::error::ErrorKind;
use crate::store::Store;

/// Tasks race on one conversation: each position is won once, and the log consists of the winners'
/// batches.
pub(super) async fn one(store: Arc<dyn Store>) {
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut won = Vec::new();
            for round in 0..ROUNDS {
                let batch = batch(task, round);
                loop {
                    let head = must("asking for the head", store.head("c").await);
                    match store.append("c", head, batch.clone()).await {
                        Ok(_) => {
                            won.push(placed(head, batch));
                            break;
                        }
                        Err(error) if error.kind() == ErrorKind::Conflict => {}
                        Err(error) => panic!("a racing append failed: {error}"),
                    }
                }
            }
            won
        });
    }
    let mut won = joined(tasks).await.concat();
    won.sort_by_key(|batch| batch.first().and_then(|entry| entry.seq));
    let wanted = won.concat();
    let positions: Vec<_> = wanted.iter().filter_map(|entry| entry.seq).collect();
    let gapless: Vec<_> = (1..=wanted.len() as u64).collect();
    assert_eq!(positions, gapless, "racing appends must win different positions");
    let read = must("reading", store.read("c", 1..=u64::MAX).await);
    must_equal(&read, &wanted);
}

/// Tasks append to a conversation each, and nothing is lost.
pub(super) async fn many(store: Arc<dyn Store>) {
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let conversation = format!("c{task}");
            let mut kept = Vec::new();
            for round in 0..ROUNDS {
                let at = kept.len() as u64;
                kept.extend(super::append(&*store, &conversation, at, batch(task, round)).await);
                // An acknowledged entry is readable at once and by everyone.
                super::must_hold(&*store, &conversation, &kept).await;
            }
            vec![(conversation, kept)]
        });
    }
    for (conversation, kept) in joined(tasks).await.concat() {
        super::must_hold(&*store, &conversation, &kept).await;
    }
    let list = must("listing", store.list(None).await);
    assert_eq!(list.len(), TASKS, "{TASKS} conversations were made, {} are listed", list.len());
}

/// Tasks count in one value: each version is won once.
pub(super) async fn values(store: Arc<dyn Store>) {
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut won = Vec::new();
            while won.len() < ROUNDS {
                let kept = must("getting", store.get("s", "count").await);
                let (version, count) = kept.map_or((0, 0), |kept| {
                    let bytes = kept.value.try_into().expect("a count of 8 bytes");
                    (kept.version, u64::from_be_bytes(bytes))
                });
                let next = (count + 1).to_be_bytes().to_vec();
                match store.put("s", "count", version, next).await {
                    Ok(version) => won.push(version),
                    Err(error) if error.kind() == ErrorKind::Conflict => {}
                    Err(error) => panic!("a racing put failed: {error}"),
                }
            }
            won
        });
    }
    let mut won = joined(tasks).await.concat();
    won.sort_unstable();
    let total = (TASKS * ROUNDS) as u64;
    let wanted: Vec<_> = (1..=total).collect();
    assert_eq!(won, wanted, "racing puts must win different versions");
    let kept = must("getting", store.get("s", "count").await).map(|kept| kept.value);
    assert_eq!(kept, Some(total.to_be_bytes().to_vec()), "a racing put was lost");
}

/// Returns 1 to 3 entries that name their task and round.
fn batch(task: usize, round: usize) -> Vec<event::Entry> {
    (0..=(task + round) % 3)
        .map(|number| Event::user(format!("task {task} round {round} entry {number}")).into())
        .collect()
}

async fn joined<T: 'static>(mut tasks: JoinSet<T>) -> Vec<T> {
    let mut all = Vec::new();
    while let Some(task) = tasks.join_next().await {
        match task {
            Ok(result) => all.push(result),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    all
}

const TASKS: usize = 8;
const ROUNDS: usize = 12;
