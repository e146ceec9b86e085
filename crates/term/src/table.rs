//! A table, which is held until it ends, because each row may make its columns wider.
//!
//! This module lays out cells and widths. After [`MOST_ROWS`] rows the widths stay as they are, and
//! rows are emitted from then on. A table that is too wide has narrower columns, in which cells are
//! wrapped; one with too many columns for this is shown as a list of its cells.

use crate::inline::{InlinePiece, LEAD, write_text};
use crate::scan;
use crate::signs::Signs;
use crate::{Line, Style, TextRole};

/// A table that may grow.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// The beginning of the next row.
    first: Line,
    /// The beginning of each row after it.
    rest: Line,
    sides: Vec<Side>,
    head: Vec<Line>,
    /// Rows that were not emitted.
    held: Vec<Vec<Line>>,
    /// The widths of the columns, once a row was emitted.
    widths: Option<Vec<usize>>,
}

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

impl Table {
    /// Returns the table that two lines begin, if they do. The first one may begin with `first`, and
    /// each row after it with `rest`.
    pub(crate) fn new(head: &str, rule: &str) -> Option<Self> {
        let sides: Option<Vec<_>> = cells(rule).iter().map(|cell| side(cell)).collect();
        let sides = sides.filter(|_| scan::is_table_rule(rule))?;
        let head = cells(head);
        (head.len() == sides.len()).then(|| Self {
            first: Line::new(),
            rest: Line::new(),
            head: head.iter().map(|cell| cell_line(cell, Style::PLAIN.bold())).collect(),
            sides,
            held: Vec::new(),
            widths: None,
        })
    }

    /// Returns the table with the beginnings of its first row, and of each row after it.
    pub(crate) fn with_prefixes(mut self, (first, rest): (Line, Line)) -> Self {
        (self.first, self.rest) = (first, rest);
        self
    }

    /// Continues with other signs of the containers, because the width has changed.
    pub(crate) fn set_prefix(&mut self, rest: Line) {
        if self.widths.is_some() {
            self.first = rest.clone();
        }
        self.rest = rest;
    }

    /// Takes the next row.
    pub(crate) fn push(&mut self, row: &str, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        let mut cells = cells(row);
        // Cells without a column belong to the last one.
        let more = cells.split_off(cells.len().min(self.sides.len()));
        if let Some(last) = cells.last_mut() {
            for cell in more {
                last.push_str(" | ");
                last.push_str(&cell);
            }
        }
        let mut cells: Vec<_> = cells.iter().map(|cell| cell_line(cell, Style::PLAIN)).collect();
        cells.resize_with(self.sides.len(), Line::new);
        self.held.push(cells);
        if self.held.len() >= MOST_ROWS || self.widths.is_some() {
            self.emit(width, signs, rows);
        }
    }

    /// Emits the rows that are held.
    pub(crate) fn finish(mut self, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        if self.widths.is_none() || !self.held.is_empty() {
            self.emit(width, signs, rows);
        }
    }

    fn emit(&mut self, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        let room = width.saturating_sub(self.rest.width());
        let between = signs.column.chars().count() * (self.sides.len() - 1);
        let room = room.saturating_sub(between);
        let is_begun = self.widths.is_some();
        let held = std::mem::take(&mut self.held);
        if room < LEAST_COLUMN * self.sides.len() {
            self.widths.get_or_insert_default();
            held.iter().for_each(|row| self.emit_list(row, width, rows));
            if !is_begun && held.is_empty() {
                self.emit_list(&vec![Line::new(); self.sides.len()], width, rows);
            }
            return;
        }
        let mut widths = match self.widths.take() {
            Some(widths) if !widths.is_empty() => widths,
            _ => {
                let width = |column: usize| {
                    let cells = held.iter().map(|row| row[column].width());
                    cells.chain([self.head[column].width(), 1]).max().unwrap_or(1)
                };
                (0..self.sides.len()).map(width).collect()
            }
        };
        fit(&mut widths, room);
        if !is_begun {
            let head = self.head.clone();
            self.emit_row(&head, &widths, signs, rows);
            self.emit_rule(&widths, signs, rows);
        }
        let is_wrapped =
            |row: &Vec<Line>| row.iter().zip(&widths).any(|(cell, width)| cell.width() > *width);
        let has_rules = held.iter().any(is_wrapped);
        for (index, row) in held.iter().enumerate() {
            if has_rules && (index > 0 || is_begun) {
                self.emit_rule(&widths, signs, rows);
            }
            self.emit_row(row, &widths, signs, rows);
        }
        self.widths = Some(widths);
    }

    /// Emits a row, which takes several lines if a cell is wrapped.
    fn emit_row(&mut self, cells: &[Line], widths: &[usize], signs: &Signs, rows: &mut Vec<Line>) {
        let wrapped: Vec<_> =
            cells.iter().zip(widths).map(|(cell, width)| cell.wrap(*width, 0)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or_default();
        for index in 0..height {
            let mut row = self.prefix();
            for (column, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
                if column > 0 {
                    row.push_clean(signs.column, Style::new(TextRole::Sign));
                }
                let empty = Line::new();
                let cell = cell.get(index).unwrap_or(&empty);
                let spaces = width.saturating_sub(cell.width());
                let before = match self.sides[column] {
                    Side::Left => 0,
                    Side::Middle => spaces / 2,
                    Side::Right => spaces,
                };
                row.push_clean(&" ".repeat(before), Style::PLAIN);
                row.append(cell);
                row.push_clean(&" ".repeat(spaces - before), Style::PLAIN);
            }
            row.trim_end();
            rows.push(row);
        }
    }

    fn emit_rule(&mut self, widths: &[usize], signs: &Signs, rows: &mut Vec<Line>) {
        let mut row = self.prefix();
        for (column, width) in widths.iter().enumerate() {
            let cross = if column > 0 { signs.cross } else { "" };
            row.push_clean(cross, Style::new(TextRole::Sign));
            row.push_clean(&signs.rule.repeat(*width), Style::new(TextRole::Sign));
        }
        rows.push(row);
    }

    /// Emits the cells of a row one below the other, each after the name of its column.
    fn emit_list(&mut self, cells: &[Line], width: usize, rows: &mut Vec<Line>) {
        for (head, cell) in self.head.clone().iter().zip(cells) {
            let mut line = self.prefix();
            line.append(head);
            line.push_clean(": ", Style::PLAIN);
            line.append(cell);
            let indent = self.rest.width();
            rows.extend(line.wrap(width, indent + 2));
        }
        let mut row = self.prefix();
        row.trim_end();
        rows.push(row);
    }

    fn prefix(&mut self) -> Line {
        std::mem::replace(&mut self.first, self.rest.clone())
    }
}

/// Makes the widest columns narrower until all fit.
fn fit(widths: &mut [usize], room: usize) {
    let mut order: Vec<_> = (0..widths.len()).collect();
    order.sort_by_key(|column| widths[*column]);
    let mut left = room;
    for (index, column) in order.iter().enumerate() {
        let share = left / (order.len() - index);
        widths[*column] = widths[*column].min(share.max(1));
        left = left.saturating_sub(widths[*column]);
    }
}

/// Returns the cells of a row, without the signs between them.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = row.chars();
    while let Some(char) = chars.next() {
        match char {
            '|' => cells.push(std::mem::take(&mut cell)),
            '\\' => match chars.next() {
                Some('|') => cell.push('|'),
                next => cell.extend([Some('\\'), next].into_iter().flatten()),
            },
            _ => cell.push(char),
        }
    }
    if !cell.trim().is_empty() || cells.is_empty() {
        cells.push(cell);
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Returns the alignment of a column by the cell below its head.
fn side(cell: &str) -> Option<Side> {
    let dashes = cell.trim_matches(':');
    if dashes.is_empty() || dashes.contains(|char| char != '-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        _ => Side::Left,
    })
}

/// Returns the text of a cell with its styles.
fn cell_line(cell: &str, base: Style) -> Line {
    let mut line = Line::new();
    if !cell.is_empty() {
        write_text(&format!("{LEAD}{cell}"), base, &mut |piece| match piece {
            InlinePiece::Text(text, style) => line.push_clean(text, style),
            InlinePiece::Break => line.push_clean(" ", base),
        });
    }
    line
}

/// The number of rows after which the widths of the columns stay as they are.
const MOST_ROWS: usize = 24;

/// The minimum columns that a cell is wrapped to.
const LEAST_COLUMN: usize = 6;
