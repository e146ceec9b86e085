/// The text as a span of code, whatever backticks it holds.
pub(crate) fn code(text: &str) -> String {
    match longest_run(text) {
        0 => format!("`{text}`"),
        run => {
            let ticks = "`".repeat(run + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

/// The first lines as a block of code, whose fence is longer than any run of backticks within.
pub(crate) fn block<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines: Vec<_> = lines.into_iter().take(MAX_LINES).map(shortened).collect();
    let text = lines.join("\n");
    let ticks = "`".repeat(3.max(longest_run(&text) + 1));
    format!("{ticks}\n{text}\n{ticks}")
}

/// At most this many lines are quoted.
pub(crate) const MAX_LINES: usize = 20;

/// The line, cut where it is too long to quote.
pub(crate) fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Characters of a line that are quoted.
const MAX_LINE: usize = 200;

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}
