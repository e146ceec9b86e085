//! The crates that are linked into the program and the module of Python, with their licences, from
//! cargo's metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use xtask::{disk, process};

/// The crates of a program for one platform.
pub(crate) struct Components {
    /// The entry of `cargo metadata` for each, in the order of their names.
    packages: Vec<Value>,
    /// The ids of the crates that each id needs.
    needs: BTreeMap<String, Vec<String>>,
    /// The hashes of the lock file, by name and version.
    hashes: BTreeMap<(String, String), String>,
}

impl Components {
    /// Reads the dependencies of the command on a platform, without those that only tests need.
    ///
    /// # Errors
    ///
    /// Returns an error if cargo's metadata cannot be read.
    pub(crate) fn read(triple: &str) -> Result<Self, String> {
        let mut cargo = xtask::cargo();
        cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", triple]);
        let metadata = serde_json::from_str(&process::output(&mut cargo)?);
        let metadata: Value = metadata.map_err(|why| format!("`cargo metadata`: {why}"))?;
        Ok(Self::from_metadata(&metadata, &disk::read_text(&xtask::root().join("Cargo.lock"))?))
    }

    /// Returns the components that metadata and a lock file describe.
    pub(crate) fn from_metadata(metadata: &Value, lock: &str) -> Self {
        let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
        let all: BTreeMap<_, _> = nodes.map(|node| (text(&node["id"]), linked(node))).collect();
        // The wheel has the module of Python, too.
        let is_root = |one: &&Value| one["name"] == COMMAND || one["name"] == MODULE;
        let mut waiting: Vec<String> =
            packages.iter().filter(is_root).map(|one| text(&one["id"])).collect();
        let mut needs = BTreeMap::new();
        while let Some(id) = waiting.pop() {
            if needs.contains_key(&id) {
                continue;
            }
            let below = all.get(&id).cloned().unwrap_or_default();
            waiting.extend(below.iter().cloned());
            needs.insert(id, below);
        }
        let linked = packages.iter().filter(|one| needs.contains_key(&text(&one["id"])));
        let mut packages: Vec<_> = linked.cloned().collect();
        packages.sort_by_key(|one| (text(&one["name"]), text(&one["version"])));
        Self { packages, needs, hashes: hashes(lock) }
    }

    /// Returns cargo's metadata of the command.
    pub(crate) fn command(&self) -> &Value {
        self.packages.iter().find(|one| one["name"] == COMMAND).unwrap_or(&Value::Null)
    }

    /// Returns the bill of materials, in the JSON of CycloneDX 1.5.
    pub(crate) fn bill(&self) -> String {
        let names: BTreeMap<_, _> =
            self.packages.iter().map(|one| (text(&one["id"]), purl(one))).collect();
        let others = self.packages.iter().filter(|one| one["name"] != COMMAND);
        let components: Vec<_> = others.map(|one| self.component(one, "library")).collect();
        let dependencies = self.needs.iter().filter_map(|(id, below)| {
            let below: BTreeSet<_> = below.iter().filter_map(|id| names.get(id)).collect();
            Some(json!({"ref": names.get(id)?, "dependsOn": below}))
        });
        let bill = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {"component": self.component(self.command(), "application")},
            "components": components,
            "dependencies": dependencies.collect::<Vec<_>>(),
        });
        format!("{bill:#}\n")
    }

    fn component(&self, package: &Value, kind: &str) -> Value {
        let key = (text(&package["name"]), text(&package["version"]));
        let mut component = json!({
            "type": kind,
            "bom-ref": purl(package),
            "name": key.0,
            "version": key.1,
            "purl": purl(package),
        });
        if let Some(license) = package["license"].as_str() {
            // An old spelling of `OR`.
            let license = license.replace('/', " OR ");
            component["licenses"] = json!([{"expression": license}]);
        }
        if let Some(hash) = self.hashes.get(&key) {
            component["hashes"] = json!([{"alg": "SHA-256", "content": hash}]);
        }
        if let Some(url) = package["repository"].as_str() {
            component["externalReferences"] = json!([{"type": "vcs", "url": url}]);
        }
        component
    }

    /// Returns the licences of the crates from elsewhere, each text once with the crates that it
    /// belongs to.
    pub(crate) fn license_texts(&self) -> String {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut all = "The program contains these crates, under these licences:\n\n".to_owned();
        let elsewhere = self.packages.iter().filter(|package| !package["source"].is_null());
        for package in elsewhere {
            let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
            let license = package["license"].as_str().unwrap_or("see its text");
            let files = license_files(Path::new(&text(&package["manifest_path"])));
            let note = if files.is_empty() { " (its package has no text)" } else { "" };
            writeln!(all, "  {name}: {license}{note}").expect("memory can be written");
            for file in files {
                texts.entry(file).or_default().insert(name.clone());
            }
        }
        for (license, crates) in texts {
            let crates: Vec<_> = crates.into_iter().collect();
            write!(all, "\n{RULE}\n{}\n{RULE}\n\n{license}\n", crates.join(", "))
                .expect("memory can be written");
        }
        all
    }
}

/// Returns the ids of the crates that a node of the graph links or builds with.
fn linked(node: &Value) -> Vec<String> {
    let is_linked = |need: &&Value| {
        let mut kinds = need["dep_kinds"].as_array().into_iter().flatten();
        kinds.any(|kind| kind["kind"] != "dev")
    };
    let needs = node["deps"].as_array().into_iter().flatten();
    needs.filter(is_linked).map(|need| text(&need["pkg"])).collect()
}

/// Returns the address of a crate, as bills of materials write it.
fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

/// Returns the texts of the licences beside a manifest, in the order of their files.
fn license_files(manifest: &Path) -> Vec<String> {
    let beside = manifest.parent().and_then(|folder| disk::files(folder).ok()).unwrap_or_default();
    let is_license = |name: &str| {
        let name = name.to_uppercase();
        BEGINNINGS.iter().any(|begin| name.starts_with(begin))
    };
    let licenses = beside.iter().filter(|(name, _)| is_license(name));
    let texts = licenses.filter_map(|(_, path)| disk::read_text(path).ok());
    texts.map(|text| text.replace("\r\n", "\n").trim().to_owned()).collect()
}

/// Returns the hashes that a lock file has, by name and version.
fn hashes(lock: &str) -> BTreeMap<(String, String), String> {
    let of = |package: &str, field: &str| {
        let begin = format!("{field} = \"");
        let line = package.lines().find_map(|line| line.strip_prefix(&*begin))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]");
    let read = packages
        .filter_map(|one| Some(((of(one, "name")?, of(one, "version")?), of(one, "checksum")?)));
    read.collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The package whose program is packed.
const COMMAND: &str = "silcrow-cli";

/// The package of the module of Python.
const MODULE: &str = "silcrow-python";

/// The beginnings of the names of files with licences.
const BEGINNINGS: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

const RULE: &str =
    "--------------------------------------------------------------------------------";
