//! Lines of a text file as the output of `file_read`.

use silcrow_event::Truncation;
use silcrow_tool::ToolOutput;

use crate::encoding::TextEncoding;
use crate::line_view::{CutLine, LineRange, LineView};
use crate::messages;

/// Returns the lines, and notices about text that differs from the file.
pub(crate) fn shown_lines(
    view: LineView,
    range: LineRange,
    size: u64,
    encoding: TextEncoding,
    is_named: bool,
) -> ToolOutput {
    let is_guess = matches!(encoding, TextEncoding::Legacy(_)) && !is_named;
    let how = if is_guess { " (`encoding` sets another one)" } else { "" };
    let notices = [
        encoding.name().map(|name| format!("the file is text in {name}, shown in UTF-8{how}")),
        view.is_windows().then(|| "its lines end with \\r\\n".to_owned()),
        messages::invalid_bytes(view.wrong),
        view.cut.map(|CutLine { number, column, length }| {
            let others = match view.cuts {
                1 => String::new(),
                cuts => format!(", and so are {} more lines", cuts - 1),
            };
            format!(
                "line {number} has {length} and is cut{others}; it continues with offset \
                 {number}, limit 1, column {column}"
            )
        }),
    ];
    if view.shown == 0 {
        let (summary, notice) = match (size, view.lines) {
            (0, _) => ("empty file", "the file is empty".to_owned()),
            (_, Some(lines)) => {
                let lines = messages::count(lines, "line", "lines");
                ("nothing more", format!("the file ends before: it has {lines}"))
            }
            (_, None) => {
                let why = "the line is too far into the file to be counted to".to_owned();
                ("nothing read", format!("{why}; file_search finds lines of long files"))
            }
        };
        return ToolOutput::new(summary, "").with_notice(notice);
    }
    let last = range.offset + view.shown - 1;
    let shown = match (range.offset, view.next) {
        (1, None) => messages::count(view.shown, "line", "lines"),
        (first, _) if first == last => format!("line {first}{}", of_total(view.lines)),
        (first, _) => format!("lines {first}-{last}{}", of_total(view.lines)),
    };
    let left = view.next.map(|next| {
        let left = Truncation::default().with_next_offset(next);
        match view.lines {
            Some(lines) => left.with_omitted_lines(lines - last),
            None => left.with_omitted_bytes(size.saturating_sub(view.read)),
        }
    });
    let output = ToolOutput::new(shown, view.text).with_truncation(left);
    messages::with_notices(output, notices)
}

fn of_total(lines: Option<u64>) -> String {
    lines.map(|lines| format!(" of {lines}")).unwrap_or_default()
}
