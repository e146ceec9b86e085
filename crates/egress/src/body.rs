//! The bodies of answers: a text of the proxy, or the body from a server.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use crate::tasks::OwnTask;

/// The body of an answer.
pub(crate) enum AnswerBody {
    Text(Option<Bytes>),
    Forwarded(ForwardedBody),
}

/// The body that a server sends. Its connection is closed when it is dropped.
pub(crate) struct ForwardedBody {
    pub(crate) body: Incoming,
    pub(crate) _connection: OwnTask,
    pub(crate) _permit: OwnedSemaphorePermit,
}

impl AnswerBody {
    pub(crate) const fn empty() -> Self {
        Self::Text(None)
    }

    pub(crate) fn text(text: String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            Self::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Forwarded(forwarded) => Pin::new(&mut forwarded.body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Text(text) => text.is_none(),
            Self::Forwarded(forwarded) => forwarded.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Text(text) => {
                let length = text.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Self::Forwarded(forwarded) => forwarded.body.size_hint(),
        }
    }
}

/// The result of a service that always answers.
pub(crate) type Answered = Result<hyper::Response<AnswerBody>, Infallible>;
