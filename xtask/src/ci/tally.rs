//! The totals of all tests that ran, and the parts that did not run on this machine, repeated at
//! the end.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;

/// The summaries that test runners and stages print at their end.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The summaries of nextest, the times of stages, and the omitted parts.
    lines: Vec<String>,
    /// The number of cargo's lines, one for each binary and for each crate's examples.
    results: usize,
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tally {
    /// The line before the totals.
    pub(crate) const HEAD: &str = "In all:";

    /// Says of checks that they do not run on this machine.
    pub(crate) fn leave_out(&mut self, checks: &str) {
        self.say(format!("{LEFT_OUT} {checks}"));
    }

    /// Prints a line, and keeps it.
    pub(crate) fn say(&mut self, line: String) {
        println!("{line}");
        self.lines.push(line);
    }

    /// Runs a test runner, passes its output through, and keeps its totals.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<(), String> {
        // The totals are on stderr with nextest, on stdout with cargo.
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|why| format!("{command:?} did not start: {why}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (said, warned) = thread::scope(|scope| {
            let said = scope.spawn(|| stdout.map(|out| read(out, |line| println!("{line}"))));
            let warned = stderr.map(|out| read(out, |line| eprintln!("{line}")));
            (said.join().ok().flatten(), warned)
        });
        said.into_iter().chain(warned).flatten().for_each(|line| self.push(&line));
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("what failed is named above ({status})")),
            Err(why) => Err(format!("{command:?} has no status: {why}")),
        }
    }

    /// Adds a line, if it contains totals.
    pub(crate) fn push(&mut self, line: &str) {
        let line = line.trim();
        if [SUMMARY, LEFT_OUT, STAGE].iter().any(|begin| line.starts_with(begin)) {
            self.lines.push(line.to_owned());
        } else if let Some(result) = line.strip_prefix(RESULT) {
            let counts = || result.split([';', '.']).map(str::trim);
            let count = |word| {
                counts().find_map(|count| count.strip_suffix(word)?.trim().parse::<u64>().ok())
            };
            self.results += 1;
            self.passed += count("passed").unwrap_or_default();
            self.failed += count("failed").unwrap_or_default();
            self.ignored += count("ignored").unwrap_or_default();
        }
    }
}

/// Passes lines through and returns them.
fn read(from: impl Read, show: impl Fn(&str)) -> Vec<String> {
    let lines = BufReader::new(from).split(b'\n').map_while(Result::ok).map(|line| {
        let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
        show(&line);
        line
    });
    lines.collect()
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, results, passed, failed, ignored } = self;
        writeln!(f, "{}", Self::HEAD)?;
        lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        if *results == 0 {
            return Ok(());
        }
        let word = if *failed == 0 { "ok" } else { "FAILED" };
        writeln!(
            f,
            "{RESULT} {word}. {passed} passed; {failed} failed; {ignored} ignored ({results} results of cargo test)"
        )
    }
}

const LEFT_OUT: &str = "left out:";
const RESULT: &str = "test result:";
const STAGE: &str = "── ";
const SUMMARY: &str = "Summary [";

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn totals_are_kept_and_other_lines_are_not() {
        let mut tally = Tally::default();
        for line in [
            "        PASS [   0.005s] silcrow-lex::it split",
            "     Summary [   1.234s] 345 tests run: 345 passed, 0 skipped",
            "test src/lib.rs - (line 3) ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.12s",
            "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 3s",
            "left out: tests of a full disk",
        ] {
            tally.push(line);
        }
        assert_eq!(
            tally.to_string(),
            "In all:\nSummary [   1.234s] 345 tests run: 345 passed, 0 skipped\n\
             left out: tests of a full disk\n\
             test result: FAILED. 5 passed; 4 failed; 1 ignored (2 results of cargo test)\n"
        );
    }
}
