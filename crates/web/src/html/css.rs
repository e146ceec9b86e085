//! The style sheets within a page, where they can hide text.
//!
//! `sheet` reads rules, `selector` and `media` say where they hold, `declarations` reads the values
//! that they set, `matching` finds the elements of a selector, and [`Cascade`] combines the rules
//! for an element. Not everything can be decided without a window and a person in front of it, so a
//! rule fits an element for certain, perhaps or not ([`CssFit`]). A rule that holds perhaps hides
//! text, and never shows it.

mod cascade;
mod color;
mod declarations;
mod length;
mod matching;
mod media;
mod scan;
mod selector;
mod shape;
mod sheet;

pub(super) use cascade::{Cascade, ElementStyle};
pub(super) use color::CssColor;
pub(super) use declarations::CssProperty;
pub(super) use length::{CssLength, length, number};
pub(super) use matching::HTML;
pub(super) use shape::{clips_all, moves_away, rectangle_is_empty};

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CssFit {
    No,
    Perhaps,
    Yes,
}

impl CssFit {
    /// Returns whether the opposite holds.
    const fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Perhaps => Self::Perhaps,
            Self::Yes => Self::No,
        }
    }
}
