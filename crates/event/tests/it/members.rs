//! P-9: `Call::members` agrees with `serde_json` about objects and their members.

use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;
use silcrow_event::Call;

#[track_caller]
fn agrees(text: &str) {
    let raw = serde_json::from_str::<&RawValue>(text);
    let is_object = raw.is_ok_and(|raw| raw.get().starts_with('{'));
    let read = Call::members(text);
    assert_eq!(read.is_ok(), is_object && depth(text) <= 128, "{text:?}: {read:?}");
    let Ok(members) = read else { return };
    for member in &members {
        let raw: &RawValue = serde_json::from_str(member.value()).unwrap();
        assert_eq!(raw.get(), member.value(), "{text:?}");
    }
    // `serde_json` keeps only the last member with a given key.
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return };
    for (key, value) in &object {
        let last = members.iter().rfind(|member| member.key() == key).expect(text);
        assert_eq!(&serde_json::from_str::<Value>(last.value()).unwrap(), value, "{text:?}");
    }
    assert!(members.iter().all(|member| object.contains_key(member.key())), "{text:?}");
}

/// Returns the greatest depth of containers inside each other in a JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn one_changed_byte_is_judged_like_serde_json() {
    let escapes = r#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00\ud800""#;
    let numbers = "0, -0, 10, 0.0, 1.25e7, 1E+2, -1e-22, 123456789012345678901234567890";
    let samples = [
        format!(r#" {{ "a" : [ true , false , null, {numbers} ] , "b" : {escapes} }} "#),
        format!(r#"{{"long":"{}","more":{{}},"none":[]}}"#, r#"let x = \"y\";\n"#.repeat(9)),
        format!(r#"{{"long":"{}"}}"#, "a plain text of many words, é and § and 日本, ".repeat(5)),
        "\r\n\t{\"a\":{\"b\":{\"c\":[[],[{}]]}},\"a\":\"\u{7f}\"}\r\n".to_owned(),
    ];
    for sample in samples {
        agrees(&sample);
        for at in (0..sample.len()).filter(|&at| sample.is_char_boundary(at)) {
            agrees(&sample[..at]);
            let (before, after) = sample.split_at(at);
            let mut rest = after.chars();
            rest.next();
            let rest = rest.as_str();
            agrees(&format!("{before}{rest}"));
            for char in "\"\\/bnu09-+.eE{}[],: \t\u{1f}\u{7f}\u{a0}x".chars() {
                agrees(&format!("{before}{char}{rest}"));
                agrees(&format!("{before}{char}{after}"));
            }
        }
    }
}

#[test]
fn depth_is_bounded() {
    for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
        for more in 125..130 {
            agrees(&format!("{{\"b\":1,\"a\":{}1{}}}", open.repeat(more), close.repeat(more)));
        }
    }
    let deep = "[".repeat(1 << 20);
    assert!(Call::members(&format!("{{\"a\":{deep}")).is_err());
}

#[test]
fn strings_of_any_length_end_at_their_quote() {
    for len in 0..80 {
        let plain = "x".repeat(len);
        for end in ["", "\\", "\\\\", "\\\\\\", "\\\"", "\\\\\"", "\\\\\\\"", "\\n\\", "\u{1}", "é"]
        {
            for after in ["", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"] {
                agrees(&format!("{{\"a\":\"{plain}{end}{after}\"}}"));
                agrees(&format!("{{\"a\":\"{plain}{end}{after}\", \"b\":\"\"}}"));
            }
        }
    }
}

/// Pieces that JSON is made of, and some that it is not.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\":",
        "\"name\"",
        "\\",
        "\\\\",
        "\\\"",
        "\\n",
        "\\u",
        "\\u00",
        "\\u12aF",
        "\\ud800",
        "\\x",
        "0",
        "-",
        "1",
        "01",
        ".",
        "e",
        "E+",
        "5.",
        "1.5e3",
        "true",
        "false",
        "null",
        "tru",
        "nul",
        " ",
        "\n",
        "\r",
        "\t",
        "\u{b}",
        "\u{1f}",
        "\u{7f}",
        "\u{a0}",
        "\u{feff}",
        "é",
        "/",
        "abcdefgh",
        "a longer text of more than one word of bytes",
    ])
}

proptest! {
    #[test]
    fn random_pieces_are_judged_alike(pieces in prop::collection::vec(piece(), 0..24)) {
        agrees(&pieces.concat());
        agrees(&format!("{{\"a\":{}}}", pieces.concat()));
        agrees(&format!("{{\"a\":\"{}\"}}", pieces.concat()));
        agrees(&format!("{{\"a\":[\"{}\"]}}", pieces.concat()));
    }
}
