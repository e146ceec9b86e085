//! The checks of requests, for any bytes of a client: bodies, headers and histories.

use silcrow_front::{
    AgUiKnownMessage, AgUiRequest, AiSdkRequest, ChatHeaders, CompletionRequest, HistoryMatch,
    ResponseRequest, match_history,
};

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
    if let Ok(request) = AgUiRequest::parse(bytes) {
        ag_ui_history(&request);
    }
    if let Ok(request) = CompletionRequest::parse(bytes) {
        history(&request);
    }
    if let Ok(text) = str::from_utf8(bytes) {
        headers(text);
    }
}

/// A thread that has a part of a client's messages takes the rest; messages that it has twice or
/// not at all are rejected with a short reason.
fn ag_ui_history(request: &AgUiRequest) {
    let Ok(all) = request.new_messages(&[]) else { return };
    let known: Vec<_> = all
        .iter()
        .map(|message| AgUiKnownMessage { id: &message.id, text: &message.text })
        .collect();
    let ids: std::collections::BTreeSet<_> = known.iter().map(|one| one.id).collect();
    if ids.len() == known.len() {
        let half = known.len() / 2;
        assert_eq!(
            request.new_messages(&known[..half]).map(|new| new.len()),
            Ok(known.len() - half)
        );
    }
    for open in [&[][..], &["1/a1"], &["1/a1", "2/a1"]] {
        if let Err(error) = request.check_answers(open) {
            assert!(error.to_string().len() <= MAX_REASON, "{error}");
        }
    }
}

/// A log with the first half of the messages of a history is continued by the second half.
fn history(request: &CompletionRequest) {
    let sent: Vec<_> = request.user_texts().collect();
    let half = sent.len() / 2;
    let log: Vec<_> = (1..).zip(sent[..half].iter().copied()).collect();
    match match_history(&log, &sent) {
        HistoryMatch::Continue { from } => assert!(from == half && from < sent.len()),
        HistoryMatch::Fork { before, from } => assert!(before >= 1 && from < sent.len()),
        HistoryMatch::New => {}
    }
}

/// Each value from the headers is a part of them, or nothing.
fn headers(text: &str) {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let read = ChatHeaders::read(lines.clone());
    assert_eq!(read, ChatHeaders::read(lines));
    for value in [read.chat, read.message, read.parent, read.task, read.user].iter().flatten() {
        assert!(!value.trim().is_empty() && text.contains(&**value), "{value:?}");
    }
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
