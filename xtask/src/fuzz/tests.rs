use std::collections::BTreeSet;
use std::fs;

use super::feed::FuzzStats;
use super::folder;
use super::options::{FuzzLimit, FuzzOptions};
use super::target::TARGETS;

#[test]
fn without_a_target_all_are_fed_for_20_seconds() {
    let options = FuzzOptions::read(&[]).unwrap();
    assert_eq!((options.targets.len(), options.limit), (TARGETS.len(), FuzzLimit::Secs(20)));
    let options = FuzzOptions::read(&["sse", "--runs", "5", "lex", "sse"]).unwrap();
    let names: Vec<_> = options.targets.iter().map(|target| target.name).collect();
    assert_eq!((names, options.limit), (vec!["sse", "lex"], FuzzLimit::Runs(5)));
    assert_eq!((options.seed, FuzzOptions::read(&["--seed", "7"]).unwrap().seed), (None, Some(7)));
}

#[test]
fn what_cannot_be_done_is_said() {
    let says = |args: &[&str], word: &str| {
        let why = FuzzOptions::read(args).unwrap_err();
        assert!(why.contains(word), "{args:?}: {why}");
    };
    says(&["lexx"], "`lexx`; there are bytes, call_json,");
    says(&["--run", "5"], "--runs N");
    says(&["--runs"], "needs a number");
    says(&["--runs", "ten"], "not `ten`");
    says(&["--secs", "0"], "above 0");
    says(&["--secs", "1", "--runs", "1"], "one limit");
}

#[test]
fn a_part_of_a_limit_is_never_nothing() {
    assert_eq!(FuzzLimit::Secs(20).tenths(9), "-max_total_time=18");
    assert_eq!(FuzzLimit::Runs(u64::MAX).tenths(9), format!("-runs={}", u64::MAX / 10));
    assert_eq!(FuzzLimit::Runs(1).tenths(1), "-runs=1");
}

#[test]
fn what_the_runtime_says_is_counted() {
    let said = "#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 29Mb\n\
        #30\tDONE   cov: 671 ft: 3522 corp: 974/53Kb lim: 208 exec/s: 8333 rss: 29Mb\n\
        stat::number_of_executed_units: 30\n\
        stat::average_exec_per_sec:     15\n";
    let mut stats = FuzzStats::default();
    stats.add(1.5, said);
    stats.add(0.5, said);
    let all = FuzzStats { seconds: 2.0, executions: 60, coverage: 671, features: 3522 };
    assert_eq!(stats, all);
    assert_eq!(all.to_string(), "    2.0          60        30       671      3522");
}

/// Checks that each target is in the list, because others would never run.
#[test]
fn every_target_is_known() {
    let files = fs::read_dir(folder().join("fuzz_targets")).unwrap();
    let files: BTreeSet<_> = files
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let known: BTreeSet<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(files, known);
    for target in TARGETS {
        assert!(target.words().is_file(), "{}", target.name);
        assert!(!target.cases().unwrap().is_empty(), "{}", target.name);
    }
}
