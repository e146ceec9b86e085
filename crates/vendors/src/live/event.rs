//! The parts of the server's messages that are read. Every part is optional.

use serde::Deserialize;
use silcrow_event as event;

use crate::gemini::GeminiContent;
use crate::lenient::{LenientField, LenientObject};
use crate::usage;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LiveEvent<'a> {
    /// Present once the server is set up.
    pub(crate) setup_complete: LenientObject<EmptyObject>,
    #[serde(borrow)]
    pub(crate) server_content: LenientObject<LiveContent<'a>>,
    #[serde(borrow)]
    usage_metadata: LenientField<'a>,
    /// Present if the server will soon close the connection.
    pub(crate) go_away: LenientObject<EmptyObject>,
    #[serde(borrow)]
    pub(crate) error: LenientField<'a>,
}

/// An object whose contents are not read.
#[derive(Deserialize)]
pub(crate) struct EmptyObject {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LiveContent<'a> {
    #[serde(borrow)]
    pub(crate) model_turn: LenientObject<GeminiContent<'a>>,
    #[serde(borrow)]
    pub(crate) turn_complete: LenientField<'a>,
    #[serde(borrow)]
    pub(crate) interrupted: LenientField<'a>,
    /// The reason why the turn is over, if the model did not end it itself.
    #[serde(borrow)]
    pub(crate) turn_complete_reason: LenientField<'a>,
}

impl LiveEvent<'_> {
    pub(crate) fn usage(&self) -> Option<LiveUsage<'_>> {
        self.usage_metadata.read()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LiveUsage<'a> {
    #[serde(borrow)]
    prompt_token_count: LenientField<'a>,
    #[serde(borrow)]
    cached_content_token_count: LenientField<'a>,
    #[serde(borrow)]
    response_token_count: LenientField<'a>,
    /// The tokens of thoughts, which the response's tokens do not include.
    #[serde(borrow)]
    thoughts_token_count: LenientField<'a>,
}

impl From<LiveUsage<'_>> for event::Usage {
    fn from(usage: LiveUsage<'_>) -> Self {
        usage::with_thoughts_apart([
            usage.prompt_token_count,
            usage.cached_content_token_count,
            usage.response_token_count,
            usage.thoughts_token_count,
        ])
    }
}
