//! A call as one line.

use serde_json::Value;
use silcrow_event::CallResult;

/// Returns the line for a call, such as `→ file_read a.txt`.
pub(super) fn call_line(name: &str, args: &str) -> String {
    let brief = brief_args(args);
    if brief.is_empty() { format!("→ {name}") } else { format!("→ {name} {brief}") }
}

/// Returns the line for a call that has failed.
pub(super) fn failure_line(result: &CallResult) -> String {
    let Some(tool) = result.tool() else {
        return format!("✗ no call: {}", brief_text(&result.content.text()));
    };
    let summary = result.payload.as_ref().map_or("", |payload| &payload.summary);
    if summary.is_empty() {
        return format!("✗ {tool}: {}", brief_text(&result.content.text()));
    }
    format!("✗ {tool}: {}", brief_text(summary))
}

/// Returns the text of a single argument if it is one line, and otherwise the JSON.
fn brief_args(args: &str) -> String {
    if let Ok(Value::Object(members)) = serde_json::from_str(args) {
        let mut values = members.values();
        match (values.next(), values.next()) {
            (None, _) => return String::new(),
            (Some(Value::String(text)), None) if !text.contains('\n') => return cut(text),
            _ => {}
        }
    }
    // A line break in JSON is between two tokens.
    cut(&args.replace('\n', " "))
}

/// Returns the first line, or its beginning.
fn brief_text(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const MAX_CHARS: usize = 80;
