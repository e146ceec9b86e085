//! `cargo xtask recall`, which measures how well and how fast the tool `recall` finds.

/// Runs the measurement, which is a bench of the crate.
pub(crate) fn run() -> Result<(), String> {
    let status =
        crate::cargo().args(["bench", "-q", "-p", "silcrow-recall", "--bench", "recall"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the measurement ended with {status}")),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}
