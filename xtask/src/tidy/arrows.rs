//! The comparison of the crate table with the manifests.
//!
//! This module decides which dependencies a row allows. It does not read files.

use super::Finding;
use super::package::{Dependency, Package};
use super::table::{CrateGroup, CrateRow, CrateTable, FILE, PREFIX, finding};

/// Compares the table with the crates, in both directions.
pub(crate) fn check(table: &CrateTable, packages: &[Package], findings: &mut Vec<Finding>) {
    for row in &table.rows {
        check_row(row, table, findings);
        if packages.iter().all(|package| package.name != row.name) {
            let what = format!("there is no crate `{}`; drop its row", row.name);
            findings.push(finding(row.line, what));
        }
    }
    for package in packages {
        match table.row(&package.name) {
            Some(row) => check_package(package, row, table, findings),
            None => {
                let what = format!("`{}` has no row in {FILE}; add one", package.name);
                findings.push(Finding { file: package.manifest_path.clone(), line: 1, what });
            }
        }
    }
}

/// Checks a row against the table: arrows point down, and pure crates depend on pure ones.
fn check_row(row: &CrateRow, table: &CrateTable, findings: &mut Vec<Finding>) {
    let name = &row.name;
    let mut find = |what| findings.push(finding(row.line, what));
    for used in &row.uses {
        match table.row(used) {
            None => find(format!("`{name}` names `{used}`, which has no row")),
            Some(_) if table.level(used).is_none() => {
                find(format!("the arrow from `{name}` to `{used}` leads in a circle"));
            }
            Some(used) => match (row.group, used.group) {
                (CrateGroup::Pure, CrateGroup::Edge) => find(format!(
                    "`{name}` is pure and `{}` is not; move what they share down",
                    used.name
                )),
                (CrateGroup::Pure | CrateGroup::Edge, CrateGroup::Tests) => find(format!(
                    "`{}` is for tests only; `{name}` may have it among its dev-dependencies",
                    used.name
                )),
                _ => {}
            },
        }
    }
}

/// Checks a crate against its row.
fn check_package(
    package: &Package,
    row: &CrateRow,
    table: &CrateTable,
    findings: &mut Vec<Finding>,
) {
    let name = &package.name;
    for need in &package.needs {
        if let Some(what) = refuse(package, need, row, table) {
            let file = package.manifest_path.clone();
            findings.push(Finding { file, line: package.line_of(need), what });
        }
    }
    let has = |listed: &str| package.needs.iter().any(|need| !need.is_dev && need.name == listed);
    for listed in row.uses.iter().chain(&row.external).filter(|listed| !has(listed)) {
        let what = format!("`{name}` does not depend on `{listed}`; take it out of the row");
        findings.push(finding(row.line, what));
    }
}

/// Reports why a dependency is not allowed, with the next step.
fn refuse(
    package: &Package,
    need: &Dependency,
    row: &CrateRow,
    table: &CrateTable,
) -> Option<String> {
    let (name, needed) = (&package.name, &need.name);
    if need.is_dev {
        return (need.is_ours && !may_test_with(name, needed, table)).then(|| {
            format!("the dev-dependency of `{name}` on `{needed}` points up; test it from there")
        });
    }
    let listed = if need.is_ours { &row.uses } else { &row.external };
    if !listed.contains(needed) && !is_free(needed, row) {
        let column = needed.trim_start_matches(PREFIX);
        return Some(format!(
            "`{name}` depends on `{needed}`, which its row in {FILE} (line {}) does not list; \
             drop it, or decide for it by writing `{column}` there",
            row.line
        ));
    }
    (!package.idents.contains(&need.ident))
        .then(|| format!("no code of `{name}` uses `{needed}`; take it out of the manifest"))
}

/// Returns whether tests of a crate may use another: one on no higher level, or one for tests.
fn may_test_with(name: &str, needed: &str, table: &CrateTable) -> bool {
    table.row(needed).is_some_and(|row| row.group == CrateGroup::Tests)
        || table.level(needed) <= table.level(name)
}

/// Returns whether the group of a crate may depend on this without a mention in the table.
fn is_free(needed: &str, row: &CrateRow) -> bool {
    const PURE: &[&str] = &["serde_json", "smallvec"];
    const EDGE: &[&str] = &["futures-util", "serde", "serde_json", "tokio"];
    match row.group {
        // The lexer has no allocator.
        CrateGroup::Pure => row.name != "silcrow-lex" && PURE.contains(&needed),
        CrateGroup::Edge => EDGE.contains(&needed),
        CrateGroup::Tests => PURE.contains(&needed) || EDGE.contains(&needed),
    }
}
