//! A conversation as one HTML file, which needs nothing else: no script, no image, no font.
//!
//! All text is escaped, and a policy in the file forbids a browser everything but its own style.

use std::fmt::Write as _;

use silcrow_event::{Entry, Event};
use silcrow_sanitize::sanitize_line;
use silcrow_store::Summary;

use crate::entry_text::safe_entry_text;
use crate::utc::utc;

/// Returns a conversation as a page.
pub(crate) fn html(summary: &Summary, entries: &[Entry]) -> String {
    let title = match summary.title.is_empty() {
        true => &summary.conversation,
        false => &summary.title,
    };
    let title = escaped(&sanitize_line(title));
    let mut out = format!("{HEAD}<title>{title}</title>\n<style>{STYLE}</style>\n");
    let _ = writeln!(out, "<h1>{title}</h1>\n<dl>");
    let (first, last) = (utc(summary.first), utc(summary.last));
    let facts = [
        ("conversation", Some(&*summary.conversation)),
        ("folder", summary.folder.as_deref()),
        ("user", summary.user.as_deref()),
        ("from", Some(&*first)),
        ("to", Some(&*last)),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&sanitize_line(value)));
        }
    }
    out += "</dl>\n";
    entries.iter().for_each(|entry| event(entry, &mut out));
    out
}

/// Appends an event. What is long and seldom read is folded.
fn event(entry: &Entry, out: &mut String) {
    let said = escaped(&safe_entry_text(entry));
    let (class, name, is_folded) = match &entry.event {
        Event::User { .. } => ("prompt", "Prompt".to_owned(), false),
        Event::Respond(_) => ("answer", "Answer".to_owned(), false),
        Event::Think(_) => ("thought", "Thought".to_owned(), true),
        Event::Call(call) => ("call", format!("Call of {}", call.name()), true),
        Event::Result(result) => {
            let payload = result.payload.as_ref();
            let outcome = payload.map(|payload| payload.summary.as_str()).unwrap_or_default();
            ("result", format!("Result: {outcome}"), true)
        }
        Event::Title { .. } | Event::Mode { .. } => return,
        other => ("other", other.type_name().to_owned(), false),
    };
    let name = escaped(&sanitize_line(&name));
    let (begin, end) = match is_folded {
        true => (format!("<details><summary>{name}</summary>"), "</details>"),
        false => (format!("<h2>{name}</h2>"), ""),
    };
    let _ = writeln!(out, "<section class=\"{class}\">{begin}<pre>{said}</pre>{end}</section>");
}

/// Returns text that is text wherever it is in a page, also within quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            other => out.push(other),
        }
    }
    out
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
'unsafe-inline'; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
";

const STYLE: &str = "
body { font: 1em/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1em; opacity: .8 }
dd { margin: 0 }
h2 { font-size: 1em; margin: 1.5em 0 .3em }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
summary { cursor: pointer; opacity: .7 }
.prompt pre { border-left: .25em solid; padding-left: .8em }
.call pre, .result pre, .other pre { font-family: ui-monospace, monospace; font-size: .9em }
";
