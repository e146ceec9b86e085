//! The check of bodies that clients send, whatever they are.

use silcrow_front::{AgUiRequest, AiSdkRequest, CompletionRequest, ResponseRequest};

/// Checks that a body is read as a request or rejected with a short reason by every protocol, and
/// that reading it again gives the same.
pub(crate) fn request_body(bytes: &[u8]) {
    check(AgUiRequest::parse(bytes).map_err(|error| error.to_string()), || {
        AgUiRequest::parse(bytes).map_err(|error| error.to_string())
    });
    check(AiSdkRequest::parse(bytes).map_err(|error| error.to_string()), || {
        AiSdkRequest::parse(bytes).map_err(|error| error.to_string())
    });
    let completion = || {
        let parsed = CompletionRequest::parse(bytes);
        parsed.map(|request| (request.is_single(), request)).map_err(|error| error.to_string())
    };
    check(completion(), completion);
    let response = || {
        let parsed = ResponseRequest::parse(bytes);
        let parsed = parsed.map(|request| {
            let answers = request.approvals().count();
            (request.is_single(), answers, request)
        });
        parsed.map_err(|error| error.to_string())
    };
    check(response(), response);
}

fn check<T: PartialEq + std::fmt::Debug>(
    first: Result<T, String>,
    again: impl FnOnce() -> Result<T, String>,
) {
    if let Err(why) = &first {
        assert!(!why.is_empty() && why.len() <= MAX_REASON, "{why}");
    }
    assert_eq!(first, again());
}

/// The most bytes of a reason: a client cannot have its own body sent back.
const MAX_REASON: usize = 1024;
