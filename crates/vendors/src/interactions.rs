//! Interactions: Google's API with conversations that the server keeps.
//!
//! `request` encodes, `reader` decodes, `answer` continues an answer over several requests, and
//! `session` chains answers.

use std::sync::Arc;

use futures_util::FutureExt as _;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::gemini::{self, GOOGLE};
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model, SamplingApi};

mod answer;
mod input;
mod native;
mod reader;
mod request;
mod session;
mod steps;

/// A Gemini model that is asked through Interactions, an API that can keep the conversation.
///
/// A stream asks for one answer with the whole conversation, and the server keeps nothing. In a
/// session the server keeps each answer, and only new messages are sent. If the server stops at a
/// limit of one request, another request asks for the rest.
pub type Interactions = Model<InteractionsApi>;

/// The Interactions API.
///
/// ```
/// use silcrow_provider::SamplingField;
/// use silcrow_vendors::{GeminiApi, InteractionsApi};
///
/// // Of the two APIs for Gemini models, only the other one has a budget for thoughts.
/// let budget = &SamplingField::ThinkingBudget;
/// assert!(GeminiApi::SAMPLING.contains(budget) && !InteractionsApi::SAMPLING.contains(budget));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct InteractionsApi;

impl InteractionsApi {
    /// The sampling fields that the API supports. It has no budget for thoughts.
    pub const SAMPLING: &'static [SamplingField] = &[
        SamplingField::Temperature,
        SamplingField::MaxTokens,
        SamplingField::Effort,
        SamplingField::ThinkingDisplay,
        SamplingField::Seed,
        SamplingField::Stop,
    ];
}

impl Api for InteractionsApi {}

impl SamplingApi for InteractionsApi {}

impl Adapter for InteractionsApi {
    const NAME: &'static str = "Interactions";
    const PREFIX: &'static str = "gemini-interactions";
    const SERVER: &'static str = GOOGLE;

    fn endpoint(url: &str) -> Result<Url, Error> {
        let mut url = gemini::base(url)?;
        url.path_segments_mut().expect("a URL of HTTP has a path").push("interactions");
        Ok(url)
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        let revision = HeaderValue::from_static(REVISION);
        let revision = (HeaderName::from_static("api-revision"), revision);
        Ok(HeaderMap::from_iter([gemini::credential(key)?, revision]))
    }

    fn id(model: &str) -> &str {
        gemini::bare(model)
    }

    fn stream(model: &Interactions, request: Request) -> DeltaStream {
        let mut request = request::InteractionRequest::new(request);
        request.store = false;
        answer::deltas(Arc::new(model.clone()), request)
    }

    fn connect(model: &Interactions, request: Request) -> Option<OpeningSession> {
        Some(session::open(Arc::new(model.clone()), request).boxed())
    }
}

/// The revision of the events that `reader` reads. Without it the server may send an older one.
const REVISION: &str = "2026-05-20";
