//! P-9: where the reading of a call ends.

use silcrow_event::Call;

#[test]
fn a_body_is_nested_128_deep_at_most() {
    let nested = |deep: usize| {
        let args = format!("{}1{}", "{\"x\":".repeat(deep - 1), "}".repeat(deep - 1));
        Call::parse("a1", format!("{{\"name\":\"a\",\"args\":{args}}}"))
    };
    assert!(nested(128).is_ok());
    let why = nested(129).expect_err("it is too deep").to_string();
    assert!(why.contains("nested deeper than 128"), "{why}");
    // What is closed again is no depth.
    let wide = format!("{{\"name\":\"a\",\"args\":{{\"x\":[{}[]]}}}}", "{},".repeat(200));
    assert!(Call::parse("a1", wide).is_ok());
}
