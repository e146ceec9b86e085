//! The span of the program that begins a run over HTTP.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use silcrow_event::TraceParent;

use crate::source::RunPlace;

/// The span that the header `traceparent` of a request names. One that cannot be read is ignored, as
/// W3C Trace Context says.
pub(crate) struct RunCaller(Option<TraceParent>);

impl RunCaller {
    /// Makes the runs of a place a part of the caller's trace.
    pub(crate) fn at(&self, place: RunPlace) -> RunPlace {
        RunPlace { caller: self.0, ..place }
    }
}

impl<S: Sync> FromRequestParts<S> for RunCaller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let header = parts.headers.get("traceparent").and_then(|header| header.to_str().ok());
        Ok(Self(header.and_then(TraceParent::parse)))
    }
}
