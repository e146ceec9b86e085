//! From clean HTML to Markdown.
//!
//! This module has the options of the converter and tidies its output. It gets cleaned pages only:
//! the converter recurses, and `clean` bounds its depth.

use std::sync::LazyLock;

use htmd::HtmlToMarkdown;
use htmd::options::{BrStyle, BulletListMarker, HrStyle, Options};

/// Converts clean HTML.
pub(super) fn convert(html: &str) -> String {
    static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(|| {
        let options = Options {
            hr_style: HrStyle::Dashes,
            br_style: BrStyle::Backslash,
            bullet_list_marker: BulletListMarker::Dash,
            ul_bullet_spacing: 1,
            ol_number_spacing: 1,
            ..Options::default()
        };
        HtmlToMarkdown::builder().options(options).build()
    });
    // Reading from memory does not fail.
    tidy(&CONVERTER.convert(html).unwrap_or_default())
}

/// Removes characters that only cost tokens: spaces at the ends of lines, more than one empty line
/// in a row, and the padding of tables. Code stays as it is.
fn tidy(markdown: &str) -> String {
    let mut tidy = String::with_capacity(markdown.len());
    let mut empty_lines = 0;
    // The line that ends the current block of code.
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let text = line.trim();
        if fence.is_none() && text.is_empty() {
            empty_lines += 1;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if empty_lines > 0 { "\n\n" } else { "\n" });
        }
        match fence {
            Some(_) => tidy.push_str(line),
            None if text.starts_with('|') => push_row(&mut tidy, text),
            None => tidy.push_str(line.trim_end()),
        }
        empty_lines = 0;
        fence = match fence {
            Some(end) if text == end => None,
            None if text.starts_with("```") => {
                let name = text.trim_start_matches('`');
                Some(&text[..text.len() - name.len()])
            }
            same => same,
        };
    }
    tidy
}

/// Appends a row of a table without its padding.
fn push_row(tidy: &mut String, row: &str) {
    if row.bytes().all(|byte| b"|- ".contains(&byte)) {
        let columns = row.bytes().filter(|byte| *byte == b'|').count().saturating_sub(1);
        tidy.push_str(&"| --- ".repeat(columns));
        tidy.push('|');
        return;
    }
    let mut words = row.split(' ').filter(|word| !word.is_empty());
    tidy.extend(words.next());
    for word in words {
        tidy.push(' ');
        tidy.push_str(word);
    }
}
