//! The blocks that contain text and no other blocks.

use crate::Line;
use crate::paragraph::Paragraph;
use crate::signs::Signs;
use crate::table::Table;
use crate::verbatim::Verbatim;

/// The open block that has text, if one is open.
#[derive(Debug, Default)]
pub(crate) enum Leaf {
    #[default]
    None,
    /// Text, which may still become a heading or a table.
    Paragraph(Paragraph),
    Table(Table),
    Verbatim(Verbatim),
}

impl Leaf {
    /// Emits the rows that are left.
    pub(crate) fn finish(self, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        match self {
            Self::None => {}
            Self::Paragraph(paragraph) => paragraph.finish(rows),
            Self::Table(table) => table.finish(width, signs, rows),
            Self::Verbatim(mut block) => block.finish(width, signs, rows),
        }
    }

    /// Returns a copy that continues without syntax colours.
    pub(crate) fn without_colours(&self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Paragraph(paragraph) => Self::Paragraph(paragraph.clone()),
            Self::Table(table) => Self::Table(table.clone()),
            Self::Verbatim(block) => Self::Verbatim(block.without_colours()),
        }
    }
}
