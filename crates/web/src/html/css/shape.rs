//! Values that cut an element off or move it away.

use super::length::{CssLength, length, number};

/// Returns whether a `clip-path` leaves nothing of an element.
pub(in crate::html) fn clips_all(value: &str) -> bool {
    functions(value).any(|(name, arguments)| {
        let lengths: Vec<_> =
            arguments.split(" round ").next().unwrap_or_default().split_whitespace().collect();
        let at = |index: usize| {
            let index = [index, index % 2, 0].into_iter().find(|at| *at < lengths.len());
            index.and_then(|at| length(lengths[at], 16.0))
        };
        match name {
            "inset" => {
                let covers = |one: Option<CssLength>, other: Option<CssLength>| match (one, other) {
                    (Some(CssLength::Percent(one)), Some(CssLength::Percent(other))) => {
                        one + other >= 100.0
                    }
                    (Some(one), Some(other)) => [one, other].iter().any(|length| match length {
                        CssLength::Percent(part) => *part >= 100.0,
                        CssLength::Pixels(pixels) => *pixels >= FAR,
                    }),
                    _ => false,
                };
                covers(at(0), at(2)) || covers(at(1), at(3))
            }
            "circle" | "ellipse" => at(0).is_some_and(|radius| radius.number() <= 1.0),
            "rect" | "xywh" => rectangle_is_empty(value),
            "polygon" => {
                let points = arguments.split(',').map(|point| {
                    let mut parts = point.split_whitespace().filter_map(|part| length(part, 16.0));
                    (parts.next().map(CssLength::number), parts.next().map(CssLength::number))
                });
                let points: Vec<_> = points.filter(|point| point.0.is_some()).collect();
                points.iter().all(|point| point.0 == points[0].0)
                    || points.iter().all(|point| point.1 == points[0].1)
            }
            _ => false,
        }
    })
}

/// Returns whether a `clip` is a rectangle without an area.
pub(in crate::html) fn rectangle_is_empty(value: &str) -> bool {
    functions(value).any(|(_, arguments)| {
        let parts = arguments.split(|char: char| char.is_whitespace() || char == ',');
        let parts: Vec<_> = parts
            .filter(|part| !part.is_empty())
            .map(|part| length(part, 16.0).map(CssLength::number))
            .collect();
        let is_narrow = |one: Option<f32>, other: Option<f32>| match (one, other) {
            (Some(one), Some(other)) => (other - one) <= 1.0,
            _ => false,
        };
        match *parts {
            [top, right, bottom, left] => is_narrow(top, bottom) || is_narrow(left, right),
            _ => false,
        }
    })
}

/// Returns whether a `transform` moves an element out of the window, or makes it too small or too
/// narrow to see.
pub(in crate::html) fn moves_away(value: &str) -> bool {
    functions(value).any(|(name, arguments)| {
        let parts: Vec<_> = arguments.split(',').map(str::trim).collect();
        let is_far = |part: &&&str| match length(part, 16.0) {
            Some(CssLength::Pixels(pixels)) => pixels <= -FAR || pixels >= 10.0 * FAR,
            Some(CssLength::Percent(percent)) => percent <= -100.0 || percent >= 1000.0,
            None => false,
        };
        let numbers: Vec<_> = parts.iter().filter_map(|part| Some(number(part)?.0)).collect();
        match name {
            "translate" | "translatex" | "translatey" | "translate3d" => {
                parts.iter().take(2).any(|part| is_far(&part))
            }
            "scale" | "scalex" | "scaley" | "scale3d" => {
                numbers.iter().take(2).any(|number| number.abs() < 0.05)
            }
            "rotatex" | "rotatey" => {
                parts.iter().any(|part| matches!(*part, "90deg" | "-90deg" | "270deg"))
            }
            "matrix" => match *numbers {
                [a, b, c, d, x, y] => (a * d - b * c).abs() < 0.01 || x <= -FAR || y <= -FAR,
                _ => false,
            },
            _ => false,
        }
    })
}

/// Returns the functions of a value with their arguments.
fn functions(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(')').filter_map(|call| {
        let (name, arguments) = call.split_once('(')?;
        Some((name.trim(), arguments.trim()))
    })
}

/// The number of pixels by which something is outside the window.
const FAR: f32 = 500.0;
