//! Counts of instructions by valgrind's callgrind.
//!
//! This module knows how a bench is built, run and read. It does not compare counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::InstructionCount;

/// A bench that is counted.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The name of the bench, and of its machine.
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
}

/// The text that a bench reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Corpus {
    /// A text with calls.
    All,
    Prose,
}

impl Corpus {
    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Prose => "prose",
        }
    }

    /// Returns the most calls in a message, as an option of the bench.
    const fn calls(self) -> &'static str {
        match self {
            Self::All => "2",
            Self::Prose => "0",
        }
    }
}

/// Checks that valgrind can be started.
pub(crate) fn probe() -> Result<(), String> {
    let version = Command::new("valgrind").arg("--version").output();
    version.map(drop).map_err(|why| {
        format!(
            "valgrind, which counts, does not start ({why}); install it, on Debian with \
             `apt-get install valgrind`, and run this again"
        )
    })
}

impl Bench {
    /// Builds the bench, and returns the path of its program.
    pub(crate) fn build(&self) -> Result<PathBuf, String> {
        let mut cargo = crate::cargo();
        cargo.args(["bench", "--no-run", "--locked", "--message-format=json-render-diagnostics"]);
        cargo.args(["--package", self.package, "--bench", self.name]);
        let output = cargo.stderr(std::process::Stdio::inherit()).output();
        let output = output.map_err(|why| format!("cargo did not start: {why}"))?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let program = messages.lines().find_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_it =
                message["target"]["name"] == self.name && message["target"]["kind"][0] == "bench";
            is_it.then(|| message["executable"].as_str().map(PathBuf::from))?
        });
        let program = program.filter(|_| output.status.success());
        program.ok_or_else(|| format!("the bench `{}` does not build", self.name))
    }

    /// Counts one dialect and one text in chunks of every size.
    pub(crate) fn count(
        &self,
        program: &Path,
        dialect: &str,
        text: Corpus,
    ) -> Result<Vec<InstructionCount>, String> {
        let folder = TemporaryFolder::new()?;
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", MEASURED, DUMP]);
        valgrind.arg(format!("--callgrind-out-file={}", folder.0.join("out").display()));
        valgrind.arg(program).args(["--bench", "--rounds", "1", "--bytes", BYTES]);
        valgrind.args(["--calls", text.calls(), "--only", &format!("{dialect}, chunks of")]);
        let output = valgrind.output().map_err(|why| format!("valgrind did not start: {why}"))?;
        if !output.status.success() {
            return Err(format!(
                "valgrind over {} gave up:\n{}",
                program.display(),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let tables = BenchTable::read_all(&String::from_utf8_lossy(&output.stdout));
        let mut part = 0;
        let mut rows = Vec::new();
        for table in &tables {
            for name in &table.rows {
                part += 1;
                let total = total(&folder.0.join(format!("out.{part}")))?;
                if name == self.name {
                    rows.push(InstructionCount {
                        name: format!("{name}, {dialect}, {}, {}", table.chunk, text.name()),
                        a_chunk: total / table.chunks,
                        a_byte: total / table.bytes,
                    });
                }
            }
        }
        if rows.is_empty() {
            return Err(format!("{} printed no row of the {}", program.display(), self.name));
        }
        Ok(rows)
    }
}

/// A table that a bench printed.
#[derive(Debug, PartialEq)]
pub(crate) struct BenchTable {
    /// The size of a chunk, such as `4 B`.
    pub(crate) chunk: String,
    pub(crate) bytes: f64,
    pub(crate) chunks: f64,
    /// The names of its rows, in the order in which they were measured.
    pub(crate) rows: Vec<String>,
}

impl BenchTable {
    pub(crate) fn read_all(printed: &str) -> Vec<Self> {
        printed.split("\n\n").filter_map(Self::read).collect()
    }

    fn read(printed: &str) -> Option<Self> {
        let mut lines = printed.trim_start().lines();
        let (title, rest) = lines.next()?.split_once(": ")?;
        let (bytes, chunks) = rest.split_once(" bytes, ")?;
        let rows = lines.skip(1).filter_map(|line| line.split_whitespace().next());
        Some(Self {
            chunk: title.split_once("chunks of ")?.1.to_owned(),
            bytes: bytes.parse().ok()?,
            chunks: chunks.strip_suffix(" chunks")?.parse().ok()?,
            rows: rows.map(str::to_owned).collect(),
        })
    }
}

/// Returns the total of one part of callgrind's output.
fn total(part: &Path) -> Result<f64, String> {
    let text = fs::read_to_string(part).map_err(|why| {
        format!("callgrind counted fewer rows than the bench printed: {}: {why}", part.display())
    })?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    total.ok_or_else(|| format!("{} holds no total", part.display()))
}

/// A folder that is removed when this is dropped.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("silcrow-count-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays among the temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The option to count only what the benches time, which is `measured` in their kit.
const MEASURED: &str = "--toggle-collect=*::measured";
/// The option to write a part of the output for each row.
const DUMP: &str = "--dump-after=*::measured";
/// The number of bytes to read: enough for stable rows, and few enough to be counted in seconds.
const BYTES: &str = "1000000";
