//! Quotes in Markdown, whatever they contain.

/// Returns the text as a span of code, whatever backticks it contains.
pub(crate) fn code(text: &str) -> String {
    match longest_run(text) {
        0 => format!("`{text}`"),
        run => {
            let ticks = "`".repeat(run + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

/// Returns the first lines as a block of code, with a fence longer than any run of backticks in it.
pub(crate) fn block<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines: Vec<_> = lines.into_iter().take(MAX_LINES).map(shortened).collect();
    let text = lines.join("\n");
    let ticks = "`".repeat(3.max(longest_run(&text) + 1));
    format!("{ticks}\n{text}\n{ticks}")
}

/// The maximum number of lines in a quote.
pub(crate) const MAX_LINES: usize = 20;

/// Returns the line, cut if it is too long for a quote.
pub(crate) fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// Returns a number and its noun, such as `1 line` or `2 lines`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The maximum number of characters of a quoted line.
const MAX_LINE: usize = 200;

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}
