//! The layout of a page of help: headings, paragraphs and lists, wrapped at words.
//!
//! The caller sets the width; this module reads no terminal.

/// A part of a page.
pub(super) enum HelpBlock {
    Heading(&'static str),
    Text(&'static str),
    /// Names, each with its description.
    List(Vec<(&'static str, &'static str)>),
    /// Lines that are shown as they are.
    Lines(&'static str),
}

/// Returns the page as text whose lines have at most so many columns, except for single words.
pub(super) fn page(blocks: &[HelpBlock], columns: usize) -> String {
    let mut out = String::new();
    for (at, block) in blocks.iter().enumerate() {
        let follows_heading = at > 0 && matches!(blocks[at - 1], HelpBlock::Heading(_));
        if at > 0 && !follows_heading {
            out.push('\n');
        }
        match block {
            HelpBlock::Heading(text) => out.push_str(&format!("{text}:\n")),
            HelpBlock::Text(text) => wrap(&mut out, text, 0, columns),
            HelpBlock::List(entries) => list(&mut out, entries, columns),
            HelpBlock::Lines(text) => {
                text.lines().for_each(|line| out.push_str(&format!("  {line}\n")));
            }
        }
    }
    out
}

/// Writes names in one column and descriptions in another, or below a name that is too long.
pub(super) fn list(out: &mut String, entries: &[(&str, &str)], columns: usize) {
    let longest = entries.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    // Descriptions need most of a line.
    let indent = (longest + 4).min(columns * 2 / 5);
    for (name, text) in entries {
        out.push_str("  ");
        out.push_str(name);
        if name.len() + 4 > indent {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        } else {
            out.push_str(&" ".repeat(indent - 2 - name.len()));
        }
        wrap(out, text, indent, columns);
    }
}

/// Writes words from the column `indent` on, in lines of at most so many columns.
fn wrap(out: &mut String, text: &str, indent: usize, columns: usize) {
    let mut column = indent;
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 && column + 1 + word.chars().count() > columns {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out.push('\n');
}
