//! Markdown deltas in, lines for a terminal out: styled, wrapped at words and safe to show.
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
//! A [`MarkdownStream`] emits a row as soon as nothing that follows can change it: the rows of a
//! paragraph while it grows, code line by line, a table when it ends. A [`Line`] can also be made by
//! hand, measured and wrapped, and a [`Theme`] turns its styles into escape sequences. The module
//! [`fit`] cuts plain text to a width.
//!
//! The text is data. Hidden characters are shown as their numbers, also where an entity stands for
//! one, and the address of a link is always shown.
//!
//! # What it does not do
//!
//! It does no I/O: it neither asks a terminal for its width or colours, nor moves its cursor. It
//! shows HTML, math and footnotes as text. Since a final line never changes, it differs from
//! CommonMark where the end of a document would change its beginning:
//!
//! - A definition such as `[x]: https://example.org` is shown as text, and so is a reference to it.
//! - The sign of a style is text if the style is still open after 12 rows.
//! - An underline makes a heading of a paragraph only if none of its text is final.
//! - Blank lines stay as in the text, also within lists, and items keep the numbers of the text.
//! - After 24 rows of a table the widths of its columns stay as they are.
//! - Signs of lists and quotes are text from the 25th level on, and the signs of a row take at most
//!   half of its width.
//!
//! The title of a link is not shown. With the feature `syntax`, code has colours; its grammars are
//! loaded when the first block of code names its language.

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
