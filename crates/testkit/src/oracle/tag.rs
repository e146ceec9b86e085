//! The delimiters of `action` and their attributes: P-19.

use super::*;

/// The maximal length in bytes from `<` to `>`.
const LONGEST: usize = 1024;

/// Returns the length of the delimiter at the start of `rest`, if it counts in a section.
pub(super) fn delimiter(rest: &str, section: Section, at_line_start: bool) -> Option<usize> {
    let literal = |literal: &str| rest.starts_with(literal).then_some(literal.len());
    let tag = |name: &str| attributes(rest, name).map(|(length, _)| length);
    match section {
        Section::Outside => literal("<!--")
            .or_else(|| literal("<thought>"))
            .or_else(|| literal("<results>"))
            .or_else(|| tag("<action"))
            .or_else(|| tag("<response"))
            .or_else(|| {
                BLOCKS.iter().find_map(|name| block(rest, name)).map(|(length, ..)| length)
            }),
        Section::Think => literal("</thought>")
            .or_else(|| tag("<action"))
            .or_else(|| at_line_start.then(|| tag("<response"))?),
        Section::Respond => literal("</response>"),
        Section::Calls => literal("</action>"),
        Section::Forged => literal("</results>"),
    }
}

/// The attributes of a tag in order: names and values.
pub(super) type Attributes<'a> = Vec<(&'a str, &'a str)>;

/// The beginnings of the tags of control blocks.
pub(super) const BLOCKS: [&str; 14] = [
    "<if",
    "</if",
    "<then",
    "</then",
    "<else",
    "</else",
    "<foreach",
    "</foreach",
    "<parallel",
    "</parallel",
    "<transaction",
    "</transaction",
    "<value",
    "</value",
];

/// Returns the same as [`attributes`] for the tag of a control block, and whether it has no content.
pub(super) fn block<'a>(rest: &'a str, name: &str) -> Option<(usize, Attributes<'a>, bool)> {
    try_block(rest, name).ok()
}

/// Returns the length of the text that begins like the tag of a control block: up to its end, or up
/// to the character that rules out a tag.
pub(super) fn block_attempt(rest: &str) -> Option<usize> {
    let name = BLOCKS.iter().find(|name| rest.starts_with(**name))?;
    match try_block(rest, name) {
        Ok((length, ..)) => Some(length),
        Err(length) => Some(rest.floor_char_boundary(length.min(LONGEST))),
    }
}

/// Returns the tag, or the position of the character that rules it out.
fn try_block<'a>(rest: &'a str, name: &str) -> Result<(usize, Attributes<'a>, bool), usize> {
    let position = |after: &str| rest.len() - after.len();
    let mut at = rest.strip_prefix(name).ok_or(0_usize)?;
    let mut attributes = Vec::new();
    loop {
        let next = at.trim_start_matches(is_white);
        if let Some(after) = next.strip_prefix("/>").or_else(|| next.strip_prefix('>')) {
            let length = position(after);
            let tag = (length, attributes, next.starts_with('/'));
            return if length <= LONGEST { Ok(tag) } else { Err(LONGEST) };
        }
        if attributes.is_empty() && next.len() == at.len() {
            return Err(position(next));
        }
        let (key, value) = take(next, is_word).ok_or_else(|| position(next))?;
        let value = value.trim_start_matches(is_white);
        let value = value.strip_prefix('=').ok_or_else(|| position(value))?;
        let value = value.trim_start_matches(is_white);
        let first = value.chars().next().ok_or(rest.len())?;
        // An expression may compare, on one line.
        let none = if first == '[' { '<' } else { '\n' };
        let inside = |value: &str| value.find(none).map(|found| position(value) + found);
        let (text, after) = match first {
            quote @ ('"' | '\'') => value[1..].split_once(quote),
            '[' => array(value).map(|end| value.split_at(end)),
            _ => Some(take(value, is_word).ok_or_else(|| position(value))?),
        }
        .ok_or_else(|| inside(value).unwrap_or(rest.len()))?;
        if let Some(found) = text.find(none) {
            return Err(position(value) + usize::from(first != '[') + found);
        }
        attributes.push((key, text));
        at = after;
    }
}

/// Returns the length of the whole tag at the start of `rest`, and its attributes in order.
pub(super) fn attributes<'a>(
    rest: &'a str,
    name: &str,
) -> Option<(usize, Vec<(&'a str, &'a str)>)> {
    let mut at = rest.strip_prefix(name)?;
    let mut attributes = Vec::new();
    loop {
        let next = at.trim_start_matches(is_white);
        if let Some(after) = next.strip_prefix('>') {
            let length = rest.len() - after.len();
            let holds_another = rest[1..length].contains('<');
            return (length <= LONGEST && !holds_another).then_some((length, attributes));
        }
        // Anything except white space would belong to the tag's name.
        if attributes.is_empty() && next.len() == at.len() {
            return None;
        }
        let (key, value) = take(next, is_word)?;
        let value = value.trim_start_matches(is_white).strip_prefix('=')?;
        let value = value.trim_start_matches(is_white);
        let (value, after) = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote)?,
            '[' => value.split_at(array(value)?),
            _ => take(value, is_word)?,
        };
        attributes.push((key, value));
        at = after;
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Returns one or more characters of a kind, and the text after them.
fn take(text: &str, of: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let after = text.trim_start_matches(of);
    (after.len() < text.len()).then(|| text.split_at(text.len() - after.len()))
}

/// Returns the length of the JSON array at the start of `text`, by its brackets alone.
fn array(text: &str) -> Option<usize> {
    let (mut depth, mut string, mut escape) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escape => escape = false,
            '\\' if string => escape = true,
            '"' => string = !string,
            '[' if !string => depth += 1,
            ']' if !string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}
