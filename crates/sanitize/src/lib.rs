//! Makes text safe to display and to store: escapes characters that could hide or change text on a
//! screen, for terminals and for JSON, and masks secrets.
//!
//! ```toml
//! [dependencies]
//! silcrow-sanitize = "0.1"
//! ```
//!
//! ```
//! use silcrow_sanitize::{escape_json, is_hidden, sanitize};
//!
//! // A terminal would clear its screen, and show `cod.exe` as `exe.doc`.
//! assert_eq!(sanitize("a\x1b[2J \u{202e}cod.exe"), r"a\x1b[2J \u{202e}cod.exe");
//! // What people write stays.
//! assert_eq!(sanitize("naïve 東京 👩‍👩‍👧 ☀️\n"), "naïve 東京 👩‍👩‍👧 ☀️\n");
//!
//! // In JSON the same characters become escapes, and the value stays the same.
//! assert_eq!(escape_json("[\"a\u{202e}b\u{e0041}\"]"), r#"["a\u202eb\udb40\udc41"]"#);
//!
//! assert!(is_hidden('\u{3164}'));
//! ```
//!
//! [`sanitize_prose`] also keeps direction marks, which Hebrew and Arabic need. If the displayed
//! text must be exact, escape them like everything else.
//!
//! [`sanitize`] takes complete text, [`sanitize_line`] part of a single line, and a [`Sanitizer`]
//! text that arrives in pieces. [`Secrets::mask`] and a [`SecretMasker`] do the same for secrets,
//! which are [`Secret`]s from the place where they are read to the place where they are sent.
//!
//! This crate does not detect words, addresses or look-alike characters: `раypal` with two Cyrillic
//! letters passes, and so do spaces of any width outside of [`sanitize_exact`]. It does not wrap or
//! shorten text, and does not make text safe for a shell, HTML or SQL. The output is for people:
//! text that already contains `\x1b` as four characters looks like an escape, so escapes cannot be
//! undone.

#![warn(clippy::disallowed_types)]

mod hidden;
mod json;
mod key_shapes;
mod marks;
mod sanitize;
mod secret;
mod secrets;

pub use hidden::{is_direction_mark, is_hidden, is_other_blank};
pub use json::escape_json;
pub use key_shapes::mask_key_shapes;
pub use sanitize::{
    Sanitizer, sanitize, sanitize_exact, sanitize_line, sanitize_prose, sanitize_prose_line,
};
pub use secret::Secret;
pub use secrets::{SecretMasker, Secrets};
