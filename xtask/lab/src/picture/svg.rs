//! Lines of a terminal as an SVG, in a font of fixed width.

use std::fmt::Write as _;

use super::screen::{SpanColor, SpanStyle, TerminalLine};

/// Draws lines in a window that is `columns` characters wide.
pub(crate) fn draw(lines: &[TerminalLine], columns: usize) -> String {
    let width = 2 * MARGIN + columns * CELL / 10;
    let height = 2 * MARGIN + TITLE + lines.len() * ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"silcrow in a terminal\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#161b22\"/>\n"
    );
    for (at, color) in [(0, "#ff5f56"), (1, "#ffbd2e"), (2, "#27c93f")] {
        let x = MARGIN + 6 + at * 20;
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"20\" r=\"6\" fill=\"{color}\"/>");
    }
    svg.push_str(
        "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" \
         font-size=\"14\" xml:space=\"preserve\" style=\"white-space:pre\">\n",
    );
    for (row, line) in lines.iter().enumerate() {
        let y = MARGIN + TITLE + (row + 1) * ROW - 6;
        let mut column = 0;
        for (style, text) in &line.spans {
            let shown = text.trim();
            if !shown.is_empty() {
                // Some viewers leave blanks at the ends out, and would stretch the rest.
                let blanks = text.chars().take_while(|char| char.is_whitespace()).count();
                let x = MARGIN + (column + blanks) * CELL / 10;
                // The length keeps the columns aligned if a viewer's font has other widths.
                let length = shown.chars().count() * CELL / 10;
                let _ = writeln!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" {}>{}</text>",
                    attributes(*style),
                    escaped(shown)
                );
            }
            column += text.chars().count();
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn attributes(style: SpanStyle) -> String {
    let color = match style.color {
        SpanColor::Plain => "#e6edf3",
        SpanColor::Dim | SpanColor::Numbered(8) => "#8b949e",
        SpanColor::Numbered(number) => COLORS[usize::from(number) % COLORS.len()],
    };
    let bold = if style.is_bold { " font-weight=\"bold\"" } else { "" };
    let italic = if style.is_italic { " font-style=\"italic\"" } else { "" };
    format!("fill=\"{color}\"{bold}{italic}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The space around the text, in pixels.
const MARGIN: usize = 16;
/// The height of the window's title.
const TITLE: usize = 20;
/// The height of a line.
const ROW: usize = 20;
/// The width of a character, in tenths of a pixel.
const CELL: usize = 84;

/// The colours with the numbers 0 to 7, and 8 to 15, which are brighter on some terminals.
const COLORS: [&str; 8] =
    ["#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#e6edf3"];
