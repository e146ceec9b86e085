//! Bodies of requests: generated ones, and the corpus.

use proptest::prelude::*;
use silcrow_cases::CaseFile;

use crate::body::request_body;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_is_read_or_rejected(text in any::<String>(), key in "[a-zA-Z]{2,9}") {
        request_body(text.as_bytes());
        let value = serde_json::Value::from(text);
        let message = serde_json::json!({"role": "user", "id": value, "content": value});
        for value in [value, serde_json::json!([message]), serde_json::json!({"parts": [message]})] {
            let mut body = serde_json::json!({
                "model": "m", "messages": value, "input": value, "threadId": "t", "runId": "r",
            });
            body[&key] = value;
            request_body(body.to_string().as_bytes());
        }
    }
}

/// The corpus has every body that once failed.
#[test]
fn bodies_of_the_corpus_are_read_or_rejected() {
    let file = CaseFile::read(include_str!("../cases/bodies.cases"));
    let cases = file.unwrap_or_else(|error| panic!("{error}")).cases;
    assert!(cases.len() >= 8, "{} bodies are too few", cases.len());
    for case in cases {
        request_body(case.wire.as_bytes());
    }
}
