//! Baselines of counts, one for each kind of processor and compiler.
//!
//! This module knows the files in `xtask/counts` and how far a row may exceed them. It does not
//! count.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::RowCount;

/// The percentage by which a row may exceed its baseline.
pub(crate) const TOLERANCE: f64 = 2.0;

/// The number of branches for each chunk by which a row may exceed its baseline.
pub(crate) const MISSED_TOLERANCE: f64 = 0.05;

/// The counts of an earlier run on the same kind of processor and with the same compiler.
#[derive(Debug)]
pub(crate) struct Baseline {
    path: PathBuf,
    key: String,
    /// By the name of the row.
    rows: BTreeMap<String, RowCount>,
}

impl Baseline {
    /// Reads the baseline for this machine, which is empty if none is checked in.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let key = key(&read(Path::new("/proc/cpuinfo"))?, &compiler(root)?)?;
        let path = root.join(FOLDER).join(format!("{key}.txt"));
        let text = if path.exists() { read(&path)? } else { String::new() };
        Self::parse(path, key, &text)
    }

    pub(crate) fn parse(path: PathBuf, key: String, text: &str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let row = |line: &str| {
            let (rest, missed) = line.rsplit_once(' ')?;
            let (rest, a_byte) = rest.trim_end().rsplit_once(' ')?;
            let (name, a_chunk) = rest.trim_end().rsplit_once(' ')?;
            let name = name.trim_end().to_owned();
            let (a_chunk, a_byte) = (a_chunk.parse().ok()?, a_byte.parse().ok()?);
            Some((name.clone(), RowCount { name, a_chunk, a_byte, missed: missed.parse().ok()? }))
        };
        let failed = |line: &str| format!("{}: `{line}` is no row", path.display());
        let rows = lines.map(|line| row(line).ok_or_else(|| failed(line)));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Self { path, key, rows })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the percentage by which the instructions for a chunk exceed the baseline.
    pub(crate) fn change(&self, row: &RowCount) -> Option<f64> {
        let before = self.rows.get(&row.name)?;
        Some((row.a_chunk / before.a_chunk - 1.0) * 100.0)
    }

    pub(crate) fn is_exceeded_by(&self, row: &RowCount) -> bool {
        self.rows.get(&row.name).is_some_and(|before| {
            row.a_chunk > before.a_chunk * (1.0 + TOLERANCE / 100.0)
                || row.missed > before.missed * (1.0 + TOLERANCE / 100.0) + MISSED_TOLERANCE
        })
    }

    /// Replaces the rows that were counted and keeps the others.
    pub(crate) fn take(&mut self, rows: &[RowCount]) {
        let bench = |name: &str| name.split(',').next().unwrap_or_default().to_owned();
        self.rows.retain(|old, _| !rows.iter().any(|row| bench(&row.name) == bench(old)));
        self.rows.extend(rows.iter().map(|row| (row.name.clone(), row.clone())));
    }

    pub(crate) fn write(&self) -> Result<(), String> {
        let failed = |why| format!("{}: {why}", self.path.display());
        let folder = self.path.parent().expect("it lies in a folder");
        fs::create_dir_all(folder).and_then(|()| fs::write(&self.path, self.text())).map_err(failed)
    }

    /// Writes one line for each row, sorted, so that a changed row changes one line.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for row in self.rows.values() {
            writeln!(text, "{row}").expect("a string has room");
        }
        text
    }
}

/// Returns the name of the file for a kind of processor and a compiler.
pub(crate) fn key(cpu: &str, compiler: &str) -> Result<String, String> {
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_lowercase())
    };
    let fields = |names: &[&str]| names.iter().map(|name| field(name)).collect::<Option<Vec<_>>>();
    let kind = fields(&["vendor_id", "cpu family", "model"])
        .or_else(|| fields(&["CPU implementer", "CPU part"]))
        .ok_or("/proc/cpuinfo does not say what kind of processor this is")?;
    Ok(format!("{}-rustc-{compiler}", kind.join("-")))
}

/// Returns the version of the compiler that builds the workspace.
fn compiler(root: &Path) -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").current_dir(root).output();
    let output = output.map_err(|why| format!("rustc did not start: {why}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = said.split_whitespace().nth(1).map(str::to_owned);
    version.ok_or_else(|| format!("`rustc --version` says `{said}`"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}

const FOLDER: &str = "xtask/counts";

const HEAD: &str = "\
# Instructions a chunk and a byte, and mispredicted branches a chunk: `cargo xtask count --save`.";
