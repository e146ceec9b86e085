//! The options of a session with a person: the options of the session, and of its display.
//!
//! They are plain values.

use std::path::PathBuf;

use silcrow_console::approve::UnaskedQuestion;
use silcrow_console::options::{ShownParts, TextPieces};
use silcrow_session::SessionOptions;

/// A session, and how a person sees it.
///
/// ```
/// use silcrow_interactive::AskOptions;
/// use silcrow_session::SessionOptions;
///
/// let mut options = AskOptions::new(SessionOptions::new("."));
/// options.session.model = Some("rehearsal".to_owned());
/// options.show.quiet = true;
/// assert!(!options.wait && options.stream.is_none());
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct AskOptions {
    /// The session.
    pub session: SessionOptions,
    /// The pieces in which text is shown; without a choice, as suits the front.
    pub stream: Option<TextPieces>,
    /// Whether events are written as JSON lines.
    pub json: bool,
    /// Whether the text of calls is shown while it is written.
    pub call_text: bool,
    /// Whether the results of a batch are printed as one event with their counts (with `json`).
    pub batch_results: bool,
    /// How to treat a question when nobody can be asked; by default, it depends on the front.
    pub on_question: Option<UnaskedQuestion>,
    /// Whether a denied call makes the run fail.
    pub strict: bool,
    /// Whether a run waits while its conversation runs elsewhere.
    pub wait: bool,
    /// Which parts of runs to show.
    pub show: ShownParts,
}

impl AskOptions {
    /// Returns the options of a session that is shown as a person expects without having chosen anything.
    pub fn new(session: SessionOptions) -> Self {
        Self {
            session,
            stream: None,
            json: false,
            call_text: false,
            batch_results: false,
            on_question: None,
            strict: false,
            wait: false,
            show: ShownParts::default(),
        }
    }

    /// Returns the folder that the tools see.
    pub(crate) const fn root(&self) -> &PathBuf {
        &self.session.root
    }
}
