//! Reads and writes the notation of the wire format's test cases; for tests only.
//!
//! A file has many cases. Each begins with its id and has a header of keys and values, a line
//! `---`, and then the wire text as it is. Named sections may follow, such as the expected events:
//!
//! ```
//! let text = "\
//! dialect: sigil
//!
//! === stray-text
//! clauses: P-12
//! ---
//! §call: {\"name\":\"t\"} so }
//! §execute
//! --- call a1
//! {\"name\":\"t\"}
//! --- error stray_text at=21
//! so }
//! --- execute
//! ";
//! let file = silcrow_cases::CaseFile::read(text).unwrap();
//! let case = &file.cases[0];
//! assert_eq!(case.value("dialect"), Some("sigil"));
//! assert_eq!(case.wire.as_str(), Some("§call: {\"name\":\"t\"} so }\n§execute"));
//! assert_eq!(case.events()[1]["code"], "stray_text");
//! assert_eq!(file.to_string(), text);
//! ```
//!
//! The header before the first case applies to every case that does not override it. Empty lines
//! around a text do not belong to it.
//!
//! Nothing in a text is escaped, except characters that a reader could not see. Marks stand for
//! those:
//!
//! | mark | stands for |
//! |---|---|
//! | `␠` | a space, where it would end a line |
//! | `␉` | a tab |
//! | `␍` | a carriage return |
//! | `␊` | a line break, where it would begin or end the text |
//! | `⟨ff 0a⟩` | these bytes: invalid UTF-8, invisible characters, and the marks themselves |
//! | `┊` | no text, but a position at which the text is cut into chunks |
//!
//! A line of a text that begins with `---` or `===` is written `⟨2d⟩--` or `⟨3d⟩==`.
//!
//! This crate handles the form of cases; their meaning is up to the tests. It is not published.

mod case;
mod error;
mod event;
mod head;
mod import;
mod marks;
mod read;
mod text;
mod write;

pub use case::{Case, CaseFile, CaseSection};
pub use error::CaseError;
pub use import::import;
pub use text::CaseText;
