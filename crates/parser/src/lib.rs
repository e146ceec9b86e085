//! Wire text to typed fragments and back, one file per dialect, chunk by chunk.

use silcrow_event::{Event, Outcome};
pub use silcrow_lex::Dialect;

mod guide;

pub use guide::guide;

/// How wire text is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The wire form.
    pub dialect: Dialect,
    /// In `sigil`, markers count anywhere in a line (P-2).
    pub inline: bool,
}

impl From<Dialect> for Options {
    fn from(dialect: Dialect) -> Self {
        Self { dialect, inline: false }
    }
}

/// Wire text that reads as these model events: the inverse of parsing (L-4).
///
/// Events that no model writes are left out.
pub fn write<'a>(events: impl IntoIterator<Item = &'a Event>, options: Options) -> String {
    let _ = (events.into_iter(), options);
    String::new()
}

/// What the model is sent as results of a batch, by position: `§result: …` for each, or
/// `<results>[…]</results>` (section 9), so that nothing in them is a marker (P-3, P-18).
pub fn write_results<'a>(
    results: impl IntoIterator<Item = &'a Outcome>,
    options: Options,
) -> String {
    let _ = (results.into_iter(), options);
    String::new()
}
