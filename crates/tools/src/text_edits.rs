//! Edits of a text: an exact piece of it is replaced, either the only one or all of them.
//!
//! All edits apply or none does. A piece may have other line ends than the text, because a model
//! does not see them. This module handles text, without files.

use std::borrow::Cow;

use serde::Deserialize;

use crate::line_ends::{LineEnds, with_cr_lf};
use crate::messages::count;
use crate::nearest_text;

/// The replacement of a piece of a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextEdit {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Whether every occurrence is replaced.
    #[serde(default)]
    pub(crate) all: bool,
}

/// A text after its edits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditedText {
    pub(crate) text: String,
    /// The number of pieces that were replaced.
    pub(crate) places: usize,
}

/// Applies the edits one after the other.
///
/// # Errors
///
/// Returns the reason why one of them does not apply, for the model.
pub(crate) fn apply_edits(text: &str, edits: &[TextEdit]) -> Result<EditedText, String> {
    if edits.is_empty() {
        return Err("`edits` is empty; write at least one edit".to_owned());
    }
    let mut edited = EditedText { text: text.to_owned(), places: 0 };
    for (edit, number) in edits.iter().zip(1..) {
        let which = match edits.len() {
            1 => String::new(),
            all => format!("edit {number} of {all}: "),
        };
        let places = apply(&mut edited.text, edit)
            .map_err(|why| format!("{which}nothing was changed, because {why}"))?;
        edited.places += places;
    }
    match edited.text == text {
        true => Err("nothing was changed, because the edits undo each other".to_owned()),
        false => Ok(edited),
    }
}

/// Applies an edit, and returns the number of pieces that it replaced.
fn apply(text: &mut String, edit: &TextEdit) -> Result<usize, String> {
    if edit.old.is_empty() {
        return Err("`old` is empty; write the text before or after the place to add to".to_owned());
    }
    if edit.old == edit.new {
        return Err("`old` and `new` are the same".to_owned());
    }
    let (old, new) = in_line_ends_of(text, &edit.old, &edit.new);
    let places = occurrences(text, &old);
    match &places[..] {
        [] => Err(nearest_text::explain(text, &edit.old, &edit.new)),
        [place] => {
            text.replace_range(*place..*place + old.len(), &new);
            Ok(1)
        }
        all if !edit.all => Err(ambiguous(text, all)),
        _ => {
            let places = text.matches(&*old).count();
            *text = text.replace(&*old, &new);
            Ok(places)
        }
    }
}

/// Returns the two texts of an edit with the line ends of the text, if only those keep the first
/// from being found.
pub(crate) fn in_line_ends_of<'e>(
    text: &str,
    old: &'e str,
    new: &'e str,
) -> (Cow<'e, str>, Cow<'e, str>) {
    let has_line_end = old.contains('\n');
    if text.contains(old) {
        let is_windows = LineEnds::detect(if has_line_end { old } else { text }) == LineEnds::CrLf;
        return (old.into(), if is_windows { with_cr_lf(new) } else { new.into() });
    }
    let windows = with_cr_lf(old);
    if has_line_end && text.contains(&*windows) {
        return (windows, with_cr_lf(new));
    }
    let unix = old.replace("\r\n", "\n");
    match text.contains(&unix) {
        true => (unix.into(), new.replace("\r\n", "\n").into()),
        false => (old.into(), new.into()),
    }
}

/// Returns the positions of a piece, even overlapping ones.
fn occurrences(text: &str, piece: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(piece) {
        places.push(from + at);
        from = text.ceil_char_boundary(from + at + 1);
    }
    places
}

fn ambiguous(text: &str, places: &[usize]) -> String {
    let mut lines: Vec<_> = places.iter().map(|at| line_of(text, *at)).collect();
    lines.dedup();
    let shown: Vec<_> = lines.iter().take(MAX_LINES).map(usize::to_string).collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    let more =
        if more > 0 { format!(" and {}", count(more, "other", "others")) } else { String::new() };
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!(
        "`old` is in the file {} times, in {noun} {}{more}; add lines around it until it is there \
         once, or set `all`",
        places.len(),
        shown.join(", ")
    )
}

/// Returns the number of the line at a position, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// The number of lines that are named.
const MAX_LINES: usize = 12;
