//! The committed table, which the rows of a later run are compared with.
//!
//! This module reads and writes the file, and limits how far a row may exceed it. It measures
//! nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{MeasureUnit, MeasuredRow};

/// The percentage by which a row may exceed the table.
pub(crate) const TOLERANCE: f64 = 5.0;

/// The number of branches for each chunk by which a row may exceed the table.
const MISSED_TOLERANCE: f64 = 0.05;

/// The file, from the root of the repository.
pub(crate) const FILE: &str = "xtask/lab/measures.txt";

/// The rows of an earlier run.
#[derive(Debug, Default)]
pub(crate) struct MeasureTable {
    /// When the rows were measured last, and at which commit.
    when: String,
    /// The kind of processor and the compiler.
    machine: String,
    /// By the name of the row.
    rows: BTreeMap<String, MeasuredRow>,
}

impl MeasureTable {
    /// Reads the table of the workspace.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        Self::parse(&read(&root.join(FILE))?)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let head = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::to_owned).unwrap_or_default()
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let rows = lines.map(|line| row(line).ok_or_else(|| format!("{FILE}: `{line}` is no row")));
        let rows = rows.map(|row| row.map(|row| (row.name.clone(), row)));
        let (when, machine) = (head(WHEN), head(MACHINE));
        Ok(Self { when, machine, rows: rows.collect::<Result<_, _>>()? })
    }

    /// Returns whether the rows are of this kind of machine.
    pub(crate) fn is_of(&self, machine: &str) -> bool {
        self.machine == machine
    }

    /// Returns the percentage by which a row exceeds the table.
    pub(crate) fn change(&self, row: &MeasuredRow) -> Option<f64> {
        let before = self.rows.get(&row.name)?;
        Some((row.value / before.value - 1.0) * 100.0)
    }

    pub(crate) fn is_exceeded_by(&self, row: &MeasuredRow) -> bool {
        let most = |before: f64| before * (1.0 + TOLERANCE / 100.0);
        row.unit.is_count()
            && self.rows.get(&row.name).is_some_and(|before| {
                let missed = row.missed.zip(before.missed);
                row.value > most(before.value)
                    || missed.is_some_and(|(now, old)| now > most(old) + MISSED_TOLERANCE)
            })
    }

    /// Replaces the rows of the sources that were measured, and keeps the others.
    pub(crate) fn take(&mut self, rows: &[MeasuredRow], machine: &str, when: &str) {
        let source = |name: &str| name.split(',').next().unwrap_or_default().to_owned();
        self.rows.retain(|old, _| !rows.iter().any(|row| source(&row.name) == source(old)));
        self.rows.extend(rows.iter().map(|row| (row.name.clone(), row.clone())));
        (self.machine, self.when) = (machine.to_owned(), when.to_owned());
    }

    pub(crate) fn write(&self, root: &Path) -> Result<(), String> {
        fs::write(root.join(FILE), self.text()).map_err(|why| format!("{FILE}: {why}"))
    }

    /// Writes one line for each row, sorted, so that a changed row changes one line.
    pub(crate) fn text(&self) -> String {
        let rows = self.rows.values().map(|row| format!("{}\n", row.to_string().trim_end()));
        let Self { when, machine, .. } = self;
        let rows: String = rows.collect();
        format!(
            "# `cargo lab measure --save` writes this table.\n{WHEN}{when}\n{MACHINE}{machine}\n{rows}"
        )
    }
}

fn row(line: &str) -> Option<MeasuredRow> {
    let (rest, missed) = line.rsplit_once(' ')?;
    let (rest, unit) = rest.trim_end().rsplit_once(' ')?;
    let (name, value) = rest.trim_end().rsplit_once(' ')?;
    let unit = MeasureUnit::ALL.into_iter().find(|one| one.as_str() == unit)?;
    let missed = if missed == "-" { None } else { Some(missed.parse().ok()?) };
    Some(MeasuredRow { missed, ..MeasuredRow::new(name.trim_end(), value.parse().ok()?, unit) })
}

/// Returns the kind of processor and the compiler, on which counts of instructions depend.
pub(crate) fn machine(root: &Path) -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = said(Command::new(rustc).arg("--version").current_dir(root))?;
    let version = version.split_whitespace().nth(1).unwrap_or_default();
    kind(&read(Path::new("/proc/cpuinfo"))?, version)
}

/// Returns the name of a kind of processor with a compiler.
pub(crate) fn kind(cpu: &str, compiler: &str) -> Result<String, String> {
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_lowercase())
    };
    let fields = |names: &[&str]| names.iter().map(|name| field(name)).collect::<Option<Vec<_>>>();
    let kind = fields(&["vendor_id", "cpu family", "model"])
        .or_else(|| fields(&["CPU implementer", "CPU part"]))
        .ok_or("/proc/cpuinfo does not say what kind of processor this is")?;
    Ok(format!("{} with rustc {compiler}", kind.join("-")))
}

/// Returns the day, and the commit that the workspace is at.
pub(crate) fn date_and_commit(root: &Path) -> Result<String, String> {
    let day = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let commit =
        said(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root))?;
    Ok(format!("{day} after commit {commit}"))
}

fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|why| format!("{command:?} did not start: {why}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}

const WHEN: &str = "# measured on ";

const MACHINE: &str = "# on ";
