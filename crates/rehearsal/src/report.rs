//! Results to plain sentences.
//!
//! Whether a call failed is not told to a model in every dialect, so it is read off the form of
//! the result: a listing, hits and a confirmation have forms that no failure has. A file may hold
//! anything, so what reading gave is quoted, unless it is one line that begins with the file's own
//! name in backticks, as a failure does.

use crate::markdown::{MAX_LINES, block, code, count, shortened};
use crate::task::Done;

/// The answer where a call is due and none may run.
pub(crate) const LAST_STEP: &str =
    "This is the last step of the run, so nothing was called and there is nothing to tell.";

/// A folder as `file_list` tells of it.
pub(crate) struct Entries<'a> {
    /// Lines `name/`, `name  123 bytes`, `name  (a link)`.
    lines: Vec<&'a str>,
    /// Lines in brackets, such as `[the folder is empty]`.
    notes: Vec<&'a str>,
}

impl<'a> Entries<'a> {
    /// `None` if the result is no listing, and so a failure.
    pub(crate) fn read(result: &'a str) -> Option<Self> {
        let (lines, notes) = apart(result);
        let is_entry = |line: &&str| entry_name(line).is_some();
        (!result.is_empty() && lines.iter().all(is_entry)).then_some(Self { lines, notes })
    }

    /// At most a readme and a manifest.
    pub(crate) fn telling(&self) -> Vec<&'a str> {
        let files: Vec<_> = self.lines.iter().filter(|line| line.ends_with(" bytes")).collect();
        let first = |wanted: &[&str]| {
            wanted.iter().find_map(|wanted| {
                files.iter().filter_map(|line| entry_name(line)).find(|name| name == wanted)
            })
        };
        [first(&READMES), first(&MANIFESTS)].into_iter().flatten().collect()
    }
}

const READMES: [&str; 4] = ["README.md", "README", "README.txt", "readme.md"];

const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "pom.xml", "Makefile"];

/// What a folder holds, and what the files that were read begin with.
pub(crate) fn list(path: &str, entries: &Entries<'_>, reads: &[&Done]) -> String {
    let place = match path {
        "." => "This directory".to_owned(),
        _ => code(path),
    };
    let mut text = match entries.lines.len() {
        0 => format!("{place} holds no entries."),
        number => {
            let names = entries.lines.iter().take(MAX_NAMES).map(|line| told(line));
            let names = names.collect::<Vec<_>>().join(", ");
            let left = number.saturating_sub(MAX_NAMES);
            let more = if left > 0 { format!(" and {left} more") } else { String::new() };
            format!("{place} holds {}: {names}{more}.", count(number, "entry", "entries"))
        }
    };
    for note in &entries.notes {
        text.push_str(&format!(" The tool adds: {}", code(note)));
    }
    for done in reads {
        text.push_str("\n\n");
        text.push_str(&beginning(done));
    }
    text
}

/// Names told in an answer.
const MAX_NAMES: usize = 40;

/// How a file of a listed folder begins.
fn beginning(done: &Done) -> String {
    let file = done.arg("file");
    if is_failure(file, &done.result) {
        return failure(&format!("read {}", code(file)), &done.result);
    }
    let mut lines = done.result.lines().filter(|line| !line.trim().is_empty());
    let heading = match file.ends_with(".md") {
        true => lines.clone().find_map(|line| line.strip_prefix("# ")),
        false => None,
    };
    match (heading, lines.next()) {
        (Some(heading), _) => {
            format!("{} is headed {}.", code(file), code(&shortened(heading.trim())))
        }
        // It may be a failure, so it is not said to be the file's.
        (None, Some(line)) if !done.result.contains('\n') => {
            format!("Reading {} gave {}.", code(file), code(&shortened(line)))
        }
        (None, Some(line)) => {
            format!("{} begins with {}.", code(file), code(&shortened(line.trim())))
        }
        (None, None) => format!("{} is blank.", code(file)),
    }
}

/// The first lines of a file.
pub(crate) fn read(file: &str, result: &str) -> String {
    if is_failure(file, result) {
        return failure(&format!("read {}", code(file)), result);
    }
    let name = code(file);
    if result.is_empty() {
        return format!("{name} is blank.");
    }
    if result == "[the file is empty]" {
        return format!("{name} is empty.");
    }
    let (text, note) = match cut_note(result) {
        Some((text, note)) => (text, Some(note)),
        None => (result, None),
    };
    let number = text.lines().count();
    let lines = count(number, "line", "lines");
    let mut answer = match note {
        // It may be a failure, so it is not said to be the file's.
        None if number == 1 => format!("Reading {name} gave {lines}"),
        None => format!("{name} has {lines}"),
        Some(_) => format!("{name} is long, and its first {lines} came"),
    };
    answer.push_str(match number {
        0..=MAX_LINES => ":",
        _ => "; they begin so:",
    });
    answer.push_str("\n\n");
    answer.push_str(&block(text.lines()));
    if let Some(note) = note {
        answer.push_str(&format!("\n\nThe tool adds: {}", code(note)));
    }
    answer
}

/// What stands before the line that says what is left out, and that line: the tool's own is the
/// last, the runner's is followed by the end of the text.
fn cut_note(result: &str) -> Option<(&str, &str)> {
    let own = result.rsplit_once('\n').filter(|(_, line)| line.starts_with("[cut here: "));
    own.or_else(|| {
        let is_note =
            |line: &&str| line.starts_with('[') && line.contains(" bytes are left out here");
        let note = result.lines().find(is_note)?;
        Some((result.split_once(note)?.0, note))
    })
}

/// The lines that hold a text.
pub(crate) fn search(query: &str, result: &str) -> String {
    let (hits, notes) = apart(result);
    if result.is_empty() || !hits.iter().all(|line| is_hit(line)) {
        return failure(&format!("search for {}", code(query)), result);
    }
    let mut text = match hits.len() {
        0 => format!("Nothing was found for {}.", code(query)),
        number => {
            let lines = count(number, "line holds", "lines hold");
            let first = if number > MAX_LINES { "; the first are" } else { "" };
            format!("{lines} {}{first}:\n\n{}\n\n", code(query), block(hits.iter().copied()))
        }
    };
    for note in notes {
        let parted = if text.ends_with('\n') { "" } else { " " };
        text.push_str(&format!("{parted}The tool adds: {}", code(note)));
    }
    text
}

/// What became of a file to write.
pub(crate) fn write(file: &str, result: &str) -> String {
    if ["created `", "replaced `"].iter().any(|start| result.starts_with(start)) {
        return format!("The tool says: {result}.");
    }
    failure(&format!("write {}", code(file)), result)
}

/// What a call that failed was for, and what came back.
pub(crate) fn failure(what: &str, result: &str) -> String {
    match result.lines().count() {
        0 => format!("The call to {what} brought nothing back."),
        1 => format!("The call to {what} failed: {}", shortened(result)),
        _ => format!("The call to {what} failed:\n\n{}", block(result.lines())),
    }
}

/// Lines, and the notes in brackets at their end.
fn apart(result: &str) -> (Vec<&str>, Vec<&str>) {
    let mut lines: Vec<_> = result.lines().collect();
    let is_note = |line: &&str| line.starts_with('[') && line.ends_with(']');
    let notes = lines.iter().rev().take_while(|line| is_note(line)).count();
    let notes = lines.split_off(lines.len() - notes);
    (lines, notes)
}

/// The name in a line of a listing.
fn entry_name(line: &str) -> Option<&str> {
    if let Some((name, kind)) = line.rsplit_once("  ") {
        let is_size = kind.strip_suffix(" bytes").is_some_and(|size| size.parse::<u64>().is_ok());
        let is_kind = kind.starts_with('(') && kind.ends_with(')');
        return (is_size || is_kind).then_some(name);
    }
    line.strip_suffix('/').filter(|name| !name.is_empty())
}

/// An entry in a sentence.
fn told(line: &str) -> String {
    match line.rsplit_once("  ") {
        Some((name, kind)) if !kind.starts_with('(') => format!("{} ({kind})", code(name)),
        Some((name, kind)) => format!("{} {kind}", code(name)),
        None => code(line),
    }
}

/// `path:line: text`; the path may hold `: ` itself.
fn is_hit(line: &str) -> bool {
    let ends_a_place = |at: usize| {
        let number = line[..at].rsplit_once(':').map(|(_, number)| number.parse::<u64>());
        matches!(number, Some(Ok(_)))
    };
    line.match_indices(": ").any(|(at, _)| ends_a_place(at))
}

/// Whether what reading a file gave looks like the reason why it could not be read.
fn is_failure(file: &str, result: &str) -> bool {
    result.starts_with(&format!("`{file}` ")) && !result.contains('\n')
}
