//! Cases that are written as JSON have the same meaning in the notation.

use silcrow_cases::import;

#[test]
fn a_list_of_cases_is_converted() {
    let json = r#"[
        {"id": "a", "dialect": "sigil", "flags": ["--inline"], "wire": "§call: {}\n§end\n",
         "expected": [{"type": "call", "call": {"name": "t", "args": {"b": [1.5, "x\ny"]}}}, {"type": "end"}]},
        {"id": "b", "dialect": "action", "flags": [], "wire": "---\r\n\u0000",
         "expected": [
            {"type": "respond", "content": "\n a \n"},
            {"type": "call", "id": "c d", "content": "{\"name\": \"t\"}",
             "action": {"depends_on": ["e"], "mode": "sync", "type": "tool"}}]}
    ]"#;
    insta::assert_snapshot!(import(json).unwrap());
}

#[test]
fn unrepresentable_cases_are_errors() {
    let fails = |case: &str, words: &str| {
        let why = import(&format!("[{case}]")).unwrap_err();
        assert!(why.contains(words), "{why}");
    };
    fails("5", "without an id");
    fails(r#"{"id": "a"}"#, "case `a`: `dialect`");
    let case = |expected: &str| {
        format!(
            r#"{{"id": "a", "dialect": "b", "flags": [], "wire": "", "expected": [{expected}]}}"#
        )
    };
    fails(&case(r#"{"type": "think", "content": "", "more": 1}"#), "cannot say");
    fails(&case(r#"{"type": "dream"}"#), "`dream` is not a section");
    fails(&case(r#"{"type": "call"}"#), "`call` or `content`");
    let twice = format!("{0},{0}", case(""));
    fails(&twice, "on line 1");
}
