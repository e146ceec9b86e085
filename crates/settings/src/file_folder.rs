//! What the relative paths of a file begin with.

use std::path::Path;

use silcrow_environment::Environment;

/// Where a file is whose paths are read.
#[derive(Clone, Copy)]
pub(crate) struct FileFolder<'a> {
    /// The folder of the file.
    pub(crate) folder: &'a Path,
    /// What knows the home folder.
    pub(crate) environment: &'a Environment,
}
