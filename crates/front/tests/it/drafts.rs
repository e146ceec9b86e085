//! Answers that a run did not accept, and commands that failed.

use silcrow_front::{
    AiSdkEncoder, AiSdkTarget, ChatCompletionsEncoder, ClientToolNames, CompletionHead, RunEncoder,
    ai_sdk_messages,
};

use crate::scenario::draft;

const REMARK: &str = "(That was not the answer, and the model was asked again.)";

fn completions() -> ChatCompletionsEncoder {
    ChatCompletionsEncoder::new("talk", CompletionHead::new("chatcmpl-1", "silcrow", 1))
}

#[test]
fn remark_stands_between_draft_and_answer() {
    let mut encoder = completions();
    draft().encode(&mut encoder);
    let completion: serde_json::Value =
        serde_json::from_str(&encoder.completion().unwrap()).unwrap();
    assert_eq!(
        completion["choices"][0]["message"]["content"],
        format!("It is deployed.\n\n{REMARK}\n\nThe tests fail."),
    );
}

#[test]
fn stored_log_keeps_remark_position() {
    let streamed = draft().encode(&mut AiSdkEncoder::new(AiSdkTarget::V6, "talk"));
    let messages =
        ai_sdk_messages(AiSdkTarget::V6, "talk", &ClientToolNames::default(), &draft().stored());
    assert!(streamed.contains(REMARK), "{streamed}");
    let places = ["It is deployed.", REMARK, "The tests fail."].map(|part| messages.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{messages}");
}

#[test]
fn failed_command_is_error_with_output() {
    let streamed = draft().encode(&mut AiSdkEncoder::new(AiSdkTarget::V6, "talk"));
    assert!(streamed.contains(r#""errorText":"exit status 1: 3 tests failed""#), "{streamed}");
    let mut encoder: Box<dyn RunEncoder> = Box::new(completions());
    let streamed = draft().encode(&mut *encoder);
    assert!(streamed.contains("✗ shell: exit status 1"), "{streamed}");
}
