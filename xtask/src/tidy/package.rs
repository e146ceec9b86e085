//! The crates of the workspace as `cargo metadata` describes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xtask::process;

/// A crate of the workspace, as cargo and its sources describe it.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The path of the manifest from the root of the workspace.
    pub(crate) manifest_path: String,
    /// The manifest's text.
    pub(crate) manifest: String,
    pub(crate) needs: Vec<Dependency>,
    /// Its features, without `default`.
    pub(crate) features: Vec<String>,
    /// Whether it may be published.
    pub(crate) is_published: bool,
    /// Whether it has a library.
    pub(crate) has_library: bool,
    /// Whether the unit tests of its library run.
    pub(crate) is_tested: bool,
    /// Whether its library has unit tests.
    pub(crate) has_tests: bool,
    /// The names in its code, except the code of tests.
    pub(crate) idents: BTreeSet<String>,
}

/// A dependency.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// The package's name.
    pub(crate) name: String,
    /// The name of the dependency in code.
    pub(crate) ident: String,
    /// Whether it is a crate of the workspace.
    pub(crate) is_ours: bool,
    /// Whether only tests need it.
    pub(crate) is_dev: bool,
}

impl Package {
    /// Reads the crates of the workspace from the output of `cargo metadata`.
    pub(crate) fn read_all(metadata: &Value) -> Result<Vec<Self>, String> {
        let root = metadata["workspace_root"].as_str().ok_or(NOT_METADATA)?;
        let packages = metadata["packages"].as_array().ok_or(NOT_METADATA)?;
        // Only packages from elsewhere have a source.
        packages
            .iter()
            .filter(|package| package["source"].is_null())
            .map(|package| Self::read(package, Path::new(root)).ok_or_else(|| NOT_METADATA.into()))
            .collect()
    }

    fn read(package: &Value, root: &Path) -> Option<Self> {
        let path = Path::new(package["manifest_path"].as_str()?);
        let path = path.strip_prefix(root).unwrap_or(path);
        let features = package["features"].as_object()?.keys();
        let targets = package["targets"].as_array()?;
        let needs = package["dependencies"].as_array()?.iter().map(Dependency::read);
        Some(Self {
            name: package["name"].as_str()?.to_owned(),
            manifest_path: path.to_string_lossy().replace('\\', "/"),
            needs: needs.collect::<Option<_>>()?,
            features: features.filter(|name| *name != "default").cloned().collect(),
            is_published: package["publish"].is_null(),
            has_library: targets.iter().any(|target| target["kind"][0] == "lib"),
            is_tested: targets
                .iter()
                .any(|target| target["kind"][0] == "lib" && target["test"] == true),
            ..Self::default()
        })
    }

    /// Returns its folder.
    pub(crate) fn folder(&self) -> PathBuf {
        xtask::root().join(self.manifest_path.trim_end_matches("Cargo.toml"))
    }

    /// Returns the name of its library.
    pub(crate) fn library_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns whether a file, given by its path from the root, is part of the crate.
    pub(crate) fn holds(&self, file: &str) -> bool {
        let folder = self.manifest_path.trim_end_matches("Cargo.toml");
        !folder.is_empty() && file.starts_with(folder)
    }

    /// Returns the line of the manifest that names a dependency.
    pub(crate) fn line_of(&self, need: &Dependency) -> usize {
        let names = |line: &str| {
            let rest = line.strip_prefix(&*need.name);
            rest.is_some_and(|rest| rest.starts_with([' ', '.', '=']))
        };
        let lines = self.manifest.lines().enumerate().filter(|(_, line)| names(line));
        let found: Vec<_> = lines.collect();
        // The tables for tests follow the others.
        let found = if need.is_dev { found.last() } else { found.first() };
        found.map_or(1, |(index, _)| index + 1)
    }
}

impl Dependency {
    fn read(dependency: &Value) -> Option<Self> {
        let name = dependency["name"].as_str()?;
        Some(Self {
            name: name.to_owned(),
            ident: dependency["rename"].as_str().unwrap_or(name).replace('-', "_"),
            is_ours: dependency["source"].is_null(),
            is_dev: dependency["kind"] == "dev",
        })
    }
}

/// Returns the output of `cargo metadata` for the workspace at `root`.
pub(crate) fn metadata(root: &Path) -> Result<Value, String> {
    let args = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let printed = process::output(xtask::cargo().args(args).current_dir(root))?;
    serde_json::from_str(&printed).map_err(|why| format!("{NOT_METADATA}: {why}"))
}

const NOT_METADATA: &str = "what `cargo metadata` printed is not what it used to print";
