//! Styles that hide an element together with everything in it.
//!
//! This module handles properties that switch an element off, cut it off, make it too small, or
//! move it out of the window. Text in such an element is hidden whatever its own style is.

use super::css::{
    CssLength, CssProperty, ElementStyle, clips_all, length, moves_away, number, rectangle_is_empty,
};

/// Returns whether an element is switched off, as scripts do it.
pub(super) fn is_off(style: &ElementStyle) -> bool {
    let is_faint = |value: &str| part(value).is_some_and(|part| part < FAINT);
    let is_faint_filter = |value: &str| {
        let mut opacities = value.split("opacity(").skip(1);
        opacities.any(|rest| rest.split(')').next().is_some_and(is_faint))
    };
    style.all(CssProperty::Display).any(|value| value == "none")
        || style.all(CssProperty::ContentVisibility).any(|value| value == "hidden")
        || style.all(CssProperty::Opacity).any(is_faint)
        || style.all(CssProperty::Filter).any(is_faint_filter)
}

/// Returns whether an element cannot be seen where text has this size.
pub(super) fn is_concealed(style: &ElementStyle, font: f32) -> bool {
    let is_tiny = |value: &str| part(value).is_some_and(|part| part < FAINT);
    style.all(CssProperty::Clip).any(rectangle_is_empty)
        || style.all(CssProperty::ClipPath).any(clips_all)
        || style.all(CssProperty::Transform).any(moves_away)
        || style.all(CssProperty::Translate).any(|value| {
            moves_away(&format!("translate({})", value.replace(char::is_whitespace, ",")))
        })
        || style.all(CssProperty::Scale).any(|value| value.split_whitespace().any(is_tiny))
        || style.all(CssProperty::Zoom).any(is_tiny)
        || is_without_size(style, font)
        || is_out_of_window(style, font)
}

/// Returns whether the contents of an element are cut off by a size of nearly zero.
fn is_without_size(style: &ElementStyle, font: f32) -> bool {
    let is_cut = |value: &str| value.split_whitespace().any(|word| word != "visible");
    if !style.all(CssProperty::Overflow).any(is_cut) {
        return false;
    }
    let is_tiny = |value: &str| match length(value, font) {
        Some(CssLength::Pixels(pixels)) => pixels <= 1.0,
        Some(CssLength::Percent(percent)) => percent <= 0.0,
        None => false,
    };
    let has = |properties: [CssProperty; 2]| {
        properties.into_iter().any(|property| style.all(property).any(is_tiny))
    };
    // Overflowing contents have space within the padding.
    let is_roomy = style.all(CssProperty::Padding).any(|value| {
        let mut sides = value.split_whitespace().filter_map(|side| length(side, font));
        sides.any(|side| side.number() >= 10.0)
    });
    !is_roomy
        && (has([CssProperty::Width, CssProperty::MaxWidth])
            || has([CssProperty::Height, CssProperty::MaxHeight]))
}

fn is_out_of_window(style: &ElementStyle, font: f32) -> bool {
    let any = |property: CssProperty, is_far: fn(CssLength) -> bool| {
        style.all(property).filter_map(|value| length(value, font)).any(is_far)
    };
    let is_placed = style
        .all(CssProperty::Position)
        .any(|value| matches!(value, "absolute" | "fixed" | "relative" | "sticky"));
    let sides = [CssProperty::Left, CssProperty::Top, CssProperty::Right, CssProperty::Bottom];
    (is_placed && sides.into_iter().any(|side| any(side, is_far_beside)))
        || any(CssProperty::MarginLeft, is_far_before)
        || any(CssProperty::MarginTop, is_far_before)
}

/// Returns whether a distance leads out of the window, in any direction.
fn is_far_beside(distance: CssLength) -> bool {
    match distance {
        CssLength::Pixels(pixels) => pixels <= -500.0 || pixels >= 5000.0,
        CssLength::Percent(percent) => percent <= -100.0 || percent >= 300.0,
    }
}

/// Returns whether a distance leads out of the window to the left or to the top; some pages use
/// shorter ones for their layout.
pub(super) fn is_far_before(distance: CssLength) -> bool {
    match distance {
        CssLength::Pixels(pixels) => pixels <= -1000.0,
        CssLength::Percent(percent) => percent <= -100.0,
    }
}

/// Reads a number from 0 to 1 or a percentage.
fn part(value: &str) -> Option<f32> {
    let (number, unit) = number(value.trim())?;
    Some(if unit == "%" { number / 100.0 } else { number })
}

/// An opacity below this is invisible.
const FAINT: f32 = 0.05;
