//! The appearance of an element: whether it hides itself, and the properties that the elements
//! below inherit.
//!
//! This module interprets the values of properties. Other modules find the rules that set them.

use super::concealed::{is_concealed, is_far_before, is_off};
use super::css::{CssColor, CssLength, CssProperty, ElementStyle, length};
use super::hidden::{HidingWay, way_of};
use super::tokens::StartTag;

/// The appearance of an element.
#[derive(Clone, Debug)]
pub(super) struct Appearance {
    /// The way in which the element hides itself and everything below it.
    pub(super) way: Option<HidingWay>,
    /// Whether `visibility` hides its text.
    is_invisible: bool,
    /// The size of its text in pixels.
    font: f32,
    /// The colours that its text may have.
    colors: Vec<CssColor>,
    /// The colour of its background; `None` if there may be an image.
    background: Option<CssColor>,
    /// Whether its lines begin far out of the window.
    is_indented_away: bool,
}

impl Default for Appearance {
    /// Returns the appearance of a page without any style.
    fn default() -> Self {
        Self {
            way: None,
            is_invisible: false,
            font: 16.0,
            colors: vec![CssColor::BLACK],
            background: Some(CssColor::WHITE),
            is_indented_away: false,
        }
    }
}

impl Appearance {
    /// Returns the appearance of an element below this one. If `is_switched`, properties that a
    /// script could turn off do not hide it.
    pub(super) fn below(
        &self,
        tag: &StartTag<'_>,
        style: &ElementStyle,
        is_switched: bool,
    ) -> Self {
        let is_counted = |way: &HidingWay| !(is_switched && *way == HidingWay::Switch);
        let tag_way = way_of(tag).filter(is_counted);
        let mut below = Self { way: tag_way, ..self.clone() };
        below.font = self.font_below(style);
        let switch = || Some(HidingWay::Switch).filter(is_counted).filter(|_| is_off(style));
        let disguise = || is_concealed(style, below.font).then_some(HidingWay::Disguise);
        below.way = tag_way.or_else(switch).or_else(disguise);
        for value in style.all(CssProperty::Visibility) {
            below.is_invisible = match value {
                "hidden" | "collapse" => !is_switched,
                "inherit" | "unset" => below.is_invisible,
                // The first value is certain; values that hold perhaps show nothing.
                _ => false,
            };
            if below.is_invisible {
                break;
            }
        }
        if let Some(indent) = style.all(CssProperty::TextIndent).next() {
            let pixels =
                style.all(CssProperty::TextIndent).filter_map(|value| length(value, below.font));
            below.is_indented_away = match indent {
                "inherit" => below.is_indented_away,
                _ => { pixels }.any(is_far_before),
            };
        }
        below.background = self.background_below(tag, style);
        below.colors = self.colors_below(tag, style);
        below
    }

    /// Returns the way in which text directly in the element is hidden.
    pub(super) fn text_way(&self) -> Option<HidingWay> {
        let is_lost = |color: &CssColor| {
            color.alpha < FAINT || self.background.is_some_and(|back| color.is_lost_on(back))
        };
        if self.font < READABLE || self.is_indented_away || self.colors.iter().any(is_lost) {
            return Some(HidingWay::Disguise);
        }
        self.image_way()
    }

    /// Returns the way in which an image in the element is hidden.
    pub(super) fn image_way(&self) -> Option<HidingWay> {
        self.is_invisible.then_some(HidingWay::Switch)
    }

    fn font_below(&self, style: &ElementStyle) -> f32 {
        let size = |value: &str| match value {
            "inherit" | "unset" => self.font,
            _ => match length(value, self.font) {
                Some(CssLength::Pixels(pixels)) => pixels,
                Some(CssLength::Percent(percent)) => self.font * percent / 100.0,
                None => 16.0,
            },
        };
        // The smallest possible size.
        style.all(CssProperty::FontSize).map(size).reduce(f32::min).unwrap_or(self.font)
    }

    fn background_below(&self, tag: &StartTag<'_>, style: &ElementStyle) -> Option<CssColor> {
        if style.all(CssProperty::BackgroundImage).any(may_be_image) {
            return None;
        }
        let mut set = style.all(CssProperty::Background);
        let color = match (set.next(), set.next()) {
            (Some(_), Some(_)) => return None,
            (Some("none" | "inherit" | "initial" | "unset" | "revert"), None) => None,
            (Some(value), None) => match color_in(value) {
                // A colour that is not known may be any.
                None if value.contains('(') => return None,
                color => color,
            },
            (None, _) if tag.name == "mark" => Some(CssColor::MARK),
            (None, _) => tag.attribute("bgcolor").and_then(color_of_attribute),
        };
        match color.filter(|color| color.alpha >= FAINT) {
            Some(color) => Some(color.over(self.background?)),
            None => self.background,
        }
    }

    fn colors_below(&self, tag: &StartTag<'_>, style: &ElementStyle) -> Vec<CssColor> {
        let has_text_image =
            style.all(CssProperty::BackgroundClip).any(|value| value.contains("text"));
        if has_text_image {
            // The text shows the background of the element.
            return Vec::new();
        }
        let attribute = match &*tag.name {
            "font" => tag.attribute("color"),
            "body" => tag.attribute("text"),
            _ => None,
        };
        let attribute = attribute.and_then(color_of_attribute);
        let mut set =
            style.all(CssProperty::TextFill).chain(style.all(CssProperty::Color)).peekable();
        if set.peek().is_none() {
            return match attribute {
                Some(color) => vec![color],
                None if tag.name == "a" && tag.attribute("href").is_some() => vec![CssColor::LINK],
                None if tag.name == "mark" => vec![CssColor::BLACK],
                None => self.colors.clone(),
            };
        }
        let mut colors = Vec::new();
        for value in set {
            match value {
                "inherit" | "unset" | "currentcolor" => colors.extend(&self.colors),
                "initial" | "revert" => colors.push(CssColor::BLACK),
                value => colors.extend(CssColor::parse(value)),
            }
        }
        colors
    }
}

/// Returns whether a value of `background` may show an image.
fn may_be_image(value: &str) -> bool {
    ["url(", "gradient(", "image(", "image-set(", "var("].iter().any(|name| value.contains(name))
}

/// Returns the colour in a value of `background`, whose other words are about images.
fn color_in(value: &str) -> Option<CssColor> {
    let words = || value.split_whitespace().filter_map(CssColor::parse);
    CssColor::parse(value).or_else(|| words().next())
}

/// Reads an attribute of older pages, which may leave out `#`.
fn color_of_attribute(value: &str) -> Option<CssColor> {
    let value = value.trim().to_ascii_lowercase();
    CssColor::parse(&value).or_else(|| CssColor::parse(&format!("#{value}")))
}

/// The opacity below which nothing is seen.
const FAINT: f32 = 0.1;

/// The size of the smallest text that a person can read, in pixels.
const READABLE: f32 = 3.0;
