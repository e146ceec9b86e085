//! P-9: the limits of a call.

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
    // Containers that are closed again do not add to the depth.
    let wide = format!("{{\"name\":\"a\",\"args\":{{\"x\":[{}[]]}}}}", "{},".repeat(200));
    assert!(Call::parse("a1", wide).is_ok());
}

/// A byte that a JSON string may not contain is found at any position of a long string, and a valid
/// byte never ends one.
#[test]
fn strings_are_validated_at_every_position() {
    let read =
        |text: &str| Call::parse("a1", format!("{{\"name\":\"a\",\"args\":{{\"x\":\"{text}}}}}"));
    for filler in ["n", "a", "\\n", "\\\\"] {
        for before in 0..80 {
            let (before, after) = (filler.repeat(before), filler.repeat(40));
            for odd in ["\u{1}", "\n", "\u{1}\"", "\\x", "\\u12g4", "\"", "\"\"", "\"\\\""] {
                let text = format!("{before}{odd}{after}\"");
                assert!(read(&text).is_err(), "{text:?}");
            }
            for fine in ["", " ", "\\\"", "\\u12a4", "\\/", "é", "}", "\\\"\\\""] {
                let text = format!("{before}{fine}{after}\"");
                assert!(read(&text).is_ok(), "{text:?}");
            }
            for quotes in 2..70 {
                let text = format!("{before}{}", "\"".repeat(quotes));
                assert!(read(&text).is_err(), "{text:?}");
            }
        }
    }
}
