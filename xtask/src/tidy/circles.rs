//! Circles between the modules of a crate.
//!
//! A circle is a set of files in which each uses every other, directly or indirectly. This module
//! has the list of known circles. It does not read files.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;

/// Files that use each other in a circle, and the reason why they may.
pub(crate) struct KnownCircle {
    /// All files of the circle, in order.
    pub(crate) files: &'static [&'static str],
    pub(crate) reason: &'static str,
}

const FILE: &str = "xtask/src/tidy/circles.rs";

/// Reports each circle that is not known, and each known one that no longer exists.
pub(crate) fn check(
    uses: &BTreeMap<&str, Vec<&str>>,
    known: &[KnownCircle],
    findings: &mut Vec<Finding>,
) {
    let circles = circles(uses);
    let is_known = |circle: &Vec<&str>, known: &KnownCircle| circle == known.files;
    for known in known {
        if !circles.iter().any(|circle| is_known(circle, known)) {
            let files = known.files.join(", ");
            let what = format!(
                "the known circle of {files} is gone ({}); take it off the list",
                known.reason
            );
            findings.push(Finding { file: FILE.to_owned(), line: 1, what });
        }
    }
    for circle in circles {
        let listed = known.iter().any(|known| is_known(&circle, known));
        if let Some(first) = circle.first().filter(|_| !listed) {
            let what = format!(
                "these modules use each other in a circle: {}; move what they share into one of \
                 its own, or list the circle with a reason in `{FILE}`",
                circle.join(", ")
            );
            findings.push(Finding { file: (*first).to_owned(), line: 1, what });
        }
    }
}

/// Returns the strongly connected components with more than one file.
fn circles<'a>(uses: &BTreeMap<&'a str, Vec<&'a str>>) -> Vec<Vec<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (*file, reach(uses, file))).collect();
    let mut circles: Vec<Vec<&str>> = Vec::new();
    for (file, from) in &reached {
        if circles.iter().any(|circle| circle.contains(file)) {
            continue;
        }
        let back = |other: &&&str| reached.get(*other).is_some_and(|from| from.contains(file));
        let circle: Vec<&str> = from.iter().filter(back).copied().collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles
}

/// Returns the files that one uses directly or indirectly.
fn reach<'a>(uses: &BTreeMap<&'a str, Vec<&'a str>>, file: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = uses.get(file).cloned().unwrap_or_default();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(uses.get(next).into_iter().flatten());
        }
    }
    reached
}

/// The known circles. A new circle is removed, or gets a row with a reason.
pub(crate) const KNOWN: &[KnownCircle] = &[
    KnownCircle {
        files: &["crates/exec/src/call.rs", "crates/exec/src/preview.rs"],
        reason: "a preview is made of a checked call, and the call looks again before it runs",
    },
    KnownCircle {
        files: &[
            "crates/lex/src/body.rs",
            "crates/lex/src/lexer.rs",
            "crates/lex/src/pending.rs",
            "crates/lex/src/recognise.rs",
            "crates/lex/src/tag.rs",
        ],
        reason: "one machine whose states are files",
    },
    KnownCircle {
        files: &["crates/lex/src/index.rs", "crates/lex/src/table.rs"],
        reason: "the index is made of the table when the crate is compiled, and the table holds it",
    },
    KnownCircle {
        files: &[
            "crates/parser/src/action.rs",
            "crates/parser/src/call.rs",
            "crates/parser/src/held_end.rs",
            "crates/parser/src/open_action.rs",
            "crates/parser/src/outside.rs",
            "crates/parser/src/parser.rs",
            "crates/parser/src/phase.rs",
            "crates/parser/src/section.rs",
            "crates/parser/src/sigil.rs",
        ],
        reason: "the parser dispatches to the dialects, which return its sections",
    },
    KnownCircle {
        files: &["crates/provider/src/record/replay.rs", "crates/provider/src/record/session.rs"],
        reason: "a replayed model opens replayed sessions",
    },
    KnownCircle {
        files: &[
            "crates/store/src/search.rs",
            "crates/store/src/shared_runs.rs",
            "crates/store/src/store.rs",
            "crates/store/src/verify.rs",
        ],
        reason: "the trait names what a search and a verification return, and both read through \
                 the trait",
    },
];
