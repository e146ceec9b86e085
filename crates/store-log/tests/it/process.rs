//! Other processes: this test binary again, at one of its ignored tests.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// This binary, to run `test` alone on the store in `dir`.
pub(crate) fn command(test: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(STORE, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// In the other process: the place of the store.
pub(crate) fn store() -> PathBuf {
    std::env::var_os(STORE).expect("this is run by another test, in a process of its own").into()
}

/// In the other process: one line to the test that started it, in one write.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Describes the attempts of a campaign, for the table of `cargo lab campaign`.
pub(crate) fn say_tried(what: &str) {
    say(&format!("tried {what}"));
}

/// The text that [`say`] printed, if this line of the output contains it; a line cut off by a kill
/// does not.
pub(crate) fn said(line: &str) -> Option<&str> {
    // The test harness writes the test's name before the first one.
    line.split_once(MARK).map(|(_, said)| said)
}

const STORE: &str = "SILCROW_TEST_STORE";
const MARK: &str = "@ ";

/// In both: the number of repetitions of a campaign, or another of its numbers: the variable
/// `name`, or `usual`.
pub(crate) fn rounds(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |rounds| rounds.parse().unwrap())
}
