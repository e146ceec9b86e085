//! Conditions of media: whether a rule holds on a usual screen.
//!
//! This module assumes a desktop's window and usual preferences.

use super::CssFit;
use super::length::{CssLength, HEIGHT, WIDTH, length};
use super::scan::split;

/// Returns whether a list of conditions holds, such as `print, screen and (min-width: 600px)`.
pub(super) fn fit(conditions: &str) -> CssFit {
    let conditions = conditions.trim().to_ascii_lowercase();
    if conditions.is_empty() {
        return CssFit::Yes;
    }
    let fits = split(&conditions, ',').into_iter().map(query);
    fits.max().unwrap_or(CssFit::Yes)
}

fn query(text: &str) -> CssFit {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("not ") {
        return query(rest).not();
    }
    let text = text.strip_prefix("only ").unwrap_or(text);
    if text.contains(" or ") {
        return CssFit::Perhaps;
    }
    let parts = text.split(" and ").map(|part| match part.trim() {
        "screen" | "all" => CssFit::Yes,
        "print" | "speech" | "tty" | "tv" | "handheld" | "projection" | "braille" | "embossed"
        | "aural" => CssFit::No,
        part => match part.strip_prefix('(').and_then(|part| part.strip_suffix(')')) {
            Some(inside) if inside.starts_with("not ") => CssFit::Perhaps,
            Some(inside) => feature(inside),
            None => CssFit::Perhaps,
        },
    });
    parts.min().unwrap_or(CssFit::Yes)
}

fn feature(text: &str) -> CssFit {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    let (name, value) = (name.trim(), value.trim());
    let holds = |holds: bool| if holds { CssFit::Yes } else { CssFit::No };
    let pixels = || match length(value, 16.0) {
        Some(CssLength::Pixels(pixels)) => Some(pixels),
        _ => None,
    };
    let compared = |holds_for: fn(f32) -> bool| {
        pixels().map_or(CssFit::Perhaps, |pixels| holds(holds_for(pixels)))
    };
    match name {
        "min-width" | "min-device-width" => compared(|pixels| pixels <= WIDTH),
        "max-width" | "max-device-width" => compared(|pixels| pixels >= WIDTH),
        "min-height" => compared(|pixels| pixels <= HEIGHT),
        "max-height" => compared(|pixels| pixels >= HEIGHT),
        "orientation" => holds(value == "landscape"),
        "prefers-color-scheme" => holds(value == "light"),
        "prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-transparency" => {
            holds(value == "no-preference")
        }
        "forced-colors" | "inverted-colors" => holds(value == "none"),
        "hover" | "any-hover" => holds(value != "none"),
        "pointer" | "any-pointer" => holds(value == "fine" || value.is_empty()),
        "scripting" => holds(value == "enabled"),
        _ => CssFit::Perhaps,
    }
}
