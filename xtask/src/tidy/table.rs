//! The crate table of `docs/architecture.md`.
//!
//! This module reads the columns, and computes the levels of the crates.

use super::Finding;

/// The page that has the table.
pub(crate) const FILE: &str = "docs/architecture.md";

/// The crates of the table, and the arrows between them.
#[derive(Debug, Default)]
pub(crate) struct CrateTable {
    pub(crate) rows: Vec<CrateRow>,
}

/// A row of the table, which describes a crate.
#[derive(Debug)]
pub(crate) struct CrateRow {
    pub(crate) name: String,
    pub(crate) group: CrateGroup,
    /// The crates of the workspace that it may depend on.
    pub(crate) uses: Vec<String>,
    /// The crates from elsewhere that it may depend on, besides those that its group may use
    /// anyway.
    pub(crate) external: Vec<String>,
    /// The line of the row, from 1.
    pub(crate) line: usize,
}

/// The group of a crate, which decides its permitted dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrateGroup {
    /// Crates without a runtime, I/O or a clock.
    Pure,
    /// Crates with sockets, disks, processes or terminals.
    Edge,
    /// Crates on which only tests depend.
    Tests,
}

impl CrateTable {
    /// Reads the rows of the tables under the headings of the groups.
    pub(crate) fn parse(text: &str, findings: &mut Vec<Finding>) -> Self {
        let mut table = Self::default();
        let mut heading = "";
        let mut group = None;
        for (index, line) in text.lines().enumerate() {
            let mut find = |what| findings.push(finding(index + 1, what));
            if line.starts_with('#') {
                heading = line.trim_start_matches(['#', ' ']);
                group = None;
            } else if line == HEAD {
                group = GROUPS.iter().find(|(name, _)| *name == heading).map(|(_, group)| *group);
                if group.is_none() {
                    let all: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
                    find(format!("a crate table stands under one of: {}", all.join(", ")));
                }
            } else if let (Some(group), Some(cells)) = (group, line.strip_prefix('|')) {
                if cells.starts_with("---") {
                    continue;
                }
                match CrateRow::parse(cells, group, index + 1) {
                    Ok(row) if table.row(&row.name).is_some() => {
                        find(format!("`{}` has a row already; join the two", row.name));
                    }
                    Ok(row) => table.rows.push(row),
                    Err(what) => find(what),
                }
            } else {
                group = None;
            }
        }
        if table.rows.is_empty() {
            findings.push(finding(1, format!("there is no crate table; it begins `{HEAD}`")));
        }
        table
    }

    pub(crate) fn row(&self, name: &str) -> Option<&CrateRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Returns the number of arrows on the longest way down from a crate, or `None` if there is a
    /// circle.
    pub(crate) fn level(&self, name: &str) -> Option<usize> {
        self.descend(name, self.rows.len())
    }

    fn descend(&self, name: &str, steps: usize) -> Option<usize> {
        let steps = steps.checked_sub(1)?;
        let Some(row) = self.row(name) else { return Some(0) };
        let below = row.uses.iter().map(|used| self.descend(used, steps));
        below.map(|level| Some(level? + 1)).try_fold(0, |most, level| Some(most.max(level?)))
    }
}

impl CrateRow {
    fn parse(cells: &str, group: CrateGroup, line: usize) -> Result<Self, String> {
        let cells: Vec<_> = cells.trim_end().trim_end_matches('|').split('|').collect();
        let [name, what, uses, external] = cells.as_slice() else {
            return Err(format!("a row has 4 cells, this one {}", cells.len()));
        };
        let name = name
            .trim()
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'))
            .ok_or("a row begins with the crate's name in backticks")?;
        if what.trim().is_empty() {
            return Err(format!("say in one line what `{name}` is"));
        }
        Ok(Self {
            name: name.to_owned(),
            group,
            uses: names(uses).map(|name| format!("{PREFIX}{name}")).collect(),
            external: names(external).map(str::to_owned).collect(),
            line,
        })
    }
}

/// Returns the names in a cell; a dash stands for an empty list.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(',')
        .map(|name| name.trim().trim_matches('`'))
        .filter(|name| !matches!(*name, "" | "–"))
}

pub(crate) fn finding(line: usize, what: String) -> Finding {
    Finding { file: FILE.to_owned(), line, what }
}

/// The prefix of every crate's name, which the column of arrows leaves out.
pub(crate) const PREFIX: &str = "silcrow-";

const HEAD: &str = "| crate | one line | may depend on | external |";

const GROUPS: &[(&str, CrateGroup)] = &[
    ("Pure crates", CrateGroup::Pure),
    ("Edge crates", CrateGroup::Edge),
    ("For tests only", CrateGroup::Tests),
];
