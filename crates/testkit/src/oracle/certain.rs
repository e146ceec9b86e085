//! The part of a text that is certain, whatever follows it (L-3).

use std::collections::BTreeSet;

use super::*;
use crate::joined::Joined;

/// Returns the text that is certain after `prefix` and is not in `given` yet.
///
/// The oracle reads every continuation that could matter. Their common part is certain.
pub fn pending(prefix: &str, form: Form, given: &Joined) -> String {
    let Turn { units: mut common, begins, .. } = read(prefix, form);
    let letter = new_letter(prefix);
    for more in ways_on(prefix, form) {
        if missing(given, &common).is_empty() {
            break;
        }
        let wire = format!("{prefix}{}", more.replace('ø', letter));
        let other = read(&wire, form);
        let same = common.iter().zip(&other.units).take_while(|(one, other)| one == other).count();
        let texts = common[..same].iter().filter(|unit| matches!(unit, Unit::Text { .. })).count();
        let is_one = begins.get(texts) == other.begins.get(texts);
        let pair = common.get(same).zip(other.units.get(same)).filter(|_| is_one);
        let parted = pair.and_then(|(one, other)| beginning(one, other));
        common.truncate(same);
        common.extend(parted);
    }
    missing(given, &common)
}

/// Returns a letter that the text does not contain, so that it differs from the next one.
fn new_letter(text: &str) -> &'static str {
    ["ø", "þ", "ð", "æ", "å"].into_iter().find(|letter| !text.contains(letter)).unwrap_or("ø")
}

/// Returns the missing part of the last text.
fn missing(given: &Joined, certain: &[Unit]) -> String {
    let is_text = |unit: &Unit| matches!(unit, Unit::Text { .. });
    let before = certain.iter().rposition(is_text).unwrap_or_default();
    let Some(Unit::Text { kind, text: last, .. }) = certain.get(before) else {
        return String::new();
    };
    // The body of a call is not text before its end.
    if *kind == TextKind::Malformed {
        return String::new();
    }
    if !given.essence().starts_with(&certain[..before]) {
        return last.clone();
    }
    match given.units.get(before) {
        // The emitted text may end in white space that the oracle trims.
        Some(Unit::Text { text, .. }) if text.starts_with(&**last) => String::new(),
        Some(Unit::Text { text, .. }) => last.strip_prefix(&**text).unwrap_or(last).to_owned(),
        _ => last.clone(),
    }
}

/// Returns the common beginning of two units of one section.
fn beginning(one: &Unit, other: &Unit) -> Option<Unit> {
    match (one, other) {
        (
            Unit::Text { kind, part, text },
            Unit::Text { kind: other_kind, part: other_part, text: other },
        ) if (kind, part) == (other_kind, other_part) && *kind != TextKind::Malformed => {
            let same =
                text.char_indices().zip(other.chars()).find(|((_, one), other)| one != other);
            let length = same.map_or_else(|| text.len().min(other.len()), |((at, _), _)| at);
            (length > 0).then(|| Unit::Text {
                kind: *kind,
                part: *part,
                text: text[..length].to_owned(),
            })
        }
        _ => None,
    }
}

/// Returns the continuations that may matter: the rest of every literal that the prefix may end in,
/// with texts that may follow it, and other texts that may change the meaning of the end.
fn ways_on(prefix: &str, form: Form) -> Vec<String> {
    let literals: &[&str] = match form {
        Form::Sigil | Form::Inline => SIGIL,
        Form::Phase => {
            &["<think>", "</think>", "<execute>", "</execute>", "<results>", "</results>", "<end>"]
        }
        Form::Action => &[
            "<thought>",
            "</thought>",
            "<action>",
            "</action>",
            "<response>",
            "</response>",
            "<results>",
            "</results>",
            "<!--",
            "-->",
            "<action a='b'>{\"name\":\"t\"}</action>",
            "<response a=[\"\"]>",
        ],
    };
    let mut ways: Vec<String> = vec![];
    // Text outside of sections may still become a diagnostic.
    let leave = "\n</action>\n</thought>\n</results>\n<response>ø";
    let fence = |mark: &str| mark.repeat(prefix.matches(mark).count().max(3));
    for before in ["", &format!("\n{}\n", fence("`")), &format!("\n{}\n", fence("~")), "-->"] {
        for after in [leave, "<response>ø", "ø"] {
            ways.push(format!("{before}{after}"));
        }
    }
    ways.extend([" ø", "\nø", "`", "```\nø", "~~~\nø"].map(str::to_owned));
    let native = if form == Form::Phase { [].as_slice() } else { &["<think>", "</think>"] };
    for literal in literals.iter().chain(native) {
        for cut in (0..=literal.len()).filter(|cut| literal.is_char_boundary(*cut)) {
            if prefix.ends_with(&literal[..cut]) {
                for after in ["ø", "\nø", " ø", "_"] {
                    ways.push(format!("{}{after}", &literal[cut..]));
                    ways.push(format!("\n{}{after}", &literal[cut..]));
                }
            }
        }
    }
    if let (Form::Action, Some(start)) = (form, prefix.rfind('<')) {
        for end in ["", "\"", "'", "=b", "b", "='b'", "x=b"] {
            ways.push(format!("{end}>ø"));
        }
        let tag = &prefix[start..];
        // Any bracket may be the first of the array.
        let closers: BTreeSet<_> =
            tag.match_indices('[').map(|(at, _)| closers(&tag[at..])).collect();
        ways.extend(closers.into_iter().map(|end| format!("{end}>ø")));
    }
    ways
}

/// Returns the text that closes the array with this beginning.
fn closers(array: &str) -> String {
    let (mut open, mut string, mut escape) = (String::new(), false, false);
    for c in array.chars() {
        match c {
            _ if escape => escape = false,
            '\\' if string => escape = true,
            '"' => string = !string,
            '[' if !string => open.insert(0, ']'),
            ']' if !string && !open.is_empty() => drop(open.remove(0)),
            _ => {}
        }
    }
    let quote = match (escape, string) {
        (true, _) => "x\"",
        (false, true) => "\"",
        (false, false) => "",
    };
    format!("{quote}{open}")
}
