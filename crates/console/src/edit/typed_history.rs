//! The lines that a person has sent before, in a file.
//!
//! The file begins with `#V2` and has a line for each text, in which `\n` is a line break and `\\` a backslash.
//! Several processes add to it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

/// The lines of a folder, the oldest first.
#[derive(Debug, Default)]
pub(super) struct TypedHistory {
    file: Option<PathBuf>,
    lines: Vec<String>,
    /// The length of the file when it was read.
    read: u64,
}

impl TypedHistory {
    /// Opens a history. Without a file it is forgotten with the process.
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        let mut history = Self { file, ..Self::default() };
        history.renew();
        history
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Reads the lines that other processes have added.
    pub(super) fn renew(&mut self) {
        let Some(file) = &self.file else { return };
        // The first session in a folder has no history.
        let Ok(length) = fs::metadata(file).map(|found| found.len()) else { return };
        if length == self.read {
            return;
        }
        let mut bytes = Vec::new();
        let read = File::open(file).and_then(|file| file.take(MOST_READ).read_to_end(&mut bytes));
        if read.is_ok() {
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().filter(|line| *line != HEAD && !line.is_empty());
            self.lines = lines.map(unescaped).collect();
            self.shorten();
            self.read = length;
        }
    }

    /// Adds a line, unless it begins with a blank, says nothing, or is the last one again.
    pub(super) fn add(&mut self, line: &str) {
        let is_new = self.lines.last().is_none_or(|last| last != line);
        if line.trim().is_empty() || line.starts_with(char::is_whitespace) || !is_new {
            return;
        }
        // A history that cannot be kept does not keep anybody from working.
        let _ = self.append(line);
        self.lines.push(line.to_owned());
        self.shorten();
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let head = if file.metadata()?.len() == 0 { format!("{HEAD}\n") } else { String::new() };
        file.write_all(format!("{head}{}\n", escaped(line)).as_bytes())?;
        if file.metadata()?.len() > MOST_READ / 2 {
            let kept: String =
                self.lines.iter().map(|line| format!("{}\n", escaped(line))).collect();
            fs::write(path, format!("{HEAD}\n{kept}{}\n", escaped(line)))?;
        }
        self.read = fs::metadata(path)?.len();
        Ok(())
    }

    fn shorten(&mut self) {
        let surplus = self.lines.len().saturating_sub(MOST_LINES);
        self.lines.drain(..surplus);
    }
}

fn escaped(line: &str) -> String {
    line.replace('\\', r"\\").replace('\n', r"\n")
}

fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                other => text.extend(other),
            },
            char => text.push(char),
        }
    }
    text
}

/// The first line of a file.
const HEAD: &str = "#V2";

/// The number of lines that are kept for a folder.
const MOST_LINES: usize = 1_000;

/// The number of bytes of a file that are read. One that is half as long is written anew.
const MOST_READ: u64 = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_round_trips_lines_across_processes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("typed");
        let mut one = TypedHistory::new(Some(file.clone()));
        let lines = ["a\nb", r"c:\new \\ x", "plain", "ümlaut"];
        lines.iter().for_each(|line| one.add(line));
        one.add("ümlaut");
        one.add(" secret");
        let mut other = TypedHistory::new(Some(file.clone()));
        assert_eq!(other.lines(), lines);
        other.add("more");
        one.renew();
        assert_eq!(one.lines().last().map(String::as_str), Some("more"));
        assert!(fs::read_to_string(file).unwrap().starts_with("#V2\na\\nb\n"));
    }
}
