//! The look of a line that is typed: its rows, the cursor, and the menu below.

use silcrow_term::{Line, Style};
use unicode_segmentation::UnicodeSegmentation as _;

use super::line_buffer::LineBuffer;
use super::offer_menu::OfferMenu;
use crate::live::TypedRows;

/// The shown parts of a line.
pub(super) struct TypedView<'a> {
    /// The beginning of the first row.
    pub(super) label: &'a Line,
    pub(super) buffer: &'a LineBuffer,
    /// The words after the end of the text.
    pub(super) hint: Option<&'a str>,
    pub(super) menu: Option<&'a OfferMenu>,
    /// The sign of the chosen row.
    pub(super) sign: &'static str,
}

impl TypedView<'_> {
    /// Returns the rows for a terminal of this size.
    pub(super) fn rows(&self, columns: usize, most: usize) -> TypedRows {
        let columns = columns.max(MIN_COLUMNS);
        let (mut rows, cursor) = self.text(columns);
        if let (Some(hint), Some(last)) = (self.hint, rows.last_mut()) {
            let room = columns.saturating_sub(last.width());
            last.append(&Line::styled(hint, Style::PLAIN.dim()).shortened(room));
        }
        let menu = self.menu.map(|menu| menu.rows(self.sign, columns, most.saturating_sub(2) / 2));
        let menu = menu.unwrap_or_default();
        // A text with more rows than there are shows those around the cursor.
        let room = most.saturating_sub(menu.len()).max(1);
        let last = (cursor.0 + 1).max(room).min(rows.len());
        rows.truncate(last);
        let hidden = rows.len().saturating_sub(room);
        rows.drain(..hidden);
        rows.extend(menu);
        TypedRows { rows, cursor: (cursor.0.saturating_sub(hidden), cursor.1) }
    }

    /// Returns the rows of the text, and the place of the cursor.
    fn text(&self, columns: usize) -> (Vec<Line>, (usize, usize)) {
        let (text, at) = (self.buffer.text(), self.buffer.at());
        let (mut rows, mut row, mut cursor) = (Vec::new(), self.label.clone(), None);
        for (start, grapheme) in text.grapheme_indices(true) {
            let element = grapheme.chars().next().and_then(|char| self.buffer.label(char));
            let (piece, style) = match &element {
                Some(label) => (&**label, Style::PLAIN.dim()),
                // On a row that is cut, a tab takes one column.
                None if grapheme == "\t" => (" ", Style::PLAIN),
                None => (grapheme, Style::PLAIN),
            };
            let is_break = grapheme == "\n";
            let width = if is_break { 0 } else { Line::styled(piece, style).width() };
            if row.width() + width > columns {
                rows.push(std::mem::replace(&mut row, Line::styled(INDENT, Style::PLAIN)));
            }
            if start == at {
                cursor = Some((rows.len(), row.width()));
            }
            match is_break {
                true => rows.push(std::mem::replace(&mut row, Line::styled(INDENT, Style::PLAIN))),
                false => row.push(piece, style),
            }
        }
        let end = (rows.len(), row.width());
        rows.push(row);
        (rows, cursor.unwrap_or(end))
    }
}

/// The beginning of the rows after the first one.
const INDENT: &str = "  ";

/// The least number of columns that rows are made for.
const MIN_COLUMNS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, at: usize, columns: usize, most: usize) -> TypedRows {
        let mut buffer = LineBuffer::default();
        buffer.set(text);
        buffer.move_to(at);
        let label = Line::styled("> ", Style::PLAIN);
        let (buffer, hint) = (&buffer, Some(" hint"));
        TypedView { label: &label, buffer, hint, menu: None, sign: ">" }.rows(columns, most)
    }

    fn texts(shown: &TypedRows) -> Vec<String> {
        shown.rows.iter().map(|row| row.text().to_owned()).collect()
    }

    #[test]
    fn wrapped_text_keeps_the_cursor_in_its_row() {
        let rows = shown("abcdefghij\nxy", 9, 10, 20);
        assert_eq!(texts(&rows), ["> abcdefgh", "  ij", "  xy hint"]);
        assert_eq!(rows.cursor, (1, 3));
        assert_eq!(shown("abcdefghij\nxy", 13, 10, 20).cursor, (2, 4));
        assert_eq!(shown("", 0, 10, 20).cursor, (0, 2));
    }

    #[test]
    fn tight_space_shows_rows_around_the_cursor() {
        let text = "1\n2\n3\n4\n5\n6";
        assert_eq!(texts(&shown(text, 0, 20, 3)), ["> 1", "  2", "  3"]);
        let end = shown(text, text.len(), 20, 3);
        assert_eq!(
            (texts(&end), end.cursor),
            (vec!["  4".into(), "  5".into(), "  6 hint".into()], (2, 3))
        );
    }

    #[test]
    fn rows_fit_at_every_width_and_obey_nothing() {
        let text = "one two 東京東京東京東京東京 \u{202e}three e\u{301}\u{301}\tfour";
        for columns in 10..60 {
            for at in text.char_indices().map(|(at, _)| at) {
                let rows = shown(text, at, columns, 20);
                assert!(rows.rows.iter().all(|row| row.width() <= columns), "{columns}");
                assert!(rows.rows.iter().all(|row| !row.text().contains('\u{202e}')));
                assert!(rows.cursor.0 < rows.rows.len() && rows.cursor.1 <= columns);
            }
        }
    }
}
