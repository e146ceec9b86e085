//! `cargo xtask man`, which writes the manual pages of the command.

use std::path::Path;

use crate::{disk, process};

/// Has the command write its pages into the folder.
pub(crate) fn run(folder: &Path) -> Result<(), String> {
    let folder = std::path::absolute(folder).map_err(|why| disk::at(folder, &why))?;
    let mut cargo = crate::cargo();
    cargo.args(["run", "--quiet", "--package", "silcrow-cli", "--", "man"]).arg(&folder);
    process::succeed(&mut cargo, "the pages were not written")?;
    println!("the pages are in {}", folder.display());
    Ok(())
}
