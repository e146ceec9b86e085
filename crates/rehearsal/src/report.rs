//! Results as plain sentences.
//!
//! A result has fields for failure, notices and truncation, so its content is quoted whatever it looks
//! like.

use silcrow_event::{CallResult, ResultStatus};

use crate::markdown::{MAX_LINES, block, code, count, shortened};
use crate::task::FinishedCall;

/// The answer if a call is due and none may run.
pub(crate) const LAST_STEP: &str =
    "This is the last step of the run, so nothing was called and there is nothing to tell.";

/// A folder as `file_list` describes it.
pub(crate) struct FolderListing<'a> {
    /// Lines such as `name/`, `name  123 bytes` and `name  (a link)`.
    lines: Vec<&'a str>,
    result: &'a CallResult,
}

impl<'a> FolderListing<'a> {
    /// Reads a result; `None` if it is a failure or not a listing.
    pub(crate) fn read(result: &'a CallResult) -> Option<Self> {
        let lines: Vec<_> = result.content.as_text()?.lines().collect();
        let is_entry = |line: &&str| entry_name(line).is_some();
        let is_listing = result.status() == ResultStatus::Success && lines.iter().all(is_entry);
        is_listing.then_some(Self { lines, result })
    }

    /// Returns the names of a readme and of a manifest, if there are any.
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

/// Describes the contents of a folder, and quotes the beginnings of the files that were read.
pub(crate) fn list(path: &str, entries: &FolderListing<'_>, reads: &[&FinishedCall]) -> String {
    let place = match path {
        "." => "This directory".to_owned(),
        _ => code(path),
    };
    let mut text = match entries.lines.len() {
        0 => format!("{place} holds no entries."),
        number => {
            let names = entries.lines.iter().take(MAX_NAMES).map(|line| entry_text(line));
            let names = names.collect::<Vec<_>>().join(", ");
            let left = number.saturating_sub(MAX_NAMES);
            let more = if left > 0 { format!(" and {left} more") } else { String::new() };
            format!("{place} holds {}: {names}{more}.", count(number, "entry", "entries"))
        }
    };
    for remark in remarks(entries.result) {
        text.push(' ');
        text.push_str(&remark);
    }
    for done in reads {
        text.push_str("\n\n");
        text.push_str(&beginning(done));
    }
    text
}

/// The maximum number of names in an answer.
const MAX_NAMES: usize = 40;

/// Quotes the beginning of a file of a listed folder.
fn beginning(done: &FinishedCall) -> String {
    let file = done.arg("file");
    if done.result.status() == ResultStatus::Failure {
        return failure(&format!("read {}", code(file)), &done.result);
    }
    let content = done.result.content.text();
    let mut lines = content.lines().filter(|line| !line.trim().is_empty());
    let heading = match file.ends_with(".md") {
        true => lines.clone().find_map(|line| line.strip_prefix("# ")),
        false => None,
    };
    match (heading, lines.next()) {
        (Some(heading), _) => {
            format!("{} is headed {}.", code(file), code(&shortened(heading.trim())))
        }
        (None, Some(line)) => {
            format!("{} begins with {}.", code(file), code(&shortened(line.trim())))
        }
        (None, None) => format!("{} is blank.", code(file)),
    }
}

/// Quotes the first lines of a file.
pub(crate) fn read(file: &str, result: &CallResult) -> String {
    if result.status() == ResultStatus::Failure {
        return failure(&format!("read {}", code(file)), result);
    }
    let name = code(file);
    let content = result.content.text();
    let mut answer = if content.is_empty() {
        format!("{name} is blank.")
    } else {
        let number = content.lines().count();
        let lines = count(number, "line", "lines");
        let told = match result.truncated() {
            None => format!("{name} has {lines}"),
            Some(_) => format!("{name} is long, and its first {lines} came"),
        };
        let quoted = if number > MAX_LINES { "; they begin so:" } else { ":" };
        format!("{told}{quoted}\n\n{}", block(content.lines()))
    };
    for remark in remarks(result) {
        answer.push_str("\n\n");
        answer.push_str(&remark);
    }
    answer
}

/// Quotes the lines that contain a text.
pub(crate) fn search(query: &str, result: &CallResult) -> String {
    if result.status() == ResultStatus::Failure {
        return failure(&format!("search for {}", code(query)), result);
    }
    let content = result.content.text();
    let hits = content.lines();
    let mut text = match hits.clone().count() {
        0 => format!("Nothing was found for {}.", code(query)),
        number => {
            let lines = count(number, "line holds", "lines hold");
            let first = if number > MAX_LINES { "; the first are" } else { "" };
            format!("{lines} {}{first}:\n\n{}\n\n", code(query), block(hits))
        }
    };
    for remark in remarks(result) {
        text.push_str(if text.ends_with('\n') { "" } else { " " });
        text.push_str(&remark);
    }
    text
}

/// Says whether a file was written.
pub(crate) fn write(file: &str, result: &CallResult) -> String {
    match result.status() {
        ResultStatus::Success => format!("The tool says: {}.", shortened(&result.content.text())),
        ResultStatus::Failure => failure(&format!("write {}", code(file)), result),
    }
}

/// Describes the purpose of a failed call, and its failure.
pub(crate) fn failure(what: &str, result: &CallResult) -> String {
    let why = result.content.text();
    match why.lines().count() {
        0 => format!("The call to {what} brought nothing back."),
        1 => format!("The call to {what} failed: {}", shortened(&why)),
        _ => format!("The call to {what} failed:\n\n{}", block(why.lines())),
    }
}

/// Returns the text of the fields beside a content.
fn remarks(result: &CallResult) -> Vec<String> {
    let added = |notice: &String| format!("The tool adds: {}", code(notice));
    let mut remarks: Vec<_> = result.notices().iter().map(added).collect();
    let Some(truncated) = result.truncated() else { return remarks };
    let number = |number: Option<u64>, one, many| {
        Some(count(usize::try_from(number?).unwrap_or(usize::MAX), one, many))
    };
    let omitted = number(truncated.omitted_bytes, "byte is", "bytes are")
        .or_else(|| number(truncated.omitted_lines, "line is", "lines are"));
    remarks.push(match (omitted, &truncated.full_output) {
        (Some(omitted), Some(name)) => format!("{omitted} left out; {} has all of it.", code(name)),
        (Some(omitted), None) => format!("{omitted} left out."),
        (None, _) => "Something is left out.".to_owned(),
    });
    remarks
}

/// Returns the name in a line of a listing.
fn entry_name(line: &str) -> Option<&str> {
    if let Some((name, kind)) = line.rsplit_once("  ") {
        let is_size = kind.strip_suffix(" bytes").is_some_and(|size| size.parse::<u64>().is_ok());
        let is_kind = kind.starts_with('(') && kind.ends_with(')');
        return (is_size || is_kind).then_some(name);
    }
    line.strip_suffix('/').filter(|name| !name.is_empty())
}

/// Returns an entry as a part of a sentence.
fn entry_text(line: &str) -> String {
    match line.rsplit_once("  ") {
        Some((name, kind)) if !kind.starts_with('(') => format!("{} ({kind})", code(name)),
        Some((name, kind)) => format!("{} {kind}", code(name)),
        None => code(line),
    }
}
