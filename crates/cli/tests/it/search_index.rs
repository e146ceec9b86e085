//! The notice that the search index of a large store is built.

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};
use tokio::runtime::Runtime;

use crate::support::Sandbox;

/// A search finds the same after any damage of the index, and says when it builds it again.
#[test]
fn damaged_index_is_rebuilt_with_a_notice() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("data/silcrow");
    fill(&folder);
    let index = folder.join("index");
    let building = format!("building the search index of {}", folder.display());

    let said = sandbox.silcrow(&["log", "--json", "search", "whales"]);
    let found = said.ends(0).events();
    assert_eq!(found.len(), 2);
    assert_eq!(said.err, format!("silcrow: {building}\n"));
    let search = |notice: &str| {
        let again = sandbox.silcrow(&["log", "--json", "search", "whales"]);
        assert_eq!(again.ends(0).events(), found);
        assert_eq!(again.err, notice);
    };
    search("");

    fs::remove_dir_all(&index).unwrap();
    search(&format!("silcrow: {building}\n"));
    let damaged = format!("silcrow: {building} again: it was damaged, or left unfinished\n");
    let file = largest(&index.join("data"));
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    search(&damaged);
    fs::remove_file(index.join("SEAL")).unwrap();
    search(&damaged);
    search("");
}

/// Makes a store that is long enough for an index.
fn fill(folder: &Path) {
    Runtime::new().unwrap().block_on(async {
        let store = LogStore::open(folder, Options::default()).await.unwrap();
        for conversation in ["a", "b"] {
            let said = |n: u64| format!("number {n} {}", "and so on ".repeat(400));
            let mut batch: Vec<_> = (0..400).map(|n| Event::user(said(n)).into()).collect();
            batch.push(Event::user("Where are whales?").into());
            store.append(conversation, 0, batch).await.unwrap();
        }
    });
}

fn largest(folder: &Path) -> PathBuf {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.push((path.metadata().unwrap().len(), path));
        }
    }
    files.into_iter().max().unwrap().1
}
