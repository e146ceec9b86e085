//! `cargo xtask man`, which writes the manual pages of the command.

use std::path::Path;

/// Has the command write its pages into the folder.
pub(crate) fn run(folder: &str) -> Result<(), String> {
    let folder = std::path::absolute(Path::new(folder))
        .map_err(|error| format!("cannot find {folder}: {error}"))?;
    let mut cargo = crate::cargo();
    cargo.args(["run", "--quiet", "--package", "silcrow-cli", "--", "man"]).arg(&folder);
    let status = cargo.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !status.success() {
        return Err("the pages were not written".to_owned());
    }
    println!("the pages are in {}", folder.display());
    Ok(())
}
