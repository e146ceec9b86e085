//! `cargo xtask peers`, which measures lexer and parser beside other parsers of what models write.

/// Builds the bench and its hundreds of crates, and runs it with the given options.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let mut cargo = crate::cargo();
    cargo.current_dir(crate::root().join(FOLDER));
    // Without `--locked`, because its lock file also has the dependencies of our crates.
    cargo.args(["run", "--release", "--"]).args(args);
    let status = cargo.status().map_err(|why| format!("cargo did not start: {why}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "`{FOLDER}` does not build, or gave up ({status}); its crates come over the network"
    ))
}

const FOLDER: &str = "crates/parser/peers";
