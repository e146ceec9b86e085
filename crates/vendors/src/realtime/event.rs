//! The server's events, as far as they are read. Everything may be missing, and more may be there.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Broken};
use crate::text::Piece;

#[derive(Deserialize)]
pub(crate) struct Event<'a> {
    #[serde(borrow)]
    pub(crate) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) item_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) item: Option<Item<'a>>,
    /// Text for the types that are read; others have other things there.
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) session: Option<Session<'a>>,
    #[serde(borrow)]
    pub(crate) response: Option<Response<'a>>,
    #[serde(borrow)]
    pub(crate) error: Option<Complaint<'a>>,
}

impl Event<'_> {
    pub(crate) fn piece(&self) -> Result<Piece, Broken> {
        Ok(serde_json::from_str(self.delta.map_or("\"\"", RawValue::get))?)
    }
}

#[derive(Deserialize)]
pub(crate) struct Item<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(crate) struct Session<'a> {
    /// Seconds since 1970.
    #[serde(borrow)]
    pub(crate) expires_at: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(crate) struct Complaint<'a> {
    /// The event of ours that it is about.
    #[serde(borrow)]
    pub(crate) event_id: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Response<'a> {
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status_details: Option<Details<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Response<'_> {
    /// Its end; `data` is the event that told of it.
    pub(crate) fn end(self, data: &str, answer: &mut Answer) -> Result<(), Broken> {
        let details = self.status_details.unwrap_or_default();
        let reason = details.reason.unwrap_or_default();
        answer.finish = Some(match self.status.as_deref().unwrap_or("completed") {
            "completed" => answer.stop(),
            "failed" => return answer.failed(details.error.map_or(data, RawValue::get)),
            "incomplete" => match &*reason {
                "" | "max_output_tokens" => Finish::Length,
                "content_filter" => Finish::Filter,
                other => Finish::Other(other.to_owned()),
            },
            other => Finish::Other(other.to_owned()),
        });
        // A report in another shape costs the figures, not the answer.
        let usage = self.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
        answer.usage = usage.map(Usage::into);
        Ok(())
    }
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_token_details: Option<Cached>,
    output_token_details: Option<Reasoning>,
}

#[derive(Deserialize)]
struct Cached {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Reasoning {
    reasoning_tokens: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        let reasoning = usage.output_token_details.and_then(|of| of.reasoning_tokens);
        Self {
            input: usage.input_tokens.unwrap_or_default(),
            output: usage.output_tokens.unwrap_or_default(),
            cached: usage.input_token_details.and_then(|of| of.cached_tokens).unwrap_or_default(),
            reasoning: reasoning.unwrap_or_default(),
            ..Self::default()
        }
    }
}
