//! Lengths of style sheets, in pixels.

/// A length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::html) enum CssLength {
    Pixels(f32),
    /// A part of something else, in percent.
    Percent(f32),
}

impl CssLength {
    /// Returns the number, whatever its unit.
    pub(in crate::html) const fn number(self) -> f32 {
        match self {
            Self::Pixels(number) | Self::Percent(number) => number,
        }
    }
}

/// Reads a length in lower case, where text has this size.
pub(in crate::html) fn length(text: &str, font: f32) -> Option<CssLength> {
    let text = text.trim();
    let (number, unit) = number(text)?;
    let factor = match unit {
        "" | "px" => 1.0,
        "%" => return Some(CssLength::Percent(number)),
        "em" => font,
        "ex" | "ch" => font / 2.0,
        "rem" => 16.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 37.8,
        "mm" => 3.78,
        "q" => 0.945,
        "vw" | "svw" | "lvw" | "dvw" | "vi" => WIDTH / 100.0,
        "vh" | "svh" | "lvh" | "dvh" | "vb" => HEIGHT / 100.0,
        "vmin" => HEIGHT / 100.0,
        "vmax" => WIDTH / 100.0,
        _ => return None,
    };
    Some(CssLength::Pixels(number * factor))
}

/// Splits a text into the number that it begins with and the rest.
pub(in crate::html) fn number(text: &str) -> Option<(f32, &str)> {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(bytes.first().is_some_and(|byte| b"+-".contains(byte)));
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if bytes.get(end).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e')) {
        // `2em` is two of a unit, and `2e3` a number.
        let sign = usize::from(bytes.get(end + 1).is_some_and(|byte| b"+-".contains(byte)));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// The size of the window that is assumed, in pixels.
pub(super) const WIDTH: f32 = 1280.0;
pub(super) const HEIGHT: f32 = 800.0;
