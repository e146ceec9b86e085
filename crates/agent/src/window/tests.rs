use std::sync::{Arc, OnceLock};

use silcrow_context::ModelLimits;
use silcrow_event::{Message, MessageList, Usage};
use silcrow_media::ImageTokenRule;
use silcrow_provider::{Error, ErrorKind};

use super::{ModelWindow, named_window};

fn new_window(limits: ModelLimits, later: Arc<OnceLock<ModelLimits>>) -> ModelWindow {
    ModelWindow::new(limits, later, ImageTokenRule::UNKNOWN)
}

#[test]
fn the_errors_of_vendors_name_their_window() {
    for (message, window) in [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens \
             (8000 in the messages, 1000 in the completion).",
            Some(8192),
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            Some(1_048_576),
        ),
        (
            "request (3120 tokens) exceeds the available context size (2048 tokens), try increasing it",
            Some(2048),
        ),
        ("the maximum is 128,000 tokens, you sent 130,001", Some(128_000)),
        ("`inputs` must have less than 1024 tokens. Given: 1168", Some(1024)),
        ("Request body too large for gpt-4o model. Max size: 8000 tokens.", Some(8000)),
        ("length of prompt_tokens (33000) must be less than max_seq_len (32768).", Some(32_768)),
        ("the input token count is 40000 but the model only supports up to 32768.", Some(32_768)),
        ("Range of input length should be [1, 129024]", Some(129_024)),
        ("Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)", Some(4096)),
        ("tokens per minute (TPM): Limit 6000, Requested 8130, please reduce", Some(6000)),
        ("Input length 131393 exceeds the maximum allowed input length of 131040.", Some(131_040)),
        ("Current length is 9000 while limit is 8192", Some(8192)),
        ("k3-256k supports only 256K context.", None),
        ("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", None),
        ("your input exceeds the context window of this model", None),
    ] {
        let found = named_window(message);
        match window {
            Some(_) => assert_eq!(found, window, "{message}"),
            // A number that is not the limit makes the window no greater than the request.
            None => assert!(found.is_none_or(|found| found <= 199_000), "{message} {found:?}"),
        }
    }
}

#[test]
fn too_long_request_bounds_the_window_twice() {
    let error = Error::new(ErrorKind::ContextTooLong, "the request is too long");
    let mut window = new_window(ModelLimits::default(), Arc::default());
    assert!(window.learn(&error, 900) && window.limits().context == Some(900));
    assert!(window.learn(&error, 700) && window.limits().context == Some(700));
    assert!(!window.learn(&error, 600));
    let other = Error::new(ErrorKind::Rate, "slower");
    assert!(!new_window(ModelLimits::default(), Arc::default()).learn(&other, 900));
}

#[test]
fn longest_refused_request_lowers_limit_once() {
    let refused = Error::new(ErrorKind::Refused, "400");
    let new = || new_window(ModelLimits::default(), Arc::default());
    assert!(!new().learn(&refused, 8_000), "every model reads this much");
    let mut window = new();
    window.correct(&Usage { input: 20_000, ..Usage::default() }, 20_000);
    assert!(!window.learn(&refused, 20_000), "the vendor has read this much");
    assert!(window.learn(&refused, 20_010) && window.limits().context == Some(18_009));
    assert!(!window.learn(&refused, 30_000));
}

#[test]
fn reported_usage_corrects_the_estimate() {
    let messages = [Message::user("seals and walruses ".repeat(40))];
    let mut window = new_window(ModelLimits::default(), Arc::default());
    let estimated = window.tokens(&messages);
    window.correct(&Usage { input: estimated * 2, ..Usage::default() }, estimated);
    assert_eq!(window.tokens(&messages), estimated * 2);
    let guessed = Usage { input: 1, estimated: true, ..Usage::default() };
    window.correct(&guessed, estimated);
    assert_eq!(window.tokens(&messages), estimated * 2);
}

#[test]
fn step_estimates_only_new_messages() {
    let mut window = new_window(ModelLimits::default(), Arc::default());
    let mut messages = MessageList::from(vec![Message::system("Read the lines.")]);
    for step in 0..500 {
        messages.push(Message::assistant(format!("line {step}")));
        let all = window.tokens(&messages);
        // A step asks twice: for the room in the window, and for what to reserve.
        assert_eq!([window.estimate(&messages), window.estimate(&messages)], [all; 2]);
    }
    assert_eq!(window.estimates.messages_read(), 501);
}

#[test]
fn later_limits_replace_only_unknown_ones() {
    let later = Arc::new(OnceLock::new());
    let error = Error::new(ErrorKind::ContextTooLong, "too long");
    let unknown = new_window(ModelLimits::default(), Arc::clone(&later));
    let named = new_window(ModelLimits::default().with_context(900), Arc::clone(&later));
    let mut learned = new_window(ModelLimits::default(), Arc::clone(&later));
    assert_eq!(unknown.limits().context, None);
    later.set(ModelLimits::default().with_context(700)).unwrap();
    assert_eq!(unknown.limits().context, Some(700));
    assert_eq!(named.limits().context, Some(900));
    assert!(learned.learn(&error, 500) && learned.limits().context == Some(500));
}
