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

/// What no JSON string may hold is seen wherever in a long one it stands, and what it may hold ends
/// none.
#[test]
fn strings_are_read_to_the_letter_wherever_something_stands_in_them() {
    let read = |text: &str| Call::parse("a1", format!("{{\"name\":\"a\",\"x\":\"{text}}}"));
    for filler in ["n", "a", "\\n", "\\\\"] {
        for before in 0..80 {
            let (before, behind) = (filler.repeat(before), filler.repeat(40));
            for odd in ["\u{1}", "\n", "\u{1}\"", "\\x", "\\u12g4", "\"", "\"\"", "\"\\\""] {
                let text = format!("{before}{odd}{behind}\"");
                assert!(read(&text).is_err(), "{text:?}");
            }
            for fine in ["", " ", "\\\"", "\\u12a4", "\\/", "é", "}", "\\\"\\\""] {
                let text = format!("{before}{fine}{behind}\"");
                assert!(read(&text).is_ok(), "{text:?}");
            }
            for quotes in 2..70 {
                let text = format!("{before}{}", "\"".repeat(quotes));
                assert!(read(&text).is_err(), "{text:?}");
            }
        }
    }
}
