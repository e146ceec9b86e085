//! The tests of the public interface.

mod choices;
mod runs;
mod services;
mod thinking;
mod wrong;

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_manifest::{DeclaredManifest, Error, KnownTools};
use silcrow_parser::Dialect;
use silcrow_tool::Toolbox;

/// Writes a manifest to a folder.
fn written(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("silcrow.toml");
    fs::write(&file, text).unwrap();
    file
}

/// Reads a manifest of a program without tools.
fn read(file: &Path, dialect: Dialect) -> Result<DeclaredManifest, Error> {
    DeclaredManifest::read(file, dialect, &KnownTools::new(&Toolbox::new()))
}
