//! The quality and speed of `recall`, compared with a ranking by the number of words alone.
//!
//! `cargo lab recall` runs it; docs/records/2026-11-23-recall.md has the figures.

#[path = "../tests/evaluation/mod.rs"]
mod evaluation;

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use evaluation::{RecallScores, conversations, fill, found, found_by_words, queries, scores};
use silcrow_event::Event;
use silcrow_recall::Recall;
use silcrow_store::Store;
use silcrow_store_log::{LogStore, Options};

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if std::env::args().any(|arg| arg == "--bench") {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(measure());
    }
}

async fn measure() {
    let conversations = conversations();
    let queries = queries(&conversations);
    say(&format!("{} queries, {} conversations", queries.len(), conversations.len()));
    say("| ranking | recall@1 | recall@5 | MRR | a call |");
    say("|---|---|---|---|---|");
    let (by_words, took) = timed(async {
        queries.iter().map(|one| found_by_words(&conversations, one.words)).collect()
    })
    .await;
    row("words only", scores(&queries, &by_words), took, queries.len());
    let dir = tempfile::tempdir().unwrap();
    let store = LogStore::open(dir.path().join("store"), Options::default()).await.unwrap();
    let store = Arc::new(store);
    fill(&*store, &conversations).await;
    let recall = Recall::new(Arc::clone(&store));
    let all = async || {
        let mut rows = Vec::new();
        for query in &queries {
            rows.push(found(&recall, query.words).await);
        }
        rows
    };
    // The first search reads the store.
    all().await;
    let (rows, took) = timed(all()).await;
    row("recall", scores(&queries, &rows), took, queries.len());
    crowd(&*store).await;
    all().await;
    let (rows, took) = timed(all()).await;
    row("recall, among 20,000 other messages", scores(&queries, &rows), took, queries.len());
}

/// Adds conversations of everyday words, so that the store has an index and words are frequent.
async fn crowd(store: &dyn Store) {
    let words: Vec<_> = include_str!("../tests/corpus/project.txt").split_whitespace().collect();
    for number in 0..400_usize {
        let message = |seq: usize| {
            let at = |n: usize| words[(number * 7919 + seq * 104_729 + n * 31) % words.len()];
            let text: Vec<_> = (0..40).map(at).collect();
            Event::user(text.join(" ")).into()
        };
        store.append(&format!("x{number}"), 0, (0..50).map(message).collect()).await.unwrap();
    }
}

async fn timed(work: impl Future<Output = Vec<Vec<String>>>) -> (Vec<Vec<String>>, Duration) {
    let start = Instant::now();
    let done = work.await;
    (done, start.elapsed())
}

fn row(name: &str, scores: RecallScores, took: Duration, queries: usize) {
    let RecallScores { at_1, at_5, mrr } = scores;
    let each = took / queries as u32;
    say(&format!("| {name} | {at_1:.3} | {at_5:.3} | {mrr:.3} | {each:.1?} |"));
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
