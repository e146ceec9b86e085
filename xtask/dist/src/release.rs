//! A release: a program for one system, and the files that belong to it.

use std::path::PathBuf;

use flate2::Compression;

use crate::platform::Platform;

/// A program and the files that belong to it.
pub(crate) struct Release {
    pub(crate) version: String,
    pub(crate) platform: Platform,
    pub(crate) program: Vec<u8>,
    /// The module of Python that is built beside the program, and the files of its package.
    pub(crate) module: Option<PythonModule>,
    /// The packages for JavaScript that are libraries.
    pub(crate) libraries: Vec<NpmLibrary>,
    pub(crate) description: String,
    pub(crate) repository: String,
    /// The bill of materials, in the JSON of CycloneDX.
    pub(crate) bill: Vec<u8>,
    /// Licences, manual pages and the like, by their paths in an archive.
    pub(crate) files: Vec<ReleaseFile>,
    pub(crate) level: Compression,
}

/// The package of Python.
pub(crate) struct PythonModule {
    pub(crate) bytes: Vec<u8>,
    /// The other files, by their names.
    pub(crate) files: Vec<ReleaseFile>,
    /// The text of its page.
    pub(crate) page: String,
}

/// A package for JavaScript that is a library, as it was built.
pub(crate) struct NpmLibrary {
    pub(crate) name: &'static str,
    /// The files by their names.
    pub(crate) files: Vec<(String, PathBuf)>,
}

/// A file beside the program.
pub(crate) struct ReleaseFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl Release {
    /// Returns the files of a folder, such as `man/`.
    pub(crate) fn files_in<'a>(
        &'a self,
        folder: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.files
            .iter()
            .filter_map(move |file| Some((file.path.strip_prefix(folder)?, &*file.bytes)))
    }

    /// Returns the licences: ours, and the licences of all linked crates.
    pub(crate) fn licenses(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let is_license = |path: &str| path.starts_with("LICENSE-") || path == THIRD_PARTY;
        self.files_in("").filter(move |(path, _)| is_license(path))
    }
}

/// The file with the licences of the crates that are linked.
pub(crate) const THIRD_PARTY: &str = "THIRD-PARTY.txt";
