//! Runs that their process has left to others.

use silcrow_event::Event;
use silcrow_store::search::SearchedUser;
use silcrow_store::{Store as _, WaitingRun};
use silcrow_store_log::{LogStore, Options};

async fn open(dir: &std::path::Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// Returns a store in whose conversation `c` a run has ended.
async fn begun(dir: &std::path::Path) -> LogStore {
    let store = open(dir).await;
    store.append("c", 0, vec![Event::user("go").into()]).await.unwrap();
    store
}

async fn next(store: &LogStore, place: &str) -> Option<WaitingRun> {
    store.shared_runs().next(&SearchedUser::Nobody, place).await.unwrap()
}

fn waiting(is_orphaned: bool, is_abandoned: bool) -> Option<WaitingRun> {
    Some(WaitingRun { conversation: "c".to_owned(), user: None, is_orphaned, is_abandoned })
}

/// The number of files about runs that wait.
fn left(dir: &std::path::Path) -> usize {
    std::fs::read_dir(dir.join("offers")).unwrap().count()
}

#[tokio::test]
async fn offered_run_is_taken_once_at_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (begun(dir.path()).await, open(dir.path()).await);
    let hold = one.hold("c").await.unwrap();
    assert!(!other.shared_runs().offer("c", "here").await.unwrap(), "it is at work");
    hold.release().await;
    one.shared_runs().request("c").await.unwrap();
    assert_eq!(next(&other, "here").await, None, "nobody has offered it");
    assert!(one.shared_runs().offer("c", "here").await.unwrap());
    assert_eq!(next(&other, "here").await, None, "it waits for an answer");
    one.shared_runs().request("c").await.unwrap();
    assert!(one.shared_runs().waits("c").await.unwrap());
    assert_eq!(next(&other, "there").await, None);
    let ann = SearchedUser::One("ann".to_owned());
    assert_eq!(other.shared_runs().next(&ann, "here").await.unwrap(), None);
    assert_eq!(next(&other, "here").await, waiting(false, false));
    assert_eq!(next(&other, "here").await, None, "a process has it");
    other.hold("c").await.unwrap().release().await;
    assert!(!one.shared_runs().waits("c").await.unwrap());
    // Its process stops, and leaves it to the next one.
    other.shared_runs().request("c").await.unwrap();
    assert_eq!(next(&other, "here").await, waiting(false, false));
    other.shared_runs().withdraw("c").await.unwrap();
    assert_eq!(left(dir.path()), 0);
}

#[tokio::test]
async fn offering_process_can_take_its_run_back() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (begun(dir.path()).await, open(dir.path()).await);
    assert!(one.shared_runs().offer("c", "here").await.unwrap());
    one.shared_runs().request("c").await.unwrap();
    one.hold("c").await.unwrap().release().await;
    assert_eq!(next(&other, "here").await, None);
    assert_eq!(left(dir.path()), 0);
}

#[tokio::test]
async fn the_offer_of_a_deleted_conversation_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (begun(dir.path()).await, open(dir.path()).await);
    assert!(one.shared_runs().offer("c", "here").await.unwrap());
    one.shared_runs().request("c").await.unwrap();
    one.delete("c", 1).await.unwrap();
    assert_eq!(next(&other, "here").await, None);
    assert_eq!(left(dir.path()), 0);
}

/// The remains of a killed process: its file says that it has the run, and its hold is not locked.
#[tokio::test]
async fn orphaned_run_is_retaken_twice_then_abandoned() {
    let dir = tempfile::tempdir().unwrap();
    let store = begun(dir.path()).await;
    assert!(store.shared_runs().offer("c", "here").await.unwrap());
    let file = std::fs::read_dir(dir.path().join("offers")).unwrap().next().unwrap();
    let file = file.unwrap().path();
    for round in 1..=3 {
        let text = std::fs::read_to_string(&file).unwrap();
        let (numbers, rest) = text.split_once('\n').unwrap();
        let numbers: Vec<&str> = numbers.split(' ').collect();
        std::fs::write(&file, format!("- 1 {} {}\n{rest}", numbers[2], numbers[3])).unwrap();
        assert!(store.shared_runs().waits("c").await.unwrap());
        assert_eq!(next(&store, "here").await, waiting(true, round == 3), "{round}");
    }
}
