//! Renders streaming Markdown as terminal rows: styled, wrapped at words and safe to display.
//!
//! ```toml
//! [dependencies]
//! silcrow-term = "0.1"
//! ```
//!
//! ```
//! use silcrow_term::{MarkdownStream, Options, Theme};
//!
//! let mut stream = MarkdownStream::new(&Options::new(40));
//! let mut screen = Vec::new();
//! for delta in ["# Ti", "tle\n\nSome **bo", "ld** te", "xt \x1b[2J.\n\n- an", " item"] {
//!     stream.push(delta);
//!     // These lines are final: print them.
//!     screen.extend(stream.take_done());
//!     // These may change: draw them below, and draw them again after the next delta.
//!     let open = stream.open();
//!     assert!(open.len() <= 4);
//! }
//! screen.extend(stream.finish());
//!
//! let plain: Vec<_> = screen.iter().map(|line| line.to_ansi(&Theme::PLAIN)).collect();
//! assert_eq!(plain, ["# Title", "", r"Some bold text \x1b[2J.", "", "• an item"]);
//! assert_eq!(screen[2].to_ansi(&Theme::DARK), "Some \x1b[1mbold\x1b[0m text \\x1b[2J.");
//! ```
//!
//! ```text
//!           complete lines, long lines in parts             settled text
//! deltas ──► MarkdownStream ──► Document ──► containers, leaf ──► rows, final
//!                                                          └────► what is open
//! ```
//!
//! A [`MarkdownStream`] emits a row as soon as nothing that follows can change it: a paragraph's
//! rows while it grows, code line by line, a table when it ends. You can also build a [`Line`] by
//! hand, measure and wrap it; a [`Theme`] turns its styles into escape sequences. The module
//! [`fit`] cuts plain text to a width.
//!
//! Text is untrusted. Hidden characters are shown as their code points, even if written as
//! entities, and the address of a link is always shown.
//!
//! # What it does not do
//!
//! It does no I/O: it neither queries a terminal for width or colours nor moves its cursor. HTML,
//! math and footnotes are shown as text. Because an emitted row never changes, the output differs
//! from CommonMark where the end of a document would change its beginning:
//!
//! - A link definition such as `[x]: https://example.org` is shown as text, and so is a reference
//!   to it.
//! - A style's mark is shown as text if the style is still open after 12 rows.
//! - An underline turns a paragraph into a heading only if none of it has been emitted.
//! - Blank lines stay as in the text, even within lists, and items keep their numbers.
//! - A table's column widths are fixed after 24 rows.
//! - Marks of lists and quotes are text from the 25th level on, and take at most half of a row's
//!   width.
//!
//! Link titles are not shown. With the feature `syntax`, code has colours; the grammars are loaded
//! when the first code block names its language.

#![warn(clippy::disallowed_types)]

mod columns;
mod container;
mod difference;
mod document;
pub mod fit;
mod highlight;
mod inline;
mod leaf;
mod line;
mod paragraph;
pub mod plural;
pub mod quantity;
mod scan;
mod settled;
mod signs;
mod stream;
mod style;
mod table;
mod theme;
mod verbatim;
mod wrap;

pub use difference::{DiffLook, DiffRows};
pub use line::{Line, Span};
pub use stream::{MarkdownStream, Options};
pub use style::{Style, TextRole};
pub use theme::Theme;
