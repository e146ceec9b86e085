//! The canonical form of JSON, in which two values are equal if they mean the same.
//!
//! Members are sorted by name, white space is left out, and each string has one spelling. Numbers
//! keep theirs, so that no two different numbers become equal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event::Json;

/// Returns the canonical form of a JSON value, or `None` if it is not JSON or too deep.
pub(crate) fn canonical(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    write(json.trim(), MAX_DEPTH, &mut out)?;
    Some(out)
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

fn write(json: &str, depth: u32, out: &mut String) -> Option<()> {
    let within = depth.checked_sub(1)?;
    match json.as_bytes().first()? {
        b'{' => {
            let members: BTreeMap<MemberName<'_>, &RawValue> = serde_json::from_str(json).ok()?;
            let mut before = '{';
            for (MemberName(name), value) in members {
                out.push(before);
                out.push_str(Json::string(&name).as_str());
                out.push(':');
                write(value.get(), within, out)?;
                before = ',';
            }
            out.push_str(if before == '{' { "{}" } else { "}" });
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            let mut before = '[';
            for item in items {
                out.push(before);
                write(item.get(), within, out)?;
                before = ',';
            }
            out.push_str(if before == '[' { "[]" } else { "]" });
        }
        b'"' => {
            let MemberName(text) = serde_json::from_str(json).ok()?;
            out.push_str(Json::string(&text).as_str());
        }
        _ => {
            let value: &RawValue = serde_json::from_str(json).ok()?;
            out.push_str(value.get());
        }
    }
    Some(())
}

/// The greatest depth of a value. Each level is read again for the one around it.
const MAX_DEPTH: u32 = 64;

#[test]
fn equal_values_have_one_canonical_form() {
    let same = [r#" {"b": [1, 2], "a": "\u0041\/"} "#, r#"{"a":"A/","b":[1,2]}"#];
    assert_eq!(canonical(same[0]).as_deref(), Some(same[1]));
    assert_eq!(canonical(same[1]).as_deref(), Some(same[1]));
    for other in [r#"{"a":"A/","b":[2,1]}"#, r#"{"a":"A/","b":[1,2.0]}"#, "{}", "[]", "null"] {
        assert_ne!(canonical(other), canonical(same[0]), "{other}");
        assert_eq!(canonical(other).as_deref(), Some(other));
    }
    let large = ["12345678901234567890123", "12345678901234567890124"];
    assert_ne!(canonical(large[0]), canonical(large[1]));
    for wrong in ["", "{", "[1,]", "nul", r#""\ud800""#, &"[".repeat(9_999)] {
        assert_eq!(canonical(wrong), None, "{wrong}");
    }
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(canonical(&deep(60)).is_some() && canonical(&deep(70)).is_none());
}
