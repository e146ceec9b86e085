//! The advisories about the crates of the lock file, one on each line.
//!
//! This module knows two forms of an advisory: a line of JSON in the list, and a file of the database.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};
use toml::Table;

/// The advisories of a day.
#[derive(Debug, PartialEq)]
pub(super) struct AdvisoryList {
    /// The date of the last change of the database.
    pub(super) date: String,
    /// The names of the crates that were looked for.
    crates: Vec<String>,
    /// The advisories as objects: the fields of `advisory` in the database that are needed here,
    /// `patched`, `unaffected` and `title`.
    pub(super) advisories: Vec<Map<String, Value>>,
}

impl AdvisoryList {
    /// Reads the list.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut objects = text.lines().enumerate().map(|(index, line)| {
            serde_json::from_str::<Map<String, Value>>(line)
                .map_err(|why| format!("{}: {why}", index + 1))
        });
        let head = objects.next().ok_or("1: the date is missing")??;
        let date = head.get("date").and_then(Value::as_str).ok_or("1: the date is missing")?;
        let crates = head.get("crates").and_then(Value::as_str).ok_or("1: `crates` is missing")?;
        let crates = crates.split_whitespace().map(str::to_owned).collect();
        Ok(Self { date: date.to_owned(), crates, advisories: objects.collect::<Result<_, _>>()? })
    }

    /// Reads the advisories about some crates from a clone of the database.
    pub(super) fn read_database(clone: &Path, crates: Vec<String>) -> Result<Self, String> {
        let mut advisories = Vec::new();
        for name in &crates {
            let folder = clone.join("crates").join(name);
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut files: Vec<_> = files.map(|entry| entry.path()).collect();
            files.sort();
            for file in files {
                let at = |why: &dyn fmt::Display| format!("{}: {why}", file.display());
                let text = fs::read_to_string(&file).map_err(|why| at(&why))?;
                advisories.extend(from_file(&text).map_err(|why| at(&why))?);
            }
        }
        Ok(Self { date: date(clone)?, crates, advisories })
    }

    /// Returns the names that were not looked for when the list was made.
    pub(super) fn unknown<'n>(&self, names: &'n [String]) -> Vec<&'n str> {
        let new = names.iter().filter(|name| !self.crates.contains(name));
        new.map(String::as_str).collect()
    }

    /// Writes the advisories as a database.
    pub(super) fn write_database(&self, folder: &Path) -> Result<(), String> {
        let crates = folder.join("crates");
        fs::create_dir_all(&crates).map_err(|why| format!("{}: {why}", crates.display()))?;
        for advisory in &self.advisories {
            let text = |name: &str| advisory.get(name).and_then(Value::as_str).unwrap_or_default();
            let folder = crates.join(text("package"));
            let file = folder.join(format!("{}.md", text("id")));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&file, to_file(advisory)))
                .map_err(|why| format!("{}: {why}", file.display()))?;
        }
        Ok(())
    }
}

impl fmt::Display for AdvisoryList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", json!({ "date": self.date, "crates": self.crates.join(" ") }))?;
        self.advisories.iter().try_for_each(|one| writeln!(f, "{}", Value::Object(one.clone())))
    }
}

/// Reads a file of the database. Returns `None` for an advisory that was withdrawn.
fn from_file(text: &str) -> Result<Option<Map<String, Value>>, String> {
    let (_, rest) = text.split_once("```toml").ok_or("the block of TOML is missing")?;
    let (front, body) = rest.split_once("```").ok_or("the block of TOML does not end")?;
    let front: Table = front.parse().map_err(|why| format!("{why}"))?;
    let table = |name: &str| front.get(name).and_then(toml::Value::as_table);
    let advisory = table("advisory").ok_or("`advisory` is missing")?;
    if advisory.contains_key("withdrawn") {
        return Ok(None);
    }
    let mut kept = Map::new();
    for name in FIELDS {
        if let Some(value) = advisory.get(name).and_then(toml::Value::as_str) {
            kept.insert(name.to_owned(), value.into());
        }
    }
    for name in VERSIONS {
        let versions = table("versions").and_then(|versions| versions.get(name)?.as_array());
        let versions: Vec<_> =
            versions.into_iter().flatten().filter_map(toml::Value::as_str).collect();
        kept.insert(name.to_owned(), versions.into());
    }
    let title = body.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    kept.insert("title".to_owned(), title.trim().into());
    Ok(Some(kept))
}

/// Returns an advisory as a file of the database.
fn to_file(advisory: &Map<String, Value>) -> String {
    let value = |name: &str| advisory.get(name).unwrap_or(&Value::Null);
    // Strings and lists of strings are the same in JSON and in TOML.
    let fields = FIELDS.iter().filter(|name| advisory.contains_key(**name));
    let fields: String = fields.map(|name| format!("{name} = {}\n", value(name))).collect();
    let versions: String =
        VERSIONS.iter().map(|name| format!("{name} = {}\n", value(name))).collect();
    let title = value("title").as_str().unwrap_or_default();
    format!(
        "```toml\n[advisory]\n{fields}\n[versions]\n{versions}```\n\n# {title}\n\nSee the URL.\n"
    )
}

/// Returns the day of the last commit of a clone.
fn date(clone: &Path) -> Result<String, String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(clone).args(["log", "-1", "--format=%cs"]);
    let shown = git.output().map_err(|why| format!("git does not start: {why}"))?;
    let date = String::from_utf8_lossy(&shown.stdout).trim().to_owned();
    if date.is_empty() {
        return Err(format!("{} is not a clone with a commit", clone.display()));
    }
    Ok(date)
}

/// The fields of `advisory` that are kept.
const FIELDS: [&str; 5] = ["id", "package", "date", "informational", "url"];

/// The fields of `versions`.
const VERSIONS: [&str; 2] = ["patched", "unaffected"];
