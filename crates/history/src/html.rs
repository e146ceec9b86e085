//! A conversation as an HTML file, which needs nothing but its pictures beside it: no script, no font.
//!
//! All text is escaped, and a policy in the file forbids a browser everything but its own style and these
//! pictures.

use std::fmt::Write as _;

use silcrow_event::{Entry, Event};
use silcrow_sanitize::sanitize_line;
use silcrow_store::Summary;

use crate::entry_text::safe_entry_text;
use crate::media_links::{MediaLink, links_of, name};
use crate::utc::utc;

/// Returns a conversation as a page, with these files beside it.
pub(crate) fn html(summary: &Summary, entries: &[Entry], files: &[MediaLink]) -> String {
    let title = match summary.title.is_empty() {
        true => &summary.conversation,
        false => &summary.title,
    };
    let title = escaped(&sanitize_line(title));
    let pictures = if files.is_empty() { "" } else { PICTURES };
    let mut out =
        format!("{HEAD}{pictures}{HEAD_END}<title>{title}</title>\n<style>{STYLE}</style>\n");
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
    entries.iter().for_each(|entry| event(entry, files, &mut out));
    out
}

/// Appends an event. Long texts that are seldom read are folded.
fn event(entry: &Entry, files: &[MediaLink], out: &mut String) {
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
        Event::Title { .. } | Event::Mode { .. } | Event::Hook(_) => return,
        other => ("other", other.type_name().to_owned(), false),
    };
    let name = escaped(&sanitize_line(&name));
    let (begin, end) = match is_folded {
        true => (format!("<details><summary>{name}</summary>"), "</details>"),
        false => (format!("<h2>{name}</h2>"), ""),
    };
    let files: String = links_of(&entry.event, files).into_iter().map(file).collect();
    let _ =
        writeln!(out, "<section class=\"{class}\">{begin}<pre>{said}</pre>{files}{end}</section>");
}

/// Returns a picture, or a link to another file.
fn file(link: &MediaLink) -> String {
    let (name, path) = (escaped(&sanitize_line(&name(link))), &link.path);
    match link.medium.is_image() {
        true => format!("<p><img src=\"{path}\" alt=\"{name}\" loading=\"lazy\"></p>"),
        false => format!("<p><a href=\"{path}\" download>{name}</a></p>"),
    }
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
'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The part of the policy that lets a browser show pictures of the same folder.
const PICTURES: &str = "; img-src 'self' file:";

const HEAD_END: &str = "\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
";

const STYLE: &str = "
body { font: 1em/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1em; opacity: .8 }
dd { margin: 0 }
h2 { font-size: 1em; margin: 1.5em 0 .3em }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
img { max-width: 100% }
summary { cursor: pointer; opacity: .7 }
.prompt pre { border-left: .25em solid; padding-left: .8em }
.call pre, .result pre, .other pre { font-family: ui-monospace, monospace; font-size: .9em }
";
