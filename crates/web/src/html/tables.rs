//! The tables that are written as tables.
//!
//! A Markdown table has all cells of a column in the same width, so its size is the product of its
//! rows, its columns and its longest cells. This module finds the tables whose product is small.
//! Another module writes them.

use std::collections::HashMap;

use super::tree::{HtmlNodeKind, HtmlTree};

/// The tables of a page that are written as tables. The rest are written as blocks.
pub(super) struct MarkdownTables(HashMap<usize, TableSize>);

#[derive(Default)]
struct TableSize {
    rows: usize,
    columns: usize,
    longest: usize,
    /// The cells of the current row.
    cells: usize,
    /// The length of the current cell.
    cell: usize,
    has_header: bool,
    has_table: bool,
}

impl MarkdownTables {
    /// Measures the tables of a page.
    pub(super) fn new(tree: &HtmlTree<'_>) -> Self {
        let mut tables: HashMap<usize, TableSize> = HashMap::new();
        // The table around each node, or 0.
        let mut around = vec![0; tree.nodes.len()];
        for (node, parent) in tree.nodes.iter().enumerate().map(|(at, node)| (at, node.parent)) {
            let outer = around[parent];
            around[node] = if tree.name(node) == "table" { node } else { outer };
            match (&tree.nodes[node].kind, tables.get_mut(&outer)) {
                (HtmlNodeKind::Text(text), Some(size)) => size.add_text(text),
                (HtmlNodeKind::Element(tag), Some(size)) => size.add_element(&tag.name),
                (_, None) => {}
            }
            if tree.name(node) == "table" {
                tables.insert(node, TableSize::default());
            }
        }
        tables.retain(|_, size| size.fits());
        Self(tables)
    }

    /// Returns whether a table is written as a table.
    pub(super) fn has(&self, table: usize) -> bool {
        self.0.contains_key(&table)
    }
}

impl TableSize {
    fn add_text(&mut self, text: &str) {
        self.cell += text.len();
        self.longest = self.longest.max(self.cell);
    }

    fn add_element(&mut self, name: &str) {
        match name {
            "tr" => (self.rows, self.cells) = (self.rows + 1, 0),
            "td" | "th" => {
                (self.cells, self.cell) = (self.cells + 1, 0);
                self.columns = self.columns.max(self.cells);
                self.has_header |= name == "th";
            }
            "table" => self.has_table = true,
            _ => {}
        }
    }

    /// Returns whether it has headers, no table in it, and a small size.
    const fn fits(&self) -> bool {
        let size = self.rows.saturating_mul(self.columns).saturating_mul(self.longest);
        self.has_header && !self.has_table && size <= MAX_SIZE
    }
}

/// The maximum size of a table in bytes.
const MAX_SIZE: usize = 256 << 10;
