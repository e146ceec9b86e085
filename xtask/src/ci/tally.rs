//! The totals of all tests that ran.
//!
//! This module knows the lines in which nextest and cargo print their totals.

use std::fmt;

/// The totals that test runners print, repeated at the end.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The summaries of nextest.
    summaries: Vec<String>,
    /// The number of cargo's lines, one for each binary and for each crate's examples.
    results: usize,
    passed: u64,
    failed: u64,
    ignored: u64,
    /// The checks that do not run on this machine.
    left_out: Vec<String>,
}

impl Tally {
    /// Returns whether the line contains totals.
    pub(crate) fn is_total(line: &str) -> bool {
        let line = line.trim_start();
        line.starts_with(RESULT) || line.starts_with(SUMMARY)
    }

    /// Says of checks that they do not run on this machine.
    pub(crate) fn leave_out(&mut self, checks: impl Into<String>) {
        self.left_out.push(checks.into());
    }

    /// Adds a line with totals.
    pub(crate) fn push(&mut self, line: &str) {
        let line = line.trim();
        let Some(result) = line.strip_prefix(RESULT) else {
            self.summaries.push(line.to_owned());
            return;
        };
        let count = |word: &str| {
            let counts = result.split([';', '.']).map(str::trim);
            counts
                .filter_map(|count| count.strip_suffix(word)?.trim().parse::<u64>().ok())
                .sum::<u64>()
        };
        self.results += 1;
        self.passed += count("passed");
        self.failed += count("failed");
        self.ignored += count("ignored");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for summary in &self.summaries {
            writeln!(f, "{summary}")?;
        }
        for checks in &self.left_out {
            writeln!(f, "left out: {checks}")?;
        }
        if self.results == 0 {
            return Ok(());
        }
        let Self { results, passed, failed, ignored, .. } = self;
        let word = if *failed == 0 { "ok" } else { "FAILED" };
        writeln!(
            f,
            "{RESULT} {word}. {passed} passed; {failed} failed; {ignored} ignored ({results} results of cargo test)"
        )
    }
}

const RESULT: &str = "test result:";
const SUMMARY: &str = "Summary [";
