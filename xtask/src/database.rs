//! `cargo xtask database`, which measures appends to PostgreSQL beside the bare statement.

/// Runs the measurement, which is a bench of the crate.
pub(crate) fn run() -> Result<(), String> {
    let bench = ["bench", "-q", "-p", "silcrow-store-postgres", "--bench", "append"];
    match crate::cargo().args(bench).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the measurement ended with {status}")),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}
