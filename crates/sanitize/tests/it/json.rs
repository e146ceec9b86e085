//! Hidden characters in JSON.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::Value;
use silcrow_sanitize::{escape_json, is_hidden, sanitize};

use crate::sanitize::text;

#[test]
fn hidden_characters_escape_to_same_value() {
    for char in ('\u{7f}'..=char::MAX).filter(|&char| is_hidden(char)) {
        let json = serde_json::to_string(&format!("a{char}b")).unwrap();
        let escaped = escape_json(&json);
        assert!(escaped.is_ascii(), "{escaped:?}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), format!("a{char}b"));
    }
}

#[test]
fn spelling_outside_escapes_stays() {
    let json = "{\r\n\t\"b\": 1.50e2, \"a\u{9b}\": \"\\u00e9 é \\\\ \u{e0101}\"}\n[]\n";
    let escaped = "{\r\n\t\"b\": 1.50e2, \"a\\u009b\": \"\\u00e9 é \\\\ \\udb40\\udd01\"}\n[]\n";
    assert_eq!(escape_json(json), escaped);
    for plain in ["", "null", "[\"👩‍👩‍👧 ☀️\",\n 1]"] {
        assert!(matches!(escape_json(plain), Cow::Borrowed(same) if same == plain), "{plain:?}");
    }
}

proptest! {
    #[test]
    fn values_stay_the_same(texts in prop::collection::vec(text(), 0..4)) {
        let value = Value::from(texts);
        let escaped = escape_json(&value.to_string()).into_owned();
        prop_assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), value);
        // A terminal may show it.
        let shown = sanitize(&escaped).into_owned();
        prop_assert_eq!(shown, escaped);
    }
}
