//! The parts of the server's events that are read. Every part is optional.

use std::borrow::Cow;

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{AnswerBuilder, EventError};
use crate::ends;
use crate::lenient::{LenientField, LenientObject};
use crate::usage::{self, InputTokenDetails, OutputTokenDetails};

#[derive(Deserialize)]
pub(crate) struct RealtimeEvent<'a> {
    #[serde(borrow)]
    pub(crate) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) item_id: LenientField<'a>,
    #[serde(borrow)]
    pub(crate) item: LenientObject<RealtimeItem<'a>>,
    /// The text of the types that are read; other types have other contents.
    #[serde(borrow)]
    pub(crate) delta: LenientField<'a>,
    #[serde(borrow)]
    pub(crate) session: LenientObject<RealtimeSession<'a>>,
    #[serde(borrow)]
    pub(crate) response: LenientObject<RealtimeResponse<'a>>,
    #[serde(borrow)]
    pub(crate) error: LenientObject<RealtimeError<'a>>,
}

#[derive(Default, Deserialize)]
pub(crate) struct RealtimeItem<'a> {
    #[serde(borrow)]
    pub(crate) id: LenientField<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct RealtimeSession<'a> {
    /// The time at which the session ends, in seconds since 1970.
    #[serde(borrow)]
    pub(crate) expires_at: LenientField<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct RealtimeError<'a> {
    /// The id of the client's event that the error is about.
    #[serde(borrow)]
    pub(crate) event_id: LenientField<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct RealtimeResponse<'a> {
    #[serde(borrow)]
    status: LenientField<'a>,
    #[serde(borrow)]
    status_details: LenientObject<StatusDetails<'a>>,
    #[serde(borrow)]
    usage: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct StatusDetails<'a> {
    #[serde(borrow)]
    reason: LenientField<'a>,
    #[serde(borrow)]
    error: LenientField<'a>,
}

impl RealtimeResponse<'_> {
    /// Ends the answer; `data` is the event with this response.
    pub(crate) fn end(self, data: &str, answer: &mut AnswerBuilder) -> Result<(), EventError> {
        let StatusDetails { reason, error } = self.status_details.unwrap_or_default();
        let reason = reason.word().unwrap_or_default();
        answer.report(self.usage.read::<RealtimeUsage<'_>>());
        match self.status.word().as_deref().unwrap_or("completed") {
            "failed" if error.is_set() => return answer.failed(error.json()),
            "failed" => return answer.failed(data),
            "incomplete" if reason.is_empty() => {
                answer.end(ends::INCOMPLETE, "max_output_tokens", "");
            }
            "incomplete" => answer.end(ends::INCOMPLETE, &reason, ""),
            status => answer.end(ends::RESPONSES, status, &reason),
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct RealtimeUsage<'a> {
    #[serde(borrow)]
    input_tokens: LenientField<'a>,
    #[serde(borrow)]
    output_tokens: LenientField<'a>,
    #[serde(borrow)]
    input_token_details: LenientObject<InputTokenDetails<'a>>,
    #[serde(borrow)]
    output_token_details: LenientObject<OutputTokenDetails<'a>>,
}

impl From<RealtimeUsage<'_>> for event::Usage {
    fn from(usage: RealtimeUsage<'_>) -> Self {
        usage::with_details(
            [usage.input_tokens, usage.output_tokens],
            usage.input_token_details,
            usage.output_token_details,
        )
    }
}
