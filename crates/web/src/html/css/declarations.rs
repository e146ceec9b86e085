//! The properties that style sheets and the attribute `style` set, if they can hide text.
//!
//! This module has the names of properties and expands their short forms. It does not interpret
//! values.

use super::length::length;
use super::scan::{unescaped, until, without_comments};

/// A property and its value in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub(super) property: CssProperty,
    pub(super) value: String,
    pub(super) is_important: bool,
}

/// A property that can hide text, or show text that another one hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::html) enum CssProperty {
    Background,
    BackgroundClip,
    BackgroundImage,
    Bottom,
    Clip,
    ClipPath,
    Color,
    ContentVisibility,
    Display,
    Filter,
    FontSize,
    Height,
    Left,
    MarginLeft,
    MarginTop,
    MaxHeight,
    MaxWidth,
    Opacity,
    Overflow,
    Padding,
    Position,
    Right,
    Scale,
    TextFill,
    TextIndent,
    Top,
    Transform,
    Translate,
    Visibility,
    Width,
    Zoom,
}

/// Reads the attribute `style`.
pub(super) fn declarations(style: &str) -> Vec<Declaration> {
    let mut declarations = Vec::new();
    let style = without_comments(style);
    let mut rest = &*style;
    while !rest.is_empty() {
        let (statement, after) = rest.split_at(until(rest, b";"));
        rest = after.get(1..).unwrap_or_default();
        if let Some((name, value)) = statement.split_once(':') {
            declare(name, value, &mut declarations);
        }
    }
    declarations
}

/// Adds a declaration, or the declarations of a short form.
pub(super) fn declare(name: &str, value: &str, declarations: &mut Vec<Declaration>) {
    use CssProperty as P;
    let name = unescaped(name.trim()).to_ascii_lowercase();
    let value = unescaped(value.trim()).to_ascii_lowercase();
    let (value, is_important) = match value.split_once('!') {
        Some((value, word)) => (value.trim(), word.trim() == "important"),
        None => (&*value, false),
    };
    if value.len() > MAX_VALUE {
        return;
    }
    let mut add = |property: CssProperty, value: &str| {
        let value = value.to_owned();
        declarations.push(Declaration { property, value, is_important });
    };
    let sides = |index: usize| {
        let parts: Vec<_> = value.split_whitespace().collect();
        let at = [index, index % 2, 0].into_iter().find(|at| *at < parts.len());
        at.map_or("", |at| parts[at])
    };
    let name =
        name.strip_prefix("-webkit-").or_else(|| name.strip_prefix("-moz-")).unwrap_or(&name);
    match name {
        "background" => {
            add(P::Background, value);
            add(P::BackgroundImage, value);
        }
        "background-color" => add(P::Background, value),
        "background-clip" => add(P::BackgroundClip, value),
        "background-image" => add(P::BackgroundImage, value),
        "bottom" | "inset-block-end" => add(P::Bottom, value),
        "clip" => add(P::Clip, value),
        "clip-path" => add(P::ClipPath, value),
        "color" => add(P::Color, value),
        "content-visibility" => add(P::ContentVisibility, value),
        "display" => add(P::Display, value),
        "filter" => add(P::Filter, value),
        "font" => {
            let sizes = value.split_whitespace().map(|part| part.split('/').next().unwrap_or(part));
            // A number without a unit is a weight, except zero.
            let is_size = |part: &&str| {
                length(part, 16.0).is_some_and(|length| length.number() == 0.0)
                    || length(part, 16.0).is_some()
                        && part.ends_with(|char: char| !char.is_ascii_digit())
            };
            add(P::FontSize, { sizes }.find(is_size).unwrap_or("medium"));
        }
        "font-size" => add(P::FontSize, value),
        "height" | "block-size" => add(P::Height, value),
        "inset" => {
            for (index, property) in [P::Top, P::Right, P::Bottom, P::Left].into_iter().enumerate()
            {
                add(property, sides(index));
            }
        }
        "left" | "inset-inline-start" => add(P::Left, value),
        "inset-inline" => add(P::Left, value.split_whitespace().next().unwrap_or_default()),
        "inset-block" => add(P::Top, value.split_whitespace().next().unwrap_or_default()),
        "margin" => {
            add(P::MarginTop, sides(0));
            add(P::MarginLeft, sides(3));
        }
        "margin-left" | "margin-inline-start" => add(P::MarginLeft, value),
        "margin-inline" => add(P::MarginLeft, value.split_whitespace().next().unwrap_or_default()),
        "margin-top" | "margin-block-start" => add(P::MarginTop, value),
        "max-height" | "max-block-size" => add(P::MaxHeight, value),
        "max-width" | "max-inline-size" => add(P::MaxWidth, value),
        "opacity" => add(P::Opacity, value),
        "overflow" | "overflow-x" | "overflow-y" => add(P::Overflow, value),
        "padding" | "padding-bottom" | "padding-top" => add(P::Padding, value),
        "position" => add(P::Position, value),
        "right" | "inset-inline-end" => add(P::Right, value),
        "scale" => add(P::Scale, value),
        "text-fill-color" => add(P::TextFill, value),
        "text-indent" => add(P::TextIndent, value),
        "top" | "inset-block-start" => add(P::Top, value),
        "transform" => add(P::Transform, value),
        "translate" => add(P::Translate, value),
        "visibility" => add(P::Visibility, value),
        "width" | "inline-size" => add(P::Width, value),
        "zoom" => add(P::Zoom, value),
        _ => {}
    }
}

/// The length of the longest value that is read.
const MAX_VALUE: usize = 4096;
