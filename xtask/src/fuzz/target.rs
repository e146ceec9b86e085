//! The fuzz targets, and the inputs with which each begins.

use std::path::PathBuf;

use silcrow_cases::{Case, CaseFile};

use crate::disk;
use crate::fuzz::folder;

/// A fuzz target, and the cases with which it begins.
#[derive(Debug)]
pub(crate) struct FuzzTarget {
    pub(crate) name: &'static str,
    /// The package whose tests replay the cases.
    pub(crate) package: &'static str,
    /// Files of cases; an input that fails becomes a case of the last, which may not exist yet.
    files: &'static [&'static str],
    /// The dialects whose behaviour cases it begins with.
    dialects: &'static [&'static str],
    /// A folder of inputs that are not cases.
    captures: Option<&'static str>,
    /// The words that inputs are made of, in `dict/`.
    words: &'static str,
}

pub(crate) const TARGETS: &[FuzzTarget] = &[
    wire("bytes", &["sigil", "phase"], &[SIGIL, PHASE, BYTES]),
    FuzzTarget { words: "json", ..wire("call_json", &["sigil"], &[SIGIL, PHASE, CALL_JSON]) },
    FuzzTarget {
        name: "event_json",
        package: "silcrow-event",
        files: &["crates/event/tests/cases/lines.cases"],
        dialects: &[],
        captures: None,
        words: "json",
    },
    FuzzTarget {
        name: "expression",
        package: "silcrow-expression",
        files: &["crates/expression/tests/cases/sources.cases"],
        dialects: &[],
        captures: None,
        words: "expression",
    },
    wire("lex", &["sigil", "phase", "action"], &[SIGIL, PHASE, ACTION, LEX]),
    FuzzTarget {
        name: "markdown",
        package: "silcrow-term",
        files: &["crates/term/tests/cases/markdown.cases"],
        dialects: &[],
        captures: None,
        words: "markdown",
    },
    native("native_elements", &["crates/native/tests/cases/corpus/elements.cases"]),
    native("native_expression", &["crates/native/tests/cases/corpus/expression.cases"]),
    native("native_json", &["crates/native/tests/cases/corpus/json.cases"]),
    native("native_loose", &["crates/native/tests/cases/corpus/loose.cases"]),
    native("native_messages", &["crates/native/tests/cases/corpus/messages.cases"]),
    native("native_parameters", &["crates/native/tests/cases/corpus/parameters.cases"]),
    wire("parse_action", &["action"], &[LEX, ACTION]),
    wire("parse_phase", &["phase"], &[PHASE]),
    wire("parse_sigil", &["sigil"], &[SIGIL]),
    FuzzTarget {
        name: "plan",
        package: "silcrow-plan",
        files: &["crates/plan/tests/cases/letters.cases"],
        dialects: &[],
        captures: None,
        words: "plan",
    },
    FuzzTarget {
        name: "request_body",
        package: "silcrow-front",
        files: &["crates/front/tests/cases/bodies.cases"],
        dialects: &[],
        captures: None,
        words: "json",
    },
    wire("round_trip", &[], &[SIGIL, PHASE, ACTION, ROUND_TRIP]),
    FuzzTarget {
        name: "sse",
        package: "silcrow-provider",
        files: &["crates/provider/tests/cases/streams.cases"],
        dialects: &[],
        captures: Some("crates/vendors/tests/captures/llamacpp"),
        words: "sse",
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

const fn wire(
    name: &'static str,
    dialects: &'static [&'static str],
    files: &'static [&'static str],
) -> FuzzTarget {
    FuzzTarget { name, package: "silcrow-parser", files, dialects, captures: None, words: "wire" }
}

const fn native(name: &'static str, files: &'static [&'static str]) -> FuzzTarget {
    FuzzTarget {
        name,
        package: "silcrow-native",
        files,
        dialects: &[],
        captures: Some("crates/native/tests/cases"),
        words: "native",
    }
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
        let captures = self.captures.map(|captures| crate::root().join(captures));
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
        disk::write(&crate::root().join(name), file.to_string())?;
        Ok(kept)
    }

    pub(crate) fn words(&self) -> PathBuf {
        folder().join(format!("dict/{}.dict", self.words))
    }
}

/// Reads a file of cases; one that does not exist yet has none.
fn read(name: &str) -> Result<CaseFile, String> {
    let path = crate::root().join(name);
    if !path.exists() {
        return Ok(CaseFile::default());
    }
    CaseFile::open(path).map_err(|error| error.to_string())
}
