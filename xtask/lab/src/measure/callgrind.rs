//! Counts by valgrind's callgrind: instructions, and branches that its model of a processor predicts
//! wrongly.
//!
//! This module runs a program under callgrind and reads its output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The counts of callgrind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CallgrindTotal {
    pub(crate) instructions: f64,
    /// The branches that were predicted wrongly, conditional and indirect ones.
    pub(crate) missed: f64,
}

/// The output of a program under callgrind, and the counts.
#[derive(Debug)]
pub(crate) struct CountedProgram {
    pub(crate) printed: String,
    /// A total for each call of a function `measured`, in order; or one for the whole program.
    pub(crate) totals: Vec<CallgrindTotal>,
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

/// Runs a program and counts its functions `measured`.
pub(crate) fn count_measured(program: &Path, args: &[&str]) -> Result<CountedProgram, String> {
    count(program, args, &["--toggle-collect=*::measured", "--dump-after=*::measured"])
}

/// Runs a program and counts all of it.
pub(crate) fn count_whole(program: &Path, args: &[&str]) -> Result<CallgrindTotal, String> {
    let counted = count(program, args, &[])?;
    counted.totals.last().copied().ok_or_else(|| format!("{} has no total", program.display()))
}

/// Counts a program that `run` starts by this command, to which it adds the program, and ends.
pub(crate) fn count_running<T>(
    run: impl FnOnce(Command) -> Result<T, String>,
) -> Result<(CallgrindTotal, T), String> {
    let folder = TemporaryFolder::new()?;
    let file = folder.0.join("out");
    let done = run(command(&file))?;
    Ok((CallgrindTotal::read_file(&file)?, done))
}

fn command(file: &Path) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--branch-sim=yes"]);
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    valgrind
}

fn count(program: &Path, args: &[&str], options: &[&str]) -> Result<CountedProgram, String> {
    let folder = TemporaryFolder::new()?;
    let whole = [folder.0.join("out")];
    let mut valgrind = command(&whole[0]);
    let output = valgrind.args(options).arg(program).args(args).output();
    let output = output.map_err(|why| format!("valgrind did not start: {why}"))?;
    if !output.status.success() {
        return Err(format!(
            "valgrind over {} gave up:\n{}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    // The parts of a program are `out.1` and so on; the rest after the last one is in `out`.
    let parts = (1..).map(|part| folder.0.join(format!("out.{part}")));
    let parts: Vec<_> = parts.take_while(|part| part.exists()).collect();
    let files = if parts.is_empty() { &whole[..] } else { &parts };
    let totals = files.iter().map(|file| CallgrindTotal::read_file(file));
    let totals = totals.collect::<Result<_, _>>()?;
    Ok(CountedProgram { printed: String::from_utf8_lossy(&output.stdout).into_owned(), totals })
}

impl CallgrindTotal {
    fn read_file(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))?;
        Self::read(&text).ok_or_else(|| format!("{} holds no total", file.display()))
    }

    /// Reads a file that callgrind wrote.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let names: Vec<_> = line("events:")?.split_whitespace().collect();
        let numbers = line("totals:")?.split_whitespace().map(|number| number.parse().ok());
        let numbers = numbers.collect::<Option<Vec<f64>>>()?;
        let named = |name: &str| {
            let at = names.iter().position(|one| *one == name)?;
            // Zeros at the end are left out.
            Some(numbers.get(at).copied().unwrap_or_default())
        };
        Some(Self { instructions: named("Ir")?, missed: named("Bcm")? + named("Bim")? })
    }
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
