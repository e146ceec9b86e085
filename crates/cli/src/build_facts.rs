//! `silcrow version`, and the facts of the build.
//!
//! The build script finds the facts. A fact that it cannot find is empty.

use std::io::{self, Write as _};

use serde_json::json;

use crate::failure::{Failure, written};

/// The version with the commit and its date, on one line.
pub(crate) const VERSION_LINE: &str = env!("SILCROW_BUILD_LINE");

/// Prints the version as `--version` of any command does.
pub(crate) fn version_line() -> Result<(), Failure> {
    let line = concat!("silcrow ", env!("SILCROW_BUILD_LINE"), "\n");
    written(io::stdout().lock().write_all(line.as_bytes()))
}

/// Prints the facts, one a line or as one JSON object.
pub(crate) fn version(as_json: bool) -> Result<(), Failure> {
    let text = if as_json { format!("{}\n", to_json()) } else { to_lines() };
    written(io::stdout().lock().write_all(text.as_bytes()))
}

/// Returns the facts that are known, with their names.
pub(crate) fn build_facts() -> Vec<(&'static str, String)> {
    let changes = if CHANGES { "+changes" } else { "" };
    let features = if FEATURES.is_empty() { "none" } else { FEATURES };
    let facts = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("commit", format!("{COMMIT}{changes}")),
        ("date", DATE.to_owned()),
        ("target", TARGET.to_owned()),
        ("rustc", RUSTC.to_owned()),
        ("profile", PROFILE.to_owned()),
        ("features", features.to_owned()),
    ];
    facts.into_iter().filter(|(_, fact)| !fact.is_empty()).collect()
}

fn to_lines() -> String {
    let facts = build_facts().into_iter();
    facts.map(|(name, fact)| format!("{name:<9} {fact}\n")).collect()
}

fn to_json() -> serde_json::Value {
    let known = |fact: &'static str| (!fact.is_empty()).then_some(fact);
    let features: Vec<_> = FEATURES.split(',').filter(|name| !name.is_empty()).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": known(COMMIT),
        "changes": CHANGES,
        "date": known(DATE),
        "target": known(TARGET),
        "rustc": known(RUSTC),
        "profile": known(PROFILE),
        "features": features,
    })
}

const COMMIT: &str = env!("SILCROW_BUILD_COMMIT");

/// Whether the compiled sources differ from the commit.
const CHANGES: bool = !env!("SILCROW_BUILD_CHANGES").is_empty();

/// The date of the commit.
const DATE: &str = env!("SILCROW_BUILD_DATE");

const TARGET: &str = env!("SILCROW_BUILD_TARGET");

/// The version of the compiler, in its own words.
const RUSTC: &str = env!("SILCROW_BUILD_RUSTC");

const PROFILE: &str = env!("SILCROW_BUILD_PROFILE");

/// The features, with commas between them.
const FEATURES: &str = env!("SILCROW_BUILD_FEATURES");
