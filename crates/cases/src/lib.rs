//! For tests only: the notation in which all test cases of the wire are written.
//!
//! A file has many cases.
//! Each begins with its id, has a header of keys and values, a line `---`, and then the wire text
//! as it is.
//! Sections with a name may follow, such as the events that are expected:
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
//! The header before the first case holds for every case that does not say otherwise.
//! Empty lines around a text do not belong to it.
//!
//! Nothing in a text is escaped, except what a reader could not see.
//! For that there are marks:
//!
//! | mark | stands for |
//! |---|---|
//! | `␠` | a space, where it would end a line |
//! | `␉` | a tab |
//! | `␍` | a carriage return |
//! | `␊` | a line break, where it would begin or end the text |
//! | `⟨ff 0a⟩` | these bytes: what is not UTF-8, invisible characters, and the marks themselves |
//! | `┊` | no text, but a place where the text is cut in chunks |
//!
//! A line of a text that begins with `---` or `===` is written `⟨2d⟩--` or `⟨3d⟩==`.
//!
//! The crate knows the form of cases and no dialect: what a case means is for the test that reads
//! it. It is not published.

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
