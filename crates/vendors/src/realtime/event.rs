//! The server's events, as far as they are read. Everything may be missing, and more may be there.

use std::borrow::Cow;

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{Answer, Broken};
use crate::ends;
use crate::lenient::{Field, Object};

#[derive(Deserialize)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) item_id: Field<'a>,
    #[serde(borrow)]
    pub(crate) item: Object<Item<'a>>,
    /// Text for the types that are read; others have other things there.
    #[serde(borrow)]
    pub(crate) delta: Field<'a>,
    #[serde(borrow)]
    pub(crate) session: Object<Session<'a>>,
    #[serde(borrow)]
    pub(crate) response: Object<Response<'a>>,
    #[serde(borrow)]
    pub(crate) error: Object<Complaint<'a>>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Item<'a> {
    #[serde(borrow)]
    pub(crate) id: Field<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Session<'a> {
    /// Seconds since 1970.
    #[serde(borrow)]
    pub(crate) expires_at: Field<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Complaint<'a> {
    /// The event of ours that it is about.
    #[serde(borrow)]
    pub(crate) event_id: Field<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Response<'a> {
    #[serde(borrow)]
    status: Field<'a>,
    #[serde(borrow)]
    status_details: Object<Details<'a>>,
    #[serde(borrow)]
    usage: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    reason: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
}

impl Response<'_> {
    /// Its end; `data` is the event that told of it.
    pub(crate) fn end(self, data: &str, answer: &mut Answer) -> Result<(), Broken> {
        let Details { reason, error } = self.status_details.unwrap_or_default();
        let reason = reason.word().unwrap_or_default();
        answer.report(self.usage.read::<Usage<'_>>());
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
struct Usage<'a> {
    #[serde(borrow)]
    input_tokens: Field<'a>,
    #[serde(borrow)]
    output_tokens: Field<'a>,
    #[serde(borrow)]
    input_token_details: Object<Cached<'a>>,
    #[serde(borrow)]
    output_token_details: Object<Reasoning<'a>>,
}

#[derive(Default, Deserialize)]
struct Cached<'a> {
    #[serde(borrow)]
    cached_tokens: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Reasoning<'a> {
    #[serde(borrow)]
    reasoning_tokens: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        let reasoning = usage.output_token_details.unwrap_or_default().reasoning_tokens.count();
        Self {
            input: usage.input_tokens.count().unwrap_or_default(),
            output: usage.output_tokens.count().unwrap_or_default(),
            cached: usage
                .input_token_details
                .unwrap_or_default()
                .cached_tokens
                .count()
                .unwrap_or_default(),
            reasoning: reasoning.unwrap_or_default(),
            ..Self::default()
        }
    }
}
