//! The limits of a search.

use std::fs;
use std::path::Path;

use super::*;
use crate::search_query::LetterCase;

fn searched(folder: &Path, limits: SearchLimits) -> ToolOutput {
    let root = Root::open(folder).unwrap();
    let query = SearchQuery::new("needle", false, LetterCase::Smart, 0).unwrap();
    let filter = WalkFilter::new(&[], false).unwrap();
    search(&root, ".", &query, filter, limits, &CancellationToken::new()).unwrap()
}

fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_number_of_files_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..50 {
        put(folder.path(), &format!("{n:02}"), "");
    }
    put(folder.path(), "last", "needle");
    let limits = SearchLimits { files: 50, ..SearchLimits::default() };
    let output = searched(folder.path(), limits);
    assert_eq!(output.summary, "no hits in 50 files");
    let expected = "stopped early: 50 files are searched; search a smaller folder or a rarer text";
    assert_eq!(output.notices.last().unwrap(), expected);
    assert_eq!(output.truncated, Some(Truncation::default()));
    fs::remove_file(folder.path().join("00")).unwrap();
    assert_eq!(searched(folder.path(), limits).content, "last:1: needle");
}

#[test]
fn a_number_of_folders_is_entered() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..40 {
        put(folder.path(), &format!("{n:02}/a.txt"), "");
    }
    let output = searched(folder.path(), SearchLimits { files: 20, ..SearchLimits::default() });
    let last = output.notices.last().unwrap();
    assert!(last.starts_with("stopped early: 20 f"), "{last}");
}

#[test]
fn search_reads_a_limited_number_of_bytes() {
    for content in ["x".repeat(1 << 18).into_bytes(), vec![0; 1 << 18]] {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..8 {
            put(folder.path(), &format!("{n:02}"), &content);
        }
        put(folder.path(), "last", "needle");
        let limits = SearchLimits { bytes: 1 << 21, ..SearchLimits::default() };
        let output = searched(folder.path(), limits);
        let last = output.notices.last().unwrap();
        assert!(last.starts_with("stopped early: 2 MiB are read; "), "{last}");
        fs::remove_file(folder.path().join("00")).unwrap();
        assert_eq!(searched(folder.path(), limits).content, "last:1: needle");
    }
}

#[test]
fn the_outcome_does_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..400 {
        put(folder.path(), &format!("{:02}/{n:03}", n % 20), "needle\n".repeat(n % 3));
    }
    for n in 0..20 {
        put(folder.path(), &format!("{n:02}/.env"), "");
    }
    // Other files are found while this one is still searched.
    put(folder.path(), "00/00", "long\n".repeat(1 << 17));
    let limits = SearchLimits { hits: 300, ..SearchLimits::default() };
    let first = searched(folder.path(), limits);
    assert!(first.summary.starts_with("300 hits in 200 files; "), "{}", first.summary);
    for _ in 0..10 {
        assert_eq!(searched(folder.path(), limits), first);
    }
}
