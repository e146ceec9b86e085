//! The server's messages, as far as they are read. Everything may be missing, and more may be
//! there.

use serde::Deserialize;
use silcrow_event as event;

use crate::gemini::Content as Turn;
use crate::lenient::{Field, Object};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    /// Only whether it is there counts.
    pub(crate) setup_complete: Object<Empty>,
    #[serde(borrow)]
    pub(crate) server_content: Object<Content<'a>>,
    #[serde(borrow)]
    usage_metadata: Field<'a>,
    /// The server will soon hang up.
    pub(crate) go_away: Object<Empty>,
    #[serde(borrow)]
    pub(crate) error: Field<'a>,
}

/// An object whose content is not read.
#[derive(Deserialize)]
pub(crate) struct Empty {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Content<'a> {
    #[serde(borrow)]
    pub(crate) model_turn: Object<Turn<'a>>,
    #[serde(borrow)]
    pub(crate) turn_complete: Field<'a>,
    #[serde(borrow)]
    pub(crate) interrupted: Field<'a>,
    /// Why the turn is over, where that is not the model's own end.
    #[serde(borrow)]
    pub(crate) turn_complete_reason: Field<'a>,
}

impl Event<'_> {
    pub(crate) fn usage(&self) -> Option<Usage<'_>> {
        self.usage_metadata.read()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage<'a> {
    #[serde(borrow)]
    prompt_token_count: Field<'a>,
    #[serde(borrow)]
    cached_content_token_count: Field<'a>,
    #[serde(borrow)]
    response_token_count: Field<'a>,
    /// Not counted among the response's.
    #[serde(borrow)]
    thoughts_token_count: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        let thoughts = usage.thoughts_token_count.count().unwrap_or_default();
        Self {
            input: usage.prompt_token_count.count().unwrap_or_default(),
            output: usage.response_token_count.count().unwrap_or_default().saturating_add(thoughts),
            cached: usage.cached_content_token_count.count().unwrap_or_default(),
            reasoning: thoughts,
            ..Self::default()
        }
    }
}
