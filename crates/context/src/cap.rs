//! Texts that are cut to a cap, with a note for the model about the omitted part.

use std::borrow::Cow;

/// Returns a text of at most `cap` bytes, and the number of bytes that are left out.
///
/// It is cut after a line, or within the first line if that alone is longer.
pub(crate) fn cut(text: &str, cap: usize) -> (&str, usize) {
    if text.len() <= cap {
        return (text, 0);
    }
    let end = text.floor_char_boundary(cap);
    // A line that ends exactly at the cap stays whole.
    let is_whole = text[end..].starts_with('\n');
    let end = if is_whole { end } else { text[..end].rfind('\n').unwrap_or(end) };
    (&text[..end], text.len() - end)
}

/// Returns the text with a last line that says how much of it is left out, if anything is. `whole`
/// names the place of the whole text.
pub(crate) fn with_note<'a>(text: &'a str, omitted: usize, whole: Option<&str>) -> Cow<'a, str> {
    if omitted == 0 {
        return text.into();
    }
    let bytes = if omitted == 1 { "byte is" } else { "bytes are" };
    let place = whole.map_or_else(String::new, |whole| format!("; the whole is in {whole}"));
    let gap = if text.is_empty() { "" } else { "\n" };
    format!("{text}{gap}[{omitted} {bytes} left out here{place}.]").into()
}
