//! A store of conversations of ordinary length, which are the same each time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

/// Makes the store of the person whose home this is, with so many conversations.
pub(super) fn make(program: &Path, home: &Path, conversations: usize) -> Result<(), String> {
    import(program, home, (0..conversations).map(|conversation| lines(conversation, home)))
}

/// Writes a file that `silcrow log import` reads, and returns how many events it has.
pub(super) fn write(file: &Path, home: &Path, conversations: usize) -> Result<usize, String> {
    let mut text = format!("{HEAD}\n");
    (0..conversations).for_each(|conversation| text += &lines(conversation, home));
    std::fs::write(file, &text).map_err(|why| format!("cannot write {}: {why}", file.display()))?;
    Ok(text.lines().count() - 1)
}

/// Imports lines of events into the store of a person.
pub(super) fn import(
    program: &Path,
    home: &Path,
    lines: impl Iterator<Item = String>,
) -> Result<(), String> {
    let mut import = Command::new(program);
    super::timed::set_person(&mut import, home);
    import.args(["log", "import", "--own", "-"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let failed = |why| format!("`silcrow log import` fails: {why}");
    let mut child = import.spawn().map_err(failed)?;
    let mut to = child.stdin.take().ok_or("`silcrow log import` has no standard input")?;
    writeln!(to, "{HEAD}").map_err(failed)?;
    for lines in lines {
        to.write_all(lines.as_bytes()).map_err(failed)?;
    }
    drop(to);
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(()),
        status => Err(format!("`silcrow log import` ended with {status}")),
    }
}

/// Returns the lines of a conversation, which has 20 to 60 events.
fn lines(conversation: usize, home: &Path) -> String {
    let mut lines = String::new();
    let (rounds, start) = (4 + conversation % 9, 1_700_000_000 + conversation * 3_600);
    let folder = home.join("work");
    for round in 0..rounds {
        let id = format!("{}a", round + 1);
        let call = json!({"name": "file_read", "args": {"file": format!("src/part_{round}.rs")}});
        let asked = format!("Why does part {round} of module {conversation} fail on Tuesdays?");
        let events = [
            json!({"type": "user", "content": asked, "folder": folder}),
            json!({"type": "think", "content": text(conversation + round, 400)}),
            json!({"type": "call", "id": id, "content": call.to_string()}),
            json!({"type": "result", "id": id, "content": text(round, 2_000 + 900 * (round % 4))}),
            json!({"type": "respond", "content": text(conversation, 900)}),
        ];
        for (event, index) in events.into_iter().zip(1..) {
            let seq = round * 5 + index;
            let mut event = event;
            event["timestamp"] = json!((start + seq) as f64);
            event["turn"] = json!(round + 1);
            event["seq"] = json!(seq);
            let line = json!({"conversation": format!("c{conversation:05}"), "event": event});
            let _ = writeln!(lines, "{line}");
        }
    }
    lines
}

/// Returns a text of this length, in bytes.
pub(super) fn text(from: usize, length: usize) -> String {
    let words = WORDS.split(' ').cycle().skip(from % 11);
    let mut text = String::new();
    for word in words {
        text += word;
        if text.len() >= length {
            break;
        }
        text.push(if text.len() % 80 < 8 { '\n' } else { ' ' });
    }
    text
}

/// The first line of an export.
const HEAD: &str = r#"{"silcrow":"export 1"}"#;

const WORDS: &str = "the parser keeps what it has read until a delimiter is whole, so a caller sees \
    each fragment once and no later than the bytes that complete it";
