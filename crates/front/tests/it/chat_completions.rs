//! Runs as completions, and requests for them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use silcrow_front::{
    ChatCompletionsEncoder, ClientRole, CompletionHead, CompletionRequest, RunEnd,
};

use crate::cut_run::encode_said_again;
use crate::random_run;
use crate::scenario::Scenario;

fn encoder(include_usage: bool) -> ChatCompletionsEncoder {
    let head = CompletionHead::new("chatcmpl-1", "silcrow", 1_767_225_600);
    ChatCompletionsEncoder::new("talk", head.with_usage(include_usage))
}

/// The data of a stream, without `[DONE]` at its end.
fn data(stream: &str) -> Vec<Value> {
    let rest = stream.strip_suffix("data: [DONE]\n\n").unwrap();
    let data =
        |message: &str| serde_json::from_str(message.strip_prefix("data: ").unwrap()).unwrap();
    rest.split_terminator("\n\n").map(data).collect()
}

/// The reasoning and the answer as the chunks add up.
fn sum(chunks: &[Value]) -> [String; 2] {
    ["reasoning_content", "content"].map(|key| {
        let pieces = chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"][key].as_str());
        pieces.collect()
    })
}

/// Returns the whole message of a scenario: the reasoning, a line, and the answer.
fn message(name: &str) -> String {
    let all = Scenario::all();
    let scenario = all.iter().find(|scenario| scenario.name == name).unwrap();
    let mut encoder = encoder(false);
    scenario.encode(&mut encoder);
    let completion: Value = serde_json::from_str(&encoder.completion().unwrap()).unwrap();
    let choice = &completion["choices"][0];
    assert_eq!(choice["finish_reason"], "stop");
    let texts = ["reasoning_content", "content"].map(|key| choice["message"][key].as_str());
    texts.into_iter().flatten().collect::<Vec<_>>().join("\n===\n")
}

/// JSON with sorted keys: other crates decide whether a value keeps their order.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            serde_json::to_string(&members.iter().collect::<BTreeMap<_, _>>()).unwrap()
        }
        other => other.to_string(),
    }
}

#[test]
fn chunks_carry_reasoning_and_answer_pieces() {
    let written = Scenario::all()[0].encode(&mut encoder(true));
    let shown = data(&written).into_iter().map(|chunk| {
        let choice = &chunk["choices"][0];
        let shown = [&choice["delta"], &choice["finish_reason"], &chunk["usage"]].map(sorted);
        shown.join(" ")
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @r#"
    {"content":"","role":"assistant"} null null
    {"reasoning_content":"The person"} null null
    {"reasoning_content":" asks for"} null null
    {"reasoning_content":" a sum."} null null
    {"content":"2 + 2 is 4"} null null
    {"content":".\nAnything"} null null
    {"content":" else?"} null null
    {} "stop" null
    null null {"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":8},"prompt_tokens":120,"prompt_tokens_details":{"cached_tokens":100},"total_tokens":150}
    "#);
}

#[test]
fn calls_are_lines_among_the_thoughts() {
    insta::assert_snapshot!(message("parallel"), @r"
    → file_read a.txt

    → file_read b.txt
    ===
    I read both.

    They differ.
    ");
    insta::assert_snapshot!(message("agent"), @r"
    → helper Read a.txt.

    helper: → file_read a.txt
    ===
    The file says: one
    ");
    insta::assert_snapshot!(message("failure"), @r"
    → file_read a.txt

    ✗ file_read: no such file
    ===
    The file does not exist.
    ");
    insta::assert_snapshot!(message("malformed"), @r"
    ✗ no call: This is not a call: it is not JSON.
    ===
    I cannot read it.
    ");
    insta::assert_snapshot!(message("stopped"), @r"
    → file_read a.txt

    ✗ file_read: cancelled
    ===
    While this is being read, I
    ");
}

#[test]
fn a_question_is_a_part_of_the_answer() {
    insta::assert_snapshot!(message("approval"), @r#"
    → file_write {"path":"a.txt","content":"one\n"}

    → file_read b.txt
    ===
    I write it.

    May `file_write` run with these arguments?

        {"path":"a.txt","content":"one\n"}

        a.txt
        @@ -0,0 +1 @@
        +one

    - creates a file of 4 bytes
    - the mode `ask` asks about changes of files

    The run waits for an answer to question `1/a1`. Answer `yes` or `no`, or say what to do instead.
    "#);
    insta::assert_snapshot!(message("continuation"), @"It is written.");
}

#[test]
fn a_failure_is_an_error() {
    let all = Scenario::all();
    let scenario = all.iter().find(|scenario| scenario.name == "error").unwrap();
    let mut encoder = encoder(false);
    let written = scenario.encode(&mut encoder);
    let error = encoder.completion().unwrap_err().to_json();
    insta::assert_snapshot!(error, @r#"{"error":{"message":"The model cannot be reached; try again later.","type":"server_error","param":null,"code":"unreachable"}}"#);
    assert!(written.ends_with(&format!("data: {error}\n\ndata: [DONE]\n\n")));
}

#[test]
fn a_request_has_the_whole_conversation() {
    let request = CompletionRequest::parse(
        br#"{"model": "silcrow", "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "a"}]},
                {"role": "assistant", "content": null, "tool_calls": []},
                {"role": "user", "content": "b"}]}"#,
    )
    .unwrap();
    assert_eq!(request.user_texts().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(request.messages[0].role, ClientRole::Instructions);
    assert!(request.stream && request.include_usage && !request.is_single());
    let single = br#"{"model": "silcrow", "messages": [{"role": "user", "content": "a"}]}"#;
    assert!(CompletionRequest::parse(single).unwrap().is_single());
}

#[test]
fn errors_name_the_faulty_field() {
    let error = |body: &str| CompletionRequest::parse(body.as_bytes()).unwrap_err().to_string();
    let errors = [
        r#"{"messages": []}"#,
        r#"{"model": "x"}"#,
        r#"{"model": "x", "messages": []}"#,
        r#"{"model": "x", "messages": ["a"]}"#,
        r#"{"model": "x", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}"#,
        r#"{"model": "x", "messages": [{"role": "user", "content": "a"}], "stream_options": 1}"#,
    ];
    insta::assert_snapshot!(errors.map(error).join("\n"), @r"
    `model` is missing.
    `messages` is missing.
    `messages` is empty; it needs a prompt.
    `messages[0]` has to be an object, but is a string.
    `messages[0].content[0].image_url` is missing.
    `stream_options` has to be an object, but is a number.
    ");
}

#[test]
fn repeated_text_begins_anew() {
    let written = encode_said_again(&mut encoder(false));
    assert_eq!(sum(&data(&written))[1], "Seventeen\n\nEighteen seals.");
}

/// Checks that the sum of the chunks is the completion, with one end.
fn check_sum(
    scenario: &Scenario,
    encoder: &ChatCompletionsEncoder,
    written: &str,
) -> Result<(), TestCaseError> {
    let chunks = data(written);
    let Ok(completion) = encoder.completion() else {
        let has_failed = matches!(scenario.end, RunEnd::Failed { .. });
        prop_assert!(has_failed);
        prop_assert_eq!(&chunks.last().unwrap()["error"]["code"], "spent");
        return Ok(());
    };
    let completion: Value = serde_json::from_str(&completion).unwrap();
    let message = &completion["choices"][0]["message"];
    let whole = ["reasoning_content", "content"]
        .map(|key| message[key].as_str().unwrap_or_default().to_owned());
    prop_assert_eq!(sum(&chunks), whole);
    let ends = chunks.iter().filter(|chunk| !chunk["choices"][0]["finish_reason"].is_null());
    prop_assert_eq!(ends.count(), 1);
    prop_assert!(chunks.iter().all(|chunk| chunk["choices"][0]["delta"]["tool_calls"].is_null()));
    Ok(())
}

proptest! {
    #[test]
    fn chunks_add_up_to_the_completion(
        scenario in random_run::scenario(),
        include_usage in any::<bool>(),
    ) {
        let mut encoder = encoder(include_usage);
        let written = scenario.encode(&mut encoder);
        check_sum(&scenario, &encoder, &written)?;
    }

    #[test]
    fn chunks_add_up_after_server_loss(
        scenario in random_run::scenario(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut encoder = encoder(true);
        let written = scenario.encode_cut(&mut encoder, at.index(scenario.events.len() + 1));
        check_sum(&scenario, &encoder, &written)?;
    }
}
