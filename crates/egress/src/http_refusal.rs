//! Answers over HTTP of the proxy itself.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use crate::body::AnswerBody;

/// Returns an answer of the proxy itself.
pub(crate) fn refusal(status: StatusCode, words: &str) -> Response<AnswerBody> {
    let mut answer = Response::new(AnswerBody::text(format!("{words}\n")));
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, plain);
    answer
}
