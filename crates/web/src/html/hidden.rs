//! Which elements a reader of the page does not see.
//!
//! This module looks at one tag. It knows no style sheets, so it does not find what those hide.

use super::tokens::StartTag;

/// Returns whether the page itself hides an element.
pub(super) fn is_hidden(tag: &StartTag<'_>) -> bool {
    let is_closed = tag.name == "dialog" && tag.attribute("open").is_none();
    let class = tag.attribute("class").unwrap_or_default();
    let is_for_screen_readers =
        class.split_ascii_whitespace().any(|class| SCREEN_READER_CLASSES.contains(&class));
    ALWAYS.contains(&&*tag.name)
        || is_closed
        || tag.attribute("hidden").is_some()
        || is_for_screen_readers
        || tag.attribute("style").is_some_and(hides)
}

/// Returns whether a style hides its element.
fn hides(style: &str) -> bool {
    let style: String = style.chars().filter(|char| !char.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    style.split(';').any(|rule| {
        let rule = rule.trim_end_matches("!important");
        HIDING.contains(&rule)
            || ["font-size:", "opacity:"].iter().any(|name| {
                let value = rule.strip_prefix(name).map(|value| value.trim_end_matches(is_unit));
                value.is_some_and(|value| value.parse() == Ok(0.0_f32))
            })
    })
}

fn is_unit(char: char) -> bool {
    char.is_ascii_alphabetic() || char == '%'
}

/// The rules of a style that hide an element.
const HIDING: [&str; 4] =
    ["display:none", "visibility:hidden", "visibility:collapse", "content-visibility:hidden"];

/// The elements that show nothing, or nothing that is text.
const ALWAYS: [&str; 21] = [
    "audio", "button", "canvas", "datalist", "embed", "iframe", "input", "map", "math", "noembed",
    "noframes", "noscript", "object", "script", "select", "style", "svg", "template", "textarea",
    "title", "video",
];

/// The usual classes of text for screen readers only.
const SCREEN_READER_CLASSES: [&str; 4] =
    ["screen-reader-text", "sr-only", "visually-hidden", "visuallyhidden"];
