//! Circles between the modules of a folder.
//!
//! A circle is a set of modules in which each uses every other, directly or indirectly; what is
//! within a module counts as the module. So none of them can be read, tested or moved alone. This
//! module has the list of known circles. It does not read files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;
use super::modules::FolderUses;

/// Modules of a folder that use each other in a circle, and the reason why they may.
pub(crate) struct KnownCircle {
    /// The path from the root of the workspace.
    pub(crate) folder: &'static str,
    /// All modules of the circle, in order.
    pub(crate) modules: &'static [&'static str],
    pub(crate) reason: &'static str,
}

const FILE: &str = "xtask/src/tidy/circles.rs";

/// Reports each circle that is not known, and each known one that no longer exists.
pub(crate) fn check(
    folders: &BTreeMap<String, FolderUses>,
    known: &[KnownCircle],
    findings: &mut Vec<Finding>,
) {
    let mut gone: Vec<&KnownCircle> = known.iter().collect();
    for (folder, uses) in folders {
        for circle in circles(uses) {
            let is_listed =
                |known: &&KnownCircle| known.folder == folder && known.modules == circle;
            if let Some(at) = gone.iter().position(is_listed) {
                gone.remove(at);
                continue;
            }
            let what = format!(
                "these modules use each other in a circle: {}; for example {}; move what they \
                 share into a module below them, or list the circle with a reason in `{FILE}`",
                circle.join(", "),
                example(uses, &circle)
            );
            findings.push(Finding { file: folder.clone(), line: 1, what });
        }
    }
    for KnownCircle { folder, modules, reason } in gone {
        let what = format!(
            "the known circle of {} in {folder} is gone ({reason}); take it off the list",
            modules.join(", ")
        );
        findings.push(Finding { file: FILE.to_owned(), line: 1, what });
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

/// The known circles. A new circle is removed, or gets a row with a reason.
pub(crate) const KNOWN: &[KnownCircle] = &[
    KnownCircle {
        folder: "crates/exec/src",
        modules: &["call", "preview"],
        reason: "a preview is made of a checked call, and the call looks again before it runs",
    },
    KnownCircle {
        folder: "crates/lex/src",
        modules: &["body", "lexer", "pending", "recognise", "tag"],
        reason: "one machine whose states are files",
    },
    KnownCircle {
        folder: "crates/lex/src",
        modules: &["index", "table"],
        reason: "the index is made of the table when the crate is compiled, and the table holds it",
    },
    KnownCircle {
        folder: "crates/parser/src",
        modules: &[
            "action",
            "block_tag",
            "call",
            "held_end",
            "open_action",
            "outside",
            "parser",
            "phase",
            "section",
            "sigil",
        ],
        reason: "the parser dispatches to the dialects, which return its sections",
    },
    KnownCircle {
        folder: "crates/provider/src/record",
        modules: &["replay", "session"],
        reason: "a replayed model opens replayed sessions",
    },
    KnownCircle {
        folder: "crates/sandbox/src",
        modules: &[
            "default_paths",
            "level",
            "linux",
            "macos",
            "network",
            "options",
            "other",
            "process",
            "sandbox",
            "supervised",
            "system",
        ],
        reason: "the module of each system makes what the rest names, of types of that rest",
    },
    KnownCircle {
        folder: "crates/store/src",
        modules: &["search", "shared_runs", "store", "verify"],
        reason: "the trait names what a search and a verification return, and both read through \
                 the trait",
    },
];
