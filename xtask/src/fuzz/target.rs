//! The fuzz targets, their corpora and their dictionaries.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::fuzz::{at, folder};

/// A fuzz target, and where its inputs lie.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Its tests replay what is kept.
    pub(crate) package: &'static str,
    /// Folders of inputs to begin with; the last takes the inputs that fail.
    pub(crate) seeds: &'static [&'static str],
    /// The ending of a file there.
    pub(crate) ending: &'static str,
    /// The dialects whose behaviour cases it begins with.
    cases: &'static [&'static str],
    /// Words that inputs are made of, in `dict/`.
    words: &'static str,
}

pub(crate) const TARGETS: &[Target] = &[
    wire("bytes", &["sigil", "phase"], &[SIGIL, PHASE, "crates/parser/tests/corpus/bytes"]),
    Target {
        words: "json",
        ..wire("call_json", &["sigil"], &[SIGIL, PHASE, "crates/parser/tests/corpus/call_json"])
    },
    Target {
        name: "event_json",
        package: "silcrow-event",
        seeds: &["crates/event/tests/corpus"],
        ending: ".json",
        cases: &[],
        words: "json",
    },
    wire("lex", &["sigil", "phase", "action"], &[SIGIL, PHASE, ACTION, LEX]),
    wire("parse_action", &["action"], &[LEX, ACTION]),
    wire("parse_phase", &["phase"], &[PHASE]),
    wire("parse_sigil", &["sigil"], &[SIGIL]),
    wire("round_trip", &[], &[SIGIL, PHASE, ACTION, "crates/parser/tests/corpus/round_trip"]),
    Target {
        name: "sse",
        package: "silcrow-provider",
        seeds: &["crates/vendors/tests/captures/llamacpp", "crates/provider/tests/corpus"],
        ending: ".txt",
        cases: &[],
        words: "sse",
    },
];

const SIGIL: &str = "crates/parser/tests/corpus/sigil";
const PHASE: &str = "crates/parser/tests/corpus/phase";
const ACTION: &str = "crates/parser/tests/corpus/action";
const LEX: &str = "crates/parser/tests/corpus/lex";

const fn wire(
    name: &'static str,
    cases: &'static [&'static str],
    seeds: &'static [&'static str],
) -> Target {
    Target { name, package: "silcrow-parser", seeds, ending: ".txt", cases, words: "wire" }
}

impl Target {
    /// Where its inputs grow that reach new code, with the behaviour cases among them.
    pub(crate) fn grown(&self) -> Result<PathBuf, String> {
        let grown = folder().join("corpus").join(self.name);
        fs::create_dir_all(&grown).map_err(|error| at(&grown, &error))?;
        let path = crate::root().join("crates/parser/tests/cases/parse.json");
        let text = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
        let cases: Vec<Value> = serde_json::from_str(&text).map_err(|error| at(&path, &error))?;
        for case in cases {
            let dialect = case["dialect"].as_str().unwrap_or_default();
            if let (true, Some(id), Some(wire)) =
                (self.cases.contains(&dialect), case["id"].as_str(), case["wire"].as_str())
            {
                let path = grown.join(format!("case-{id}"));
                fs::write(&path, wire).map_err(|error| at(&path, &error))?;
            }
        }
        Ok(grown)
    }

    /// Its folders of seeds that there are.
    pub(crate) fn seeds(&self) -> impl Iterator<Item = PathBuf> {
        self.seeds.iter().map(|seeds| crate::root().join(seeds)).filter(|path| path.is_dir())
    }

    pub(crate) fn words(&self) -> PathBuf {
        folder().join(format!("dict/{}.dict", self.words))
    }
}
