//! The marks for characters that a reader of a file could not see.

use std::fmt::Write;

use crate::{CaseError, CaseText};

/// The beginnings of the line with a case's id, and of the head of a section.
pub(crate) const TITLE: &str = "===";
pub(crate) const HEAD: &str = "---";

const SPACE: char = '␠';
const TAB: char = '␉';
const RETURN: char = '␍';
const BREAK: char = '␊';
const CUT: char = '┊';
const OPEN: char = '⟨';
const CLOSE: char = '⟩';

/// Returns the text of these lines, the first of which has the number `line`.
pub(crate) fn decode(lines: &[&str], line: usize) -> Result<CaseText, CaseError> {
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(blank, |last| last + 1);
    let mut text = CaseText::default();
    for (index, content) in lines[blank..end].iter().enumerate() {
        if index > 0 {
            text.push(b"\n");
        }
        decode_line(content, &mut text)
            .map_err(|message| CaseError::new(line + blank + index, message))?;
    }
    Ok(text)
}

fn decode_line(line: &str, text: &mut CaseText) -> Result<(), String> {
    check(line)?;
    let mut rest = line;
    while let Some(char) = rest.chars().next() {
        let (this, after) = rest.split_at(char.len_utf8());
        rest = after;
        match char {
            SPACE => text.push(b" "),
            TAB => text.push(b"\t"),
            RETURN => text.push(b"\r"),
            BREAK => text.push(b"\n"),
            CUT => text.cut(),
            OPEN => {
                let (bytes, after) = rest.split_once(CLOSE).ok_or("`⟨` has no `⟩`")?;
                rest = after;
                for byte in bytes.split(' ') {
                    text.push(&[hex(byte)?]);
                }
            }
            _ => text.push(this.as_bytes()),
        }
    }
    Ok(())
}

fn hex(byte: &str) -> Result<u8, String> {
    let is_hex = byte.len() == 2 && byte.bytes().all(|digit| digit.is_ascii_hexdigit());
    let value = is_hex.then(|| u8::from_str_radix(byte, 16).ok()).flatten();
    value.ok_or_else(|| format!("`{byte}` is not a byte; between ⟨ and ⟩ write ⟨ff 0a⟩"))
}

/// Checks that a reader sees every character of a line.
pub(crate) fn check(line: &str) -> Result<(), String> {
    if line.ends_with(' ') {
        return Err(format!("a space ends the line; write {SPACE} if it belongs to the text"));
    }
    match line.chars().find(|&char| !is_visible(char)) {
        None => Ok(()),
        Some('\t') => Err(format!("the line has a tab; write {TAB}")),
        Some('\r') => Err(format!(
            "the line has a carriage return; write {RETURN} in a text, and nothing elsewhere"
        )),
        Some(char) => {
            Err(format!("the line has the invisible character {char:?}; write {}", bytes(char)))
        }
    }
}

/// Returns the lines of a text, without a line break at the end.
pub(crate) fn encode(text: &CaseText) -> String {
    let mut marked = String::new();
    for (index, piece) in text.pieces().into_iter().enumerate() {
        if index > 0 {
            marked.push(CUT);
        }
        for chunk in piece.utf8_chunks() {
            chunk.valid().chars().for_each(|char| encode_char(char, &mut marked));
            push_hex(chunk.invalid(), &mut marked);
        }
    }
    let inner = marked.trim_start_matches('\n');
    let before = marked.len() - inner.len();
    let inner = inner.trim_end_matches('\n');
    let after = marked.len() - before - inner.len();
    let breaks = |count: usize| String::from(BREAK).repeat(count);
    let all = format!("{}{inner}{}", breaks(before), breaks(after));
    all.split('\n').map(encode_line).collect::<Vec<_>>().join("\n")
}

fn encode_char(char: char, marked: &mut String) {
    match char {
        '\t' => marked.push(TAB),
        '\r' => marked.push(RETURN),
        SPACE | TAB | RETURN | BREAK | CUT | OPEN => marked.push_str(&bytes(char)),
        '\n' => marked.push(char),
        char if is_visible(char) => marked.push(char),
        char => marked.push_str(&bytes(char)),
    }
}

fn encode_line(line: &str) -> String {
    let text = line.trim_end_matches(' ');
    let spaces = String::from(SPACE).repeat(line.len() - text.len());
    let (first, rest) = match text.strip_prefix(HEAD).or_else(|| text.strip_prefix(TITLE)) {
        Some(_) => (bytes(if text.starts_with(HEAD) { '-' } else { '=' }), &text[1..]),
        None => (String::new(), text),
    };
    format!("{first}{rest}{spaces}")
}

fn bytes(char: char) -> String {
    let mut marked = String::new();
    push_hex(char.encode_utf8(&mut [0; 4]).as_bytes(), &mut marked);
    marked
}

fn push_hex(bytes: &[u8], marked: &mut String) {
    for (index, byte) in bytes.iter().enumerate() {
        let before = if index == 0 { OPEN } else { ' ' };
        write!(marked, "{before}{byte:02x}").expect("a string takes all");
    }
    if !bytes.is_empty() {
        marked.push(CLOSE);
    }
}

/// Returns whether a reader of a file can recognise a character.
pub(crate) fn is_visible(char: char) -> bool {
    char == ' ' || !(char.is_whitespace() || silcrow_sanitize::is_hidden(char))
}
