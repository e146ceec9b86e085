//! The server's messages, as far as they are read. Everything may be missing, and more may be
//! there.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use silcrow_event as event;

use crate::text::Piece;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    pub(crate) setup_complete: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(crate) server_content: Option<Content<'a>>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
    /// The server will soon hang up.
    pub(crate) go_away: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Content<'a> {
    pub(crate) model_turn: Option<Turn>,
    pub(crate) turn_complete: Option<bool>,
    pub(crate) interrupted: Option<bool>,
    /// Why the turn is over, where that is not the model's own end.
    #[serde(borrow)]
    pub(crate) turn_complete_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(crate) struct Turn {
    pub(crate) parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
pub(crate) struct Part {
    pub(crate) text: Option<Piece>,
    pub(crate) thought: Option<bool>,
}

impl Event<'_> {
    /// A report in another shape costs the figures, not the answer.
    pub(crate) fn usage(&self) -> Option<event::Usage> {
        let usage: Usage = serde_json::from_str(self.usage_metadata?.get()).ok()?;
        Some(usage.into())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    response_token_count: Option<u64>,
    /// Not counted among the response's.
    thoughts_token_count: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        let thoughts = usage.thoughts_token_count.unwrap_or_default();
        Self {
            input: usage.prompt_token_count.unwrap_or_default(),
            output: usage.response_token_count.unwrap_or_default().saturating_add(thoughts),
            cached: usage.cached_content_token_count.unwrap_or_default(),
            reasoning: thoughts,
            ..Self::default()
        }
    }
}
