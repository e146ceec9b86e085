//! The memory of many calls at once, reported by the system for a separate process.

use std::fs;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::json;
use silcrow_tool::CancellationToken;
use silcrow_tools::{FileList, FileSearch, Root};

use crate::{Place, apart, call, call_with, given, peak};

const MIB: usize = 1 << 20;

#[test]
fn many_searches_of_endless_lines_take_little_memory() {
    let place = Place::new();
    place.put("text", "x".repeat(16 * MIB));
    // A few wrong bytes do not make it binary, so all of it is searched.
    let wrong: Vec<u8> = (0..8 * MIB).map(|n| if n % 11 == 0 { 0xff } else { b'X' }).collect();
    place.put("wrong", wrong);
    assert!(apart("memory::sixteen_searches", &place, "").success());
}

/// Sixteen calls at once, half of them for each file.
#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn sixteen_searches() {
    let root = Root::open(given()).unwrap();
    let tool = FileSearch::new(&root);
    let args =
        |n: usize| json!({"query": "needle", "path": (["text", "wrong"][n % 2])}).to_string();
    let args: Vec<_> = (0..16).map(args).collect();
    for done in join_all(args.iter().map(|args| call(&tool, args))).await {
        assert!(done.unwrap().summary.starts_with("no hits in 1 file"));
    }
    let peak = peak();
    assert!(peak < 48 << 10, "{peak} KiB");
}

#[test]
fn folders_of_any_size_take_little_memory() {
    let place = Place::new();
    place.put("file", "");
    // Entries of one file are much cheaper than files.
    fs::create_dir(place.path().join("large")).unwrap();
    for n in 0..20_000 {
        let name = format!("large/{n:0200}");
        fs::hard_link(place.path().join("file"), place.path().join(name)).unwrap();
    }
    assert!(apart("memory::sixteen_lists", &place, "").success());
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn sixteen_lists() {
    let root = Root::open(given()).unwrap();
    let (list, search) = (FileList::new(&root), FileSearch::new(&root));
    let lists = (0..16).map(|_| call(&list, r#"{"path":"large"}"#));
    for done in join_all(lists).await {
        assert_eq!(done.unwrap().summary, "20000 entries");
    }
    let after_lists = peak();
    assert!(after_lists < 32 << 10, "{after_lists} KiB");
    let searches = (0..4).map(|_| call(&search, r#"{"query":"needle"}"#));
    for done in join_all(searches).await {
        assert!(done.unwrap().summary.starts_with("no hits in 20001 files"));
    }
    let peak = peak();
    assert!(peak < 64 << 10, "{peak} KiB");
}

/// Calls whose results are not needed any more stop while they read, and make space for others.
#[tokio::test]
async fn cancelled_searches_stop_while_they_read() {
    let place = Place::new();
    place.put("long", "x".repeat(60 * MIB)).put("a.txt", "needle");
    let tool = FileSearch::new(&place.root);
    let cancel = CancellationToken::new();
    let args = json!({"query": "needle", "path": "long"}).to_string();
    let before = read_so_far();
    {
        let calls = join_all((0..16).map(|_| call_with(&tool, &args, cancel.clone())));
        assert!(calls.now_or_never().is_none(), "they have begun");
        cancel.cancel();
    }
    // Each of them needs a slot that one of those above had.
    for found in join_all((0..8).map(|_| place.search("needle", "a.txt"))).await {
        assert_eq!(found.unwrap().content, "a.txt:1: needle");
    }
    let read = read_so_far() - before;
    assert!(read < 60 * MIB as u64, "{read} bytes");
}

/// Bytes that this process has read.
fn read_so_far() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}
