//! The cost of one conversation's summary, among few others and among many.

use std::fs;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store::conformance::{StoreCost, check_costs};

use crate::commands::open;
use crate::process::{command, said, say, store};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_summary_costs_the_same_among_many_conversations() {
    let (few, many) = (reads_among(3).await, reads_among(600).await);
    assert!(many.list >= few.list + 500, "{few:?} {many:?}");
    assert!(many.known <= few.known + SLACK && many.unknown <= few.unknown + SLACK, "{many:?}");
}

/// The numbers of reads of a process.
#[derive(Debug)]
struct Reads {
    /// For a conversation that the store has.
    known: u64,
    /// For one that it has not.
    unknown: u64,
    /// For all of its conversations.
    list: u64,
}

/// Counts the reads of another process in a store of this many conversations.
async fn reads_among(conversations: usize) -> Reads {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path()).await;
    for number in 0..conversations {
        log.append(&format!("c{number}"), 0, vec![Event::user("hello").into()]).await.unwrap();
    }
    drop(log);
    let output = command("summaries::run", folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    let counts: Vec<u64> = told.lines().filter_map(said).map(|n| n.parse().unwrap()).collect();
    let [known, unknown, list] = counts[..] else { panic!("{told}") };
    Reads { known, unknown, list }
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn run() {
    let log = open(&store()).await;
    // Background work of opening has ended when the first answer arrives.
    log.summary("c0").await.unwrap();
    let before = reads();
    assert_eq!(log.summary("c1").await.unwrap().unwrap().events, 1);
    let known = reads();
    assert_eq!(log.summary("nobody").await.unwrap(), None);
    let unknown = reads();
    log.list(None).await.unwrap();
    for count in [known - before, unknown - known, reads() - unknown] {
        say(&count.to_string());
    }
}

/// Everything that is asked about one conversation, and done in it, by another process.
#[test]
fn one_conversation_costs_the_same_among_many() {
    let folder = tempfile::tempdir().unwrap();
    let output = command("summaries::count", folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn count() {
    let log = open(&store()).await;
    let cost = async || StoreCost { steps: counter("syscr: "), bytes: counter("rchar: ") };
    check_costs(log, cost).await;
}

/// Returns the number of this process's reads from files.
fn reads() -> u64 {
    counter("syscr: ")
}

/// Returns a number that the system counts for this process.
fn counter(name: &str) -> u64 {
    let counters = fs::read_to_string("/proc/self/io").unwrap();
    counters.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap()
}

/// Reads of the runtime, and those that count the reads.
const SLACK: u64 = 4;
