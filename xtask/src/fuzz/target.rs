//! The fuzz targets, and the inputs with which each begins.

use std::path::PathBuf;

use silcrow_cases::{Case, CaseFile};
use xtask::disk;

use crate::fuzz::folder;

/// A fuzz target, and the cases with which it begins.
#[derive(Debug)]
pub(crate) struct FuzzTarget {
    pub(crate) name: &'static str,
    /// The package whose tests replay the cases.
    pub(crate) package: &'static str,
    /// Files of cases; an input that fails becomes a case of the last, which may not exist yet.
    files: Names,
    /// The dialects whose behaviour cases it begins with.
    dialects: Names,
    /// A folder of inputs that are not cases.
    captures: Option<&'static str>,
    /// The words that inputs are made of, in `dict/`.
    words: &'static str,
}

pub(crate) const TARGETS: &[FuzzTarget] = &[
    wire("bytes", &["sigil", "phase"], &[SIGIL, PHASE, BYTES]),
    FuzzTarget { words: "json", ..wire("call_json", &["sigil"], &[SIGIL, PHASE, CALL_JSON]) },
    other("event_json", "silcrow-event", &["crates/event/tests/cases/lines.cases"], "json"),
    other(
        "expression",
        "silcrow-expression",
        &["crates/expression/tests/cases/sources.cases"],
        "expression",
    ),
    wire("lex", &["sigil", "phase", "action"], &[SIGIL, PHASE, ACTION, LEX]),
    other("markdown", "silcrow-term", &["crates/term/tests/cases/markdown.cases"], "markdown"),
    native("native_elements", &["crates/native/tests/cases/corpus/elements.cases"]),
    native("native_expression", &["crates/native/tests/cases/corpus/expression.cases"]),
    native("native_json", &["crates/native/tests/cases/corpus/json.cases"]),
    native("native_loose", &["crates/native/tests/cases/corpus/loose.cases"]),
    native("native_messages", &["crates/native/tests/cases/corpus/messages.cases"]),
    native("native_parameters", &["crates/native/tests/cases/corpus/parameters.cases"]),
    wire("parse_action", &["action"], &[LEX, ACTION]),
    wire("parse_phase", &["phase"], &[PHASE]),
    wire("parse_sigil", &["sigil"], &[SIGIL]),
    other("plan", "silcrow-plan", &["crates/plan/tests/cases/letters.cases"], "plan"),
    other("request_body", "silcrow-front", &["crates/front/tests/cases/bodies.cases"], "json"),
    wire("round_trip", &[], &[SIGIL, PHASE, ACTION, ROUND_TRIP]),
    FuzzTarget {
        captures: Some("crates/vendors/tests/captures/llamacpp"),
        ..other("sse", "silcrow-provider", &["crates/provider/tests/cases/streams.cases"], "sse")
    },
];

const BEHAVIOUR: &str = "crates/parser/tests/cases/parse.cases";
const SIGIL: &str = "crates/parser/tests/cases/corpus/sigil.cases";
const PHASE: &str = "crates/parser/tests/cases/corpus/phase.cases";
const ACTION: &str = "crates/parser/tests/cases/corpus/action.cases";
const LEX: &str = "crates/parser/tests/cases/corpus/lex.cases";
const BYTES: &str = "crates/parser/tests/cases/corpus/bytes.cases";
const CALL_JSON: &str = "crates/parser/tests/cases/corpus/call_json.cases";
const ROUND_TRIP: &str = "crates/parser/tests/cases/corpus/round_trip.cases";

type Names = &'static [&'static str];

const fn wire(name: &'static str, dialects: Names, files: Names) -> FuzzTarget {
    FuzzTarget { dialects, ..other(name, "silcrow-parser", files, "wire") }
}

const fn native(name: &'static str, files: Names) -> FuzzTarget {
    let captures = Some("crates/native/tests/cases");
    FuzzTarget { captures, ..other(name, "silcrow-native", files, "native") }
}

const fn other(
    name: &'static str,
    package: &'static str,
    files: Names,
    words: &'static str,
) -> FuzzTarget {
    FuzzTarget { name, package, files, dialects: &[], captures: None, words }
}

impl FuzzTarget {
    /// Returns the folder of inputs that the runs found to reach new code.
    pub(crate) fn grown(&self) -> Result<PathBuf, String> {
        let grown = folder().join("corpus").join(self.name);
        disk::make_folder(&grown).map(|()| grown)
    }

    /// Writes its first cases to a folder, one file each, and returns all folders of inputs.
    pub(crate) fn write_seeds(&self) -> Result<Vec<PathBuf>, String> {
        let seeds = disk::make_empty(folder().join("seeds").join(self.name))?;
        for (index, case) in self.cases()?.iter().enumerate() {
            disk::write(&seeds.join(format!("{index:03}-{}", case.id)), case.wire.as_bytes())?;
        }
        let captures = self.captures.map(|captures| xtask::root().join(captures));
        Ok([seeds].into_iter().chain(captures).collect())
    }

    /// Returns the cases that it begins with.
    pub(crate) fn cases(&self) -> Result<Vec<Case>, String> {
        let is_named =
            |case: &Case| self.dialects.iter().any(|name| case.value("dialect") == Some(*name));
        let mut cases = read(BEHAVIOUR)?.cases;
        cases.retain(is_named);
        for file in self.files {
            cases.extend(read(file)?.cases);
        }
        Ok(cases)
    }

    /// Adds an input that fails to the last file of cases, under the next number, unless it is
    /// there already; returns the file and the id.
    pub(crate) fn keep(&self, input: &[u8]) -> Result<String, String> {
        let name = self.files.last().expect("each target has a file of cases");
        let mut file = read(name)?;
        if let Some(case) = file.cases.iter().find(|case| case.wire.as_bytes() == input) {
            return Ok(format!("{name}, {}", case.id));
        }
        let id = (1..)
            .map(|number: u32| format!("crash-{number:03}"))
            .find(|id| file.cases.iter().all(|case| case.id != *id))
            .expect("there is a free number");
        let kept = format!("{name}, {id}");
        let header = file.header.clone();
        file.cases.push(Case { id, header, wire: input.into(), sections: Vec::new() });
        disk::write(&xtask::root().join(name), file.to_string())?;
        Ok(kept)
    }

    pub(crate) fn words(&self) -> PathBuf {
        folder().join(format!("dict/{}.dict", self.words))
    }
}

/// Reads a file of cases; one that does not exist yet has none.
fn read(name: &str) -> Result<CaseFile, String> {
    let path = xtask::root().join(name);
    if !path.exists() {
        return Ok(CaseFile::default());
    }
    CaseFile::open(path).map_err(|error| error.to_string())
}
