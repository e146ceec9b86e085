use std::collections::BTreeSet;
use std::fs;

use clap::Parser;

use super::feed::FuzzStats;
use super::folder;
use super::options::{FuzzLimit, FuzzOptions};
use super::target::TARGETS;

#[derive(Parser)]
struct FuzzLine {
    #[command(flatten)]
    options: FuzzOptions,
}

fn options(args: &[&str]) -> Result<FuzzOptions, String> {
    let line = FuzzLine::try_parse_from(["fuzz"].iter().chain(args));
    line.map(|line| line.options).map_err(|why| why.to_string())
}

#[test]
fn fuzzing_defaults_to_all_targets_for_20_seconds() {
    let all = options(&[]).unwrap();
    assert_eq!((all.targets().len(), all.limit()), (TARGETS.len(), FuzzLimit::Secs(20)));
    let two = options(&["sse", "--runs", "5", "lex", "sse"]).unwrap();
    let names: Vec<_> = two.targets().iter().map(|target| target.name).collect();
    assert_eq!((names, two.limit()), (vec!["lex", "sse"], FuzzLimit::Runs(5)));
    assert_eq!((all.seed, options(&["--seed", "7"]).unwrap().seed), (None, Some(7)));
}

#[test]
fn wrong_options_are_named() {
    let says = |args: &[&str], word: &str| {
        let why = options(args).unwrap_err();
        assert!(why.contains(word), "{args:?}: {why}");
    };
    says(&["lexx"], "there are bytes, call_json,");
    says(&["--secs", "0"], "1..");
    says(&["--secs", "1", "--runs", "1"], "cannot be used with");
}

#[test]
fn fuzzer_statistics_are_counted() {
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
