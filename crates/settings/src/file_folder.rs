//! The base of a file's relative paths.

use std::path::Path;

use silcrow_environment::Environment;

/// The place of a file whose paths are read.
#[derive(Clone, Copy)]
pub(crate) struct FileFolder<'a> {
    /// The folder of the file.
    pub(crate) folder: &'a Path,
    /// Finds the home folder.
    pub(crate) environment: &'a Environment,
}
