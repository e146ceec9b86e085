//! The blocks of a Markdown document, line by line.
//!
//! This module tracks which blocks are open: the containers, such as the items of lists, and the
//! leaf in the last of them. It is in one of these states: between two lines, or within a long
//! line, whose beginning decided where it belongs. A line is read once, and completed rows are
//! emitted. `leaf` turns the text of a leaf into rows.

use crate::container::{Container, prefixes};
use crate::leaf::Leaf;
use crate::paragraph::Paragraph;
use crate::scan::{self, ContainerKind};
use crate::signs::Signs;
use crate::table::Table;
use crate::verbatim::{Verbatim, VerbatimEnd, VerbatimLine};
use crate::wrap::Flow;
use crate::{Line, Style, TextRole};

#[derive(Debug)]
pub(crate) struct Document {
    width: usize,
    signs: Signs,
    containers: Vec<Container>,
    leaf: Leaf,
    /// Whether blank lines came since the last leaf.
    is_apart: bool,
    /// Whether a row was begun.
    is_begun: bool,
}

impl Document {
    pub(crate) fn new(width: usize, signs: Signs) -> Self {
        Self {
            width,
            signs,
            containers: Vec::new(),
            leaf: Leaf::None,
            is_apart: false,
            is_begun: false,
        }
    }

    /// Takes a complete line, and emits the rows that it completes.
    pub(crate) fn push_line(&mut self, line: &str, rows: &mut Vec<Line>) {
        self.take(line, true, rows);
    }

    /// Takes the beginning of a long line. Returns whether its rest may follow in parts; if not,
    /// nothing is taken.
    pub(crate) fn begin_line(&mut self, line: &str, rows: &mut Vec<Line>) -> bool {
        let (matched, rest) = self.matched(line);
        let is_row = matches!(self.leaf, Leaf::Table(_)) || rest.starts_with('|');
        let is_verbatim =
            matches!(self.leaf, Leaf::Verbatim(_)) && matched == self.containers.len();
        if (is_row || is_verbatim) && line.len() < LONGEST_WAIT {
            return false;
        }
        self.take(line, false, rows);
        true
    }

    /// Takes the next part of a long line.
    pub(crate) fn continue_line(&mut self, text: &str, rows: &mut Vec<Line>) {
        match &mut self.leaf {
            Leaf::Paragraph(paragraph) => paragraph.push(text, rows),
            Leaf::Verbatim(block) => block.push_part(text, self.width, &self.signs, rows),
            Leaf::None | Leaf::Table(_) => {}
        }
    }

    /// Ends a long line.
    pub(crate) fn end_line(&mut self, rows: &mut Vec<Line>) {
        if let Leaf::Verbatim(block) = &mut self.leaf {
            block.end_line(self.width, &self.signs, rows);
        }
    }

    /// Emits all rows that are left.
    pub(crate) fn finish(&mut self, rows: &mut Vec<Line>) {
        self.close(0, rows);
    }

    /// Returns a copy with the same rows, which continues without syntax colours.
    pub(crate) fn without_colours(&self) -> Self {
        Self { containers: self.containers.clone(), leaf: self.leaf.without_colours(), ..*self }
    }

    /// Continues in another width.
    pub(crate) fn set_width(&mut self, width: usize, rows: &mut Vec<Line>) {
        self.width = width;
        let (_, rest) = prefixes(&self.containers, width, &self.signs);
        match &mut self.leaf {
            Leaf::None => {}
            Leaf::Paragraph(paragraph) => paragraph.set_width(width, rest, rows),
            Leaf::Verbatim(block) => block.set_prefix(rest),
            Leaf::Table(table) => table.set_prefix(rest),
        }
    }

    /// Takes a line, or with `is_whole` unset the beginning of a long one.
    fn take(&mut self, line: &str, is_whole: bool, rows: &mut Vec<Line>) {
        let (matched, mut rest) = self.matched(line);
        let is_inside = matched == self.containers.len();
        if is_inside && self.take_verbatim(rest, is_whole, rows) {
            return;
        }
        if scan::is_blank(rest) {
            self.close(matched, rows);
            self.is_apart = true;
            return;
        }
        let is_paragraph = matches!(self.leaf, Leaf::Paragraph(_));
        let mut is_new = false;
        while let Some((kind, inner)) = self.container(rest, is_paragraph && is_inside && !is_new) {
            if !is_new {
                self.close(matched, rows);
            }
            is_new = true;
            self.containers.push(Container { kind, is_new: true });
            rest = inner;
        }
        if is_new && scan::is_blank(rest) {
            return;
        }
        if !is_inside && !is_new {
            // A line of a paragraph may lack the signs of the containers.
            if is_paragraph && !scan::ends_paragraph(rest) {
                self.continue_paragraph(rest, is_whole, rows);
                return;
            }
            self.close(matched, rows);
        }
        if is_whole {
            self.take_leaf(rest, rows);
        } else {
            self.take_long_leaf(rest, rows);
        }
    }

    /// Returns the number of containers that the line continues, and its text in the last of them.
    fn matched<'a>(&self, line: &'a str) -> (usize, &'a str) {
        let mut rest = line;
        for (index, container) in self.containers.iter().enumerate() {
            match container.strip(rest) {
                Some(inner) => rest = inner,
                None => return (index, rest),
            }
        }
        (self.containers.len(), rest)
    }

    /// Returns the container that begins here, if there is one.
    fn container<'a>(&self, rest: &'a str, interrupts: bool) -> Option<(ContainerKind, &'a str)> {
        if self.containers.len() >= MOST_CONTAINERS {
            return None;
        }
        if let Some(inner) = scan::quote(rest) {
            return Some((ContainerKind::Quote, inner));
        }
        if scan::is_rule(rest) {
            return None;
        }
        // In a paragraph, a number that begins a line is most often a part of its text.
        scan::item(rest)
            .filter(|(kind, inner)| !interrupts || !scan::is_blank(inner) && kind.may_interrupt())
    }

    /// Passes a line to the open block of code or HTML. Returns whether it was taken.
    fn take_verbatim(&mut self, rest: &str, is_whole: bool, rows: &mut Vec<Line>) -> bool {
        let Leaf::Verbatim(block) = &mut self.leaf else { return false };
        if !is_whole {
            block.push_part(rest, self.width, &self.signs, rows);
            return true;
        }
        let line = if scan::is_blank(rest) { "" } else { rest };
        match block.push_line(line, self.width, &self.signs, rows) {
            VerbatimLine::Taken => true,
            VerbatimLine::Last => {
                self.leaf = Leaf::None;
                true
            }
            VerbatimLine::NotTaken => {
                self.leaf = Leaf::None;
                false
            }
        }
    }

    /// Takes a complete line within the open containers.
    fn take_leaf(&mut self, rest: &str, rows: &mut Vec<Line>) {
        if self.take_underline(rest, rows) || self.take_table_line(rest, rows) {
            return;
        }
        let is_paragraph = matches!(self.leaf, Leaf::Paragraph(_));
        if let Some((fence, info)) = scan::fence(rest) {
            let mut block = self.verbatim(VerbatimEnd::Fence(fence), rows);
            block.begin_fence(info, self.width, &self.signs, rows);
            self.leaf = Leaf::Verbatim(block);
        } else if let Some((level, text)) = scan::heading(rest) {
            let mut paragraph = self.paragraph(rows);
            paragraph.set_heading(level, rows);
            paragraph.push(text, rows);
            paragraph.finish(rows);
        } else if scan::is_rule(rest) {
            let (mut row, _) = self.begin_leaf(rows);
            let left = self.width.saturating_sub(row.width());
            row.push_clean(&self.signs.rule.repeat(left), Style::new(TextRole::Sign));
            rows.push(row);
        } else if let Some(end) = scan::html(rest) {
            let block = self.verbatim(VerbatimEnd::Html(end), rows);
            self.leaf = Leaf::Verbatim(block);
            self.take_verbatim(rest, true, rows);
        } else if !is_paragraph && scan::indent(rest) >= scan::CODE_INDENT {
            let block = self.verbatim(VerbatimEnd::Indent, rows);
            self.leaf = Leaf::Verbatim(block);
            self.take_verbatim(rest, true, rows);
        } else {
            self.continue_paragraph(rest, true, rows);
        }
    }

    /// Takes the beginning of a long line within the open containers.
    fn take_long_leaf(&mut self, rest: &str, rows: &mut Vec<Line>) {
        let is_paragraph = matches!(self.leaf, Leaf::Paragraph(_));
        let end = if let Some(end) = scan::html(rest) {
            VerbatimEnd::Html(end)
        } else if !is_paragraph && scan::indent(rest) >= scan::CODE_INDENT {
            VerbatimEnd::Indent
        } else {
            if let Some((level, text)) = scan::heading(rest) {
                let mut paragraph = self.paragraph(rows);
                paragraph.set_heading(level, rows);
                paragraph.push(text, rows);
                self.leaf = Leaf::Paragraph(paragraph);
            } else {
                self.continue_paragraph(rest, false, rows);
            }
            return;
        };
        let mut block = self.verbatim(end, rows);
        block.push_part(rest, self.width, &self.signs, rows);
        self.leaf = Leaf::Verbatim(block);
    }

    /// Takes a line that makes a heading of the open paragraph.
    fn take_underline(&mut self, rest: &str, rows: &mut Vec<Line>) -> bool {
        let Some(level) = scan::underline(rest) else { return false };
        match std::mem::take(&mut self.leaf) {
            Leaf::Paragraph(mut paragraph) if paragraph.is_open() => {
                paragraph.set_heading(level, rows);
                paragraph.finish(rows);
                true
            }
            leaf => {
                self.leaf = leaf;
                false
            }
        }
    }

    /// Takes a line of a table, or the line that turns the line before into a table.
    fn take_table_line(&mut self, rest: &str, rows: &mut Vec<Line>) -> bool {
        if let Leaf::Table(table) = &mut self.leaf {
            let is_row = !scan::ends_paragraph(rest);
            if is_row {
                table.push(rest, self.width, &self.signs, rows);
            }
            return is_row;
        }
        let Leaf::Paragraph(paragraph) = &self.leaf else { return false };
        let Some(table) = paragraph.table_head().and_then(|head| Table::new(head, rest)) else {
            return false;
        };
        if let Leaf::Paragraph(paragraph) = std::mem::take(&mut self.leaf) {
            let prefixes = paragraph.finish_before_table(rows);
            self.leaf = Leaf::Table(table.with_prefixes(prefixes));
        }
        true
    }

    fn continue_paragraph(&mut self, rest: &str, is_whole: bool, rows: &mut Vec<Line>) {
        let is_definition = is_whole && scan::is_definition(rest);
        let mut paragraph = match std::mem::take(&mut self.leaf) {
            // Each definition starts a new row.
            Leaf::Paragraph(paragraph) if !(is_definition && paragraph.is_definition) => paragraph,
            leaf => {
                self.leaf = leaf;
                let mut paragraph = self.paragraph(rows);
                paragraph.is_definition = is_definition;
                paragraph
            }
        };
        paragraph.begin_line();
        paragraph.push(rest, rows);
        self.leaf = Leaf::Paragraph(paragraph);
    }

    fn paragraph(&mut self, rows: &mut Vec<Line>) -> Paragraph {
        let (first, rest) = self.begin_leaf(rows);
        Paragraph::new(Flow::new(self.width, first, rest))
    }

    fn verbatim(&mut self, end: VerbatimEnd, rows: &mut Vec<Line>) -> Verbatim {
        let (first, rest) = self.begin_leaf(rows);
        Verbatim::new(end, first, rest)
    }

    /// Closes the leaf, and returns the beginnings of the next leaf's first row, and of each row
    /// after it.
    fn begin_leaf(&mut self, rows: &mut Vec<Line>) -> (Line, Line) {
        self.close_leaf(rows);
        if std::mem::take(&mut self.is_apart) && self.is_begun {
            let old = self.containers.iter().take_while(|container| !container.is_new).count();
            let (mut row, _) = prefixes(&self.containers[..old], self.width, &self.signs);
            row.trim_end();
            rows.push(row);
        }
        self.is_begun = true;
        let prefixes = prefixes(&self.containers, self.width, &self.signs);
        self.containers.iter_mut().for_each(|container| container.is_new = false);
        prefixes
    }

    /// Closes the leaf and all but the first containers.
    fn close(&mut self, kept: usize, rows: &mut Vec<Line>) {
        self.close_leaf(rows);
        let is_empty = |container: &Container| container.is_new;
        if self.containers[kept..].last().is_some_and(is_empty) {
            // An item without text has its marker.
            let (mut row, _) = self.begin_leaf(rows);
            row.trim_end();
            rows.push(row);
        }
        self.containers.truncate(kept);
    }

    fn close_leaf(&mut self, rows: &mut Vec<Line>) {
        std::mem::take(&mut self.leaf).finish(self.width, &self.signs, rows);
    }
}

/// The depth of nested containers at which their signs are text.
const MOST_CONTAINERS: usize = 24;

/// The maximum length of a line up to which a row of a table or a line of code is not shown in
/// parts.
const LONGEST_WAIT: usize = 4096;
