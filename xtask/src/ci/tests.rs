use std::time::Duration;

use super::tally::Tally;
use super::{run, summary};

#[test]
fn totals_are_kept_and_other_lines_are_not() {
    let mut tally = Tally::default();
    for line in [
        "        PASS [   0.005s] silcrow-lex::it split",
        "     Summary [   1.234s] 345 tests run: 345 passed, 0 skipped",
        "test src/lib.rs - (line 3) ... ok",
        "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.12s",
        "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 3s",
    ] {
        if Tally::is_total(line) {
            tally.push(line);
        }
    }
    assert_eq!(
        tally.to_string(),
        "Summary [   1.234s] 345 tests run: 345 passed, 0 skipped\n\
         test result: FAILED. 5 passed; 4 failed; 1 ignored (2 results of cargo test)\n"
    );
}

#[test]
fn the_summary_says_which_stage_failed() {
    let times = [("fmt", Duration::from_millis(300)), ("clippy", Duration::from_millis(61_200))];
    let failed = summary(&times, false);
    assert_eq!(
        failed,
        "stage     seconds\nfmt           0.3\nclippy       61.2  failed\nall          61.5"
    );
    assert!(!summary(&times, true).contains("failed"));
}

#[test]
fn no_profile_repeats_a_failed_test() {
    let settings = include_str!("../../../.config/nextest.toml");
    let mut lines = settings.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.find(|line| line.contains("retries")), None);
}

#[test]
fn an_unknown_stage_is_named() {
    let why = run(&["fmt", "clipy"]).unwrap_err();
    assert!(why.contains("`clipy`") && why.contains("clippy"), "{why}");
}
