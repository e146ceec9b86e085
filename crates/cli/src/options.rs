//! The options of a command that runs an agent: those of its session, and what its person sees.
//!
//! Everything below a command works with these. It does not know the arguments of any command, nor where a
//! value is from.

use silcrow_console::approve::UnaskedQuestion;
use silcrow_console::options::{ShownParts, TextPieces};
use silcrow_session::SessionOptions;

/// The session, and how it is shown.
#[derive(Clone, Debug)]
pub(crate) struct AskOptions {
    pub(crate) session: SessionOptions,
    pub(crate) stream: Option<TextPieces>,
    pub(crate) json: bool,
    pub(crate) call_text: bool,
    pub(crate) on_question: Option<UnaskedQuestion>,
    /// Whether a denied call makes the run fail.
    pub(crate) strict: bool,
    /// Whether it waits while the conversation runs elsewhere.
    pub(crate) wait: bool,
    pub(crate) show: ShownParts,
}
