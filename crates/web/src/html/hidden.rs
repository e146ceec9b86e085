//! Texts that a page hides from its readers, by its tags.
//!
//! This module looks at one tag. `visible` looks at styles, too.

use super::tokens::StartTag;

/// The way in which a page hides something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HidingWay {
    /// The element has no text for anybody.
    Always,
    /// By properties that scripts turn on and off, such as `hidden` or `display: none`.
    Switch,
    /// By properties that are never turned off, such as a size of zero or the colour of the
    /// background.
    Disguise,
}

/// Returns whether a tag alone hides its element.
pub(super) fn is_hidden(tag: &StartTag<'_>) -> bool {
    way_of(tag).is_some()
}

/// Returns the way in which a tag alone hides its element.
pub(super) fn way_of(tag: &StartTag<'_>) -> Option<HidingWay> {
    let is_closed = tag.name == "dialog" && tag.attribute("open").is_none();
    if is_closed || ALWAYS.contains(&&*tag.name) {
        return Some(HidingWay::Always);
    }
    let class = tag.attribute("class").unwrap_or_default();
    if class.split_ascii_whitespace().any(|class| SCREEN_READER_CLASSES.contains(&class)) {
        return Some(HidingWay::Disguise);
    }
    let is_aria_hidden =
        tag.attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    (is_aria_hidden || tag.attribute("hidden").is_some()).then_some(HidingWay::Switch)
}

/// The elements that show nothing, or nothing that is text.
const ALWAYS: [&str; 21] = [
    "audio", "button", "canvas", "datalist", "embed", "iframe", "input", "map", "math", "noembed",
    "noframes", "noscript", "object", "script", "select", "style", "svg", "template", "textarea",
    "title", "video",
];

/// The usual classes of text for screen readers only.
const SCREEN_READER_CLASSES: [&str; 4] =
    ["screen-reader-text", "sr-only", "visually-hidden", "visuallyhidden"];
