//! Quotes and items of lists, and the signs at the beginnings of their rows.
//!
//! This module has containers and their signs, whatever they contain.

use crate::columns::columns;
use crate::scan::{self, ContainerKind, Marker};
use crate::signs::Signs;
use crate::{Line, Style, TextRole};

/// An open container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    pub(crate) kind: ContainerKind,
    /// Whether no row of it was emitted yet.
    pub(crate) is_new: bool,
}

impl Container {
    /// Returns the part of the line in the container, if the line continues it.
    pub(crate) fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        match self.kind {
            ContainerKind::Quote => scan::quote(line),
            ContainerKind::Item { indent, .. } => {
                if scan::is_blank(line) {
                    return Some("");
                }
                (scan::indent(line) >= indent).then(|| &line[indent..])
            }
        }
    }
}

/// Returns the beginnings of the next row, and of each row after it.
///
/// Signs take at most half of the width: signs of deeper containers are left out.
pub(crate) fn prefixes(containers: &[Container], width: usize, signs: &Signs) -> (Line, Line) {
    let (mut first, mut rest) = (Line::new(), Line::new());
    let mut left = width / 2;
    let style = Style::new(TextRole::Sign);
    for container in containers {
        let number;
        let sign = match container.kind {
            ContainerKind::Quote => signs.bar,
            ContainerKind::Item { marker: Marker::Bullet, .. } => signs.bullet,
            ContainerKind::Item { marker: Marker::Number(value, delimiter), .. } => {
                number = format!("{value}{delimiter} ");
                &number
            }
        };
        let Some(after) = left.checked_sub(columns(sign)) else { break };
        left = after;
        let is_bar = matches!(container.kind, ContainerKind::Quote);
        let spaces = &SPACES[..columns(sign)];
        first.push_clean(if is_bar || container.is_new { sign } else { spaces }, style);
        rest.push_clean(if is_bar { sign } else { spaces }, style);
    }
    (first, rest)
}

const SPACES: &str = "            ";
