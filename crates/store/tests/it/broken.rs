//! The conformance suite finds each flaw of a store, and its message describes the flaw.

mod flaw;
mod flaws;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use silcrow_store::MemoryStore;
use silcrow_store::conformance::{CHECKS, StoreCost, check, check_costs, check_reopening};

use self::flaw::Broken;
use self::flaws::Flaw;

#[tokio::test]
async fn every_flaw_is_found() {
    let flaws = [
        (Flaw::IgnoresHead, "append compares the head", "must fail as Conflict"),
        (Flaw::LosesSecond, "append is whole or nothing", "though 5 entries were acknowledged"),
        (Flaw::HalfOnConflict, "append is whole or nothing", "entries were acknowledged"),
        (Flaw::KeepsSeq, "append gives positions", "entries have the positions"),
        (Flaw::DropsUnstored, "append refuses unstored events", "must fail as Refused"),
        (Flaw::ReadsOneMore, "read of ranges", "reading 1 to 1 of 10 must give 1 entries"),
        (Flaw::RoundsTimes, "events come back exactly", "an entry came back changed"),
        (Flaw::DropsBlanks, "events come back exactly", "an entry came back changed"),
        (Flaw::CutsLong, "big events", "an entry came back changed"),
        (Flaw::TakesAnyName, "names", "must fail as Refused"),
        (Flaw::EndsNamesAtNul, "names do not mix", "must succeed, but failed"),
        (Flaw::ListsBackwards, "list", "the one appended to last comes first"),
        (Flaw::LosesBetweenPages, "pages of the list", "pages of 1 for None"),
        (Flaw::OldSummary, "pages of the list", "a summary is what is listed"),
        (Flaw::ListsLogsOnly, "beginnings of ids", "the ids that begin with \"a/\""),
        (Flaw::LastTitle, "titles", "the title of \"first\" is"),
        (Flaw::MixesUsers, "users", "the conversations of \"ann\""),
        (Flaw::MixesUsers, "search for users", "a search for \"bob\""),
        (Flaw::FindsItself, "search for users", "a search that leaves out all there is"),
        (Flaw::TakesAnyUser, "names of users", "must fail as Refused"),
        (Flaw::SortsByTime, "times that jump", "comes first, at whatever time"),
        (Flaw::IgnoresVersion, "put compares the version", "must fail as Conflict"),
        (Flaw::TextValues, "values come back exactly", "came back as"),
        (Flaw::FollowSkips, "follow", "position 150 comes next, not Some(151)"),
        (Flaw::FollowEnds, "follow from a position", "a follower at the end must wait"),
        (Flaw::IgnoresHead, "appends race", "must win different positions"),
        (Flaw::ForgetsSometimes, "appends side by side", "entries were acknowledged"),
        (Flaw::IgnoresVersion, "puts race", "must win different versions"),
        (Flaw::DeletesAnyHead, "delete is whole", "must fail as Conflict"),
        (Flaw::KeepsValues, "delete is whole", "and no others"),
        (Flaw::DeletesAnyHead, "a deleted conversation restarts empty", "must fail as Conflict"),
        (Flaw::NeverHolds, "hold", "must succeed, but failed"),
        (Flaw::HoldsForAll, "one run at a time", "of 8 runs at once, one holds"),
        (Flaw::RepeatsKeys, "keys", "each key comes once"),
        (Flaw::CountsNothing, "verify", "nothing is damaged"),
        (Flaw::FindsItself, "search", "a search for \"whale\""),
        (Flaw::OldestFirst, "search", "a search for \"whale\""),
        (Flaw::RepeatsKeys, "export and import", "the lines of an export"),
    ];
    for (flaw, name, words) in flaws {
        let check = CHECKS.iter().find(|check| check.name == name).expect(name);
        let said = panic_of(check.run(Broken::new(flaw))).await;
        assert!(said.contains(words), "{flaw:?} makes `{name}` say: {said}");
    }
}

/// The wrapper without a flaw passes, so the wrapper itself breaks nothing.
#[tokio::test]
async fn a_store_without_a_flaw_passes() {
    check(async || Broken::new(Flaw::None)).await;
}

#[tokio::test]
async fn forgetful_store_is_found_by_reopening() {
    let said = panic_of(check_reopening(async || MemoryStore::new())).await;
    assert!(said.contains("the head of \"kinds\" is 0"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn hanging_store_is_detected() {
    let check = CHECKS.iter().find(|check| check.name == "list").unwrap();
    let said = panic_of(check.run(Broken::new(Flaw::Hangs))).await;
    assert_eq!(said, "list: the store gave no answer for 30s");
}

/// The store counts the listed conversations.
#[tokio::test]
async fn summary_listing_everything_is_detected() {
    let run = async |flaw| {
        let store = Broken::new(flaw);
        let listed = Arc::clone(&store.listed);
        let cost = async || StoreCost { steps: listed.load(Ordering::Relaxed), bytes: 0 };
        check_costs(store, cost).await;
    };
    run(Flaw::None).await;
    let said = panic_of(run(Flaw::SummaryFromList)).await;
    assert!(said.contains("asking for a summary costs"), "{said}");
}

async fn panic_of(run: impl Future<Output = ()>) -> String {
    let panic = AssertUnwindSafe(run).catch_unwind().await.expect_err("nothing was found");
    words(&*panic).to_owned()
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).expect("a panic has words")
}
