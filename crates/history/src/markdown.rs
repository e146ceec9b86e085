//! A conversation as Markdown, as a forge shows it.
//!
//! Texts of people and models are in block quotes, and outputs of tools are in code blocks, because
//! nothing in such a block can end it: no fence that stays open, and no heading that looks like
//! ours.

use std::fmt::Write as _;

use silcrow_event::{Entry, Event};
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_store::Summary;

use crate::entry_text::safe_entry_text;
use crate::media_links::{MediaLink, links_of, name};
use crate::utc::utc;

/// Returns a conversation as Markdown, with links to these files beside it.
pub(crate) fn markdown(summary: &Summary, entries: &[Entry], files: &[MediaLink]) -> String {
    let mut out = String::new();
    let title = match summary.title.is_empty() {
        true => &summary.conversation,
        false => &summary.title,
    };
    let _ = writeln!(out, "# {}\n", inline(title));
    let _ = writeln!(out, "- conversation: {}", code(&summary.conversation));
    for (name, value) in [("folder", &summary.folder), ("user", &summary.user)] {
        if let Some(value) = value {
            let _ = writeln!(out, "- {name}: {}", code(value));
        }
    }
    let _ = writeln!(out, "- from {} to {}", utc(summary.first), utc(summary.last));
    for entry in entries {
        event(entry, &mut out);
        for link in links_of(&entry.event, files) {
            let mark = if link.medium.is_image() { "!" } else { "" };
            let _ = write!(out, "\n{mark}[{}]({})\n", inline(&name(link)), link.path);
        }
    }
    out
}

/// Appends an event.
fn event(entry: &Entry, out: &mut String) {
    let said = safe_entry_text(entry);
    match &entry.event {
        Event::User { steer, .. } => {
            let when = if *steer { " (while the model was at work)" } else { "" };
            let _ = write!(out, "\n## Prompt{when}\n\n{}", quoted(&said));
        }
        Event::Respond(_) => {
            let _ = write!(out, "\n## Answer\n\n{}", quoted(&said));
        }
        Event::Think(_) => {
            let _ = write!(out, "\n### Thought\n\n{}", quoted(&said));
        }
        Event::Call(call) => {
            let _ = write!(out, "\n### Call of {}\n\n{}", code(call.name()), fenced(call.args()));
        }
        Event::Result(result) => {
            let payload = result.payload.as_ref();
            let outcome = payload.map(|payload| payload.summary.as_str()).unwrap_or_default();
            let _ = write!(out, "\n### Result: {}\n\n{}", inline(outcome), fenced(&said));
        }
        Event::Title { .. } | Event::Mode { .. } | Event::Hook(_) => {}
        other => {
            let _ = write!(out, "\n### {}\n\n{}", inline(other.type_name()), fenced(&said));
        }
    }
}

/// Returns text that may be shown as a block quote.
fn quoted(text: &str) -> String {
    text.lines().fold(String::new(), |out, line| out + format!("> {line}").trim_end() + "\n")
}

/// Returns text as a code block whose fence is longer than any in the text.
fn fenced(text: &str) -> String {
    let text = sanitize(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Returns text as code in a line.
fn code(text: &str) -> String {
    let text = sanitize_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Returns text in which no character means anything to a reader of Markdown.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for char in sanitize_line(text).chars() {
        if "\\`*_{}[]<>()#+-.!|~&@".contains(char) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}
