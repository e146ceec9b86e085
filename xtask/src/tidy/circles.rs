//! Circles between the modules of a folder.
//!
//! A circle is a set of modules in which each uses every other, directly or indirectly; everything
//! within a module counts as the module. So none of them can be read, tested or moved alone. It
//! does not read files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;
use super::modules::FolderUses;

/// Reports each unknown circle, and each known one that no longer exists. `known` is the text of
/// [`FILE`].
pub(crate) fn check(
    folders: &BTreeMap<String, FolderUses>,
    known: &str,
    findings: &mut Vec<Finding>,
) {
    let known = known.lines().enumerate().filter(|(_, line)| line.starts_with("crates/"));
    let mut gone: Vec<(usize, &str)> = known.collect();
    for (folder, uses) in folders {
        for circle in circles(uses) {
            let modules = circle.join(", ");
            let known = gone.len();
            gone.retain(|(_, line)| *line != format!("{folder}: {modules}"));
            if gone.len() == known {
                let what = format!(
                    "these modules use each other in a circle: {modules}; for example {}; move what \
                     they share into a module below them, or list the circle with a reason in `{FILE}`",
                    example(uses, &circle)
                );
                findings.push(Finding { file: folder.clone(), line: 1, what });
            }
        }
    }
    for (index, line) in gone {
        let (folder, modules) = line.split_once(": ").unwrap_or((line, ""));
        let what = format!("the circle of {modules} in {folder} is gone; take it off the list");
        findings.push(Finding { file: FILE.to_owned(), line: index + 1, what });
    }
}

/// Returns the strongly connected components with more than one module.
fn circles(uses: &FolderUses) -> Vec<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|module| (&**module, reach(uses, module))).collect();
    let mut circles: Vec<Vec<&str>> = Vec::new();
    for (module, from) in &reached {
        if circles.iter().any(|circle| circle.contains(module)) {
            continue;
        }
        let back = |other: &&&str| reached.get(*other).is_some_and(|from| from.contains(module));
        let circle: Vec<&str> = from.iter().filter(back).copied().collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles
}

/// Returns the modules that one uses directly or indirectly.
fn reach<'a>(uses: &'a FolderUses, module: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        for used in uses.get(next).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(&**used) {
                open.push(used);
            }
        }
    }
    reached
}

/// Returns the files of a shortest way around, from the first module of a circle to itself.
fn example(uses: &FolderUses, circle: &[&str]) -> String {
    let Some(&start) = circle.first() else { return String::new() };
    let mut ways = VecDeque::from([(start, Vec::new())]);
    let mut seen = BTreeSet::new();
    while let Some((module, way)) = ways.pop_front() {
        for (used, example) in uses.get(module).into_iter().flatten() {
            let step = format!("{} uses {}", example.file, example.used);
            let way: Vec<String> = way.iter().cloned().chain([step]).collect();
            if used == start {
                return way.join(", ");
            }
            if seen.insert(used) {
                ways.push_back((used, way));
            }
        }
    }
    String::new()
}

/// The known circles, each with its reason.
pub(crate) const FILE: &str = "xtask/circles.txt";
