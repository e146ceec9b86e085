//! Other processes: this test binary again, at one of its ignored tests.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the command that runs `test` of this binary alone on the store in `dir`.
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

/// Returns the folder of the store, in the other process.
pub(crate) fn store() -> PathBuf {
    std::env::var_os(STORE).expect("this is run by another test, in a process of its own").into()
}

/// Writes a line to the test that started this process, at once.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Returns what [`say`] said, if this line of the output is from it.
pub(crate) fn said(line: &str) -> Option<&str> {
    // The test harness writes the test's name before the first one.
    line.split_once(MARK).map(|(_, said)| said)
}

const STORE: &str = "SILCROW_TEST_STORE";
const MARK: &str = "@ ";
