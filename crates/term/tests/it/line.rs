//! Lines, and their wrapping.

use proptest::prelude::*;
use silcrow_sanitize::sanitize_line;
use silcrow_term::{Line, Span, Style, TextRole};
use unicode_segmentation::UnicodeSegmentation as _;

fn rows(text: &str, width: usize, indent: usize) -> Vec<String> {
    Line::styled(text, Style::PLAIN).wrap(width, indent).iter().map(Line::to_string).collect()
}

#[test]
fn text_is_data() {
    let line =
        Line::new().with_text("a\x1b[2J\n\u{202e}", Style::PLAIN).with_text("b", Style::PLAIN);
    assert_eq!(line.text(), r"a\x1b[2J\x0a\u{202e}b");
    assert_eq!(line.spans().count(), 1);
}

#[test]
fn tabs_end_at_columns() {
    let line = Line::styled("\ta\tabcd\t東\t", Style::PLAIN);
    assert_eq!(line.text(), "    a   abcd    東  ");
    assert_eq!(line.width(), 20);
}

#[test]
fn rows_keep_their_styles() {
    let bold = Style::PLAIN.bold();
    let line = Line::styled("one two", bold).with_text("three", Style::PLAIN);
    let rows = line.wrap(9, 2);
    assert_eq!(rows[0], Line::styled("one", bold));
    let spans: Vec<_> = rows[1].spans().map(|Span { text, style, .. }| (text, style)).collect();
    assert_eq!(spans, [("  ", Style::PLAIN), ("two", bold), ("thre", Style::PLAIN)]);
    assert_eq!(rows[2].text(), "  e");
}

#[test]
fn words_are_wrapped() {
    assert_eq!(rows("", 10, 2), [""]);
    assert_eq!(rows("a bc def", 4, 0), ["a bc", "def"]);
    assert_eq!(rows("  a  b", 6, 2), ["  a  b"]);
    assert_eq!(rows("ab   cd", 6, 0), ["ab", "cd"]);
    assert_eq!(rows("ab ", 2, 0), ["ab"]);
    assert_eq!(rows("a abcdefghij", 4, 2), ["a", "  ab", "  cd", "  ef", "  gh", "  ij"]);
    assert_eq!(rows("abc", 0, 2), ["a", "b", "c"]);
    assert_eq!(rows("東京 東京、東", 7, 0), ["東京 東", "京、東"]);
    assert_eq!(rows("東京、東", 4, 0), ["東", "京、", "東"]);
    assert_eq!(rows("👩‍👩‍👧👩‍👩‍👧", 2, 0), ["👩‍👩‍👧", "👩‍👩‍👧"]);
}

#[test]
fn long_lines_are_shortened() {
    let line = Line::styled("ab東京", Style::new(TextRole::Accent));
    let short: Vec<_> = (0..7).map(|width| line.shortened(width).to_string()).collect();
    assert_eq!(short, ["", "…", "a…", "ab…", "ab…", "ab東…", "ab東京"]);
}

proptest! {
    #[test]
    fn wrapping_loses_nothing(
        pieces in prop::collection::vec(("[ab東é\u{301}👩\u{200d}\\- \t\u{1b}]{0,12}", any::<bool>()), 0..8),
        width in 0usize..14,
        indent in 0usize..5,
    ) {
        let mut line = Line::new();
        for (text, is_bold) in &pieces {
            line.push(text, if *is_bold { Style::PLAIN.bold() } else { Style::PLAIN });
        }
        let whole: String = line.text().split(' ').collect();
        let mut wrapped = String::new();
        for row in line.wrap(width, indent) {
            prop_assert_eq!(sanitize_line(row.text()), row.text());
            prop_assert!(row.width() <= width || row.text().trim().graphemes(true).count() == 1);
            wrapped.extend(row.text().split(' '));
        }
        // A mark whose space ends a row becomes its number.
        let shown = |text: &str| text.replace("\\u{301}", "\u{301}").replace("\\u{200d}", "\u{200d}");
        prop_assert_eq!(shown(&wrapped), shown(&whole));
    }
}
