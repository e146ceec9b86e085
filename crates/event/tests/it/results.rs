//! Results: their payload, batches of them, and the output of a tool in JSON.

use silcrow_event::{CallResult, ResultBatch, ResultStatus, Truncation, read_entry};

#[test]
fn setter_adds_missing_payload() {
    let truncation = Truncation::default().with_omitted_lines(3);
    let bare = || CallResult::unknown("a");
    let with_tool = bare().with_tool("t");
    assert_eq!(with_tool.tool(), Some("t"));
    let with_notices = bare().with_notices(vec!["redirected".to_owned()]);
    assert_eq!(with_notices.notices(), ["redirected"]);
    let with_truncation = bare().with_truncation(truncation.clone());
    assert_eq!(with_truncation.truncated(), Some(&truncation));
    for result in [bare(), with_tool, with_notices, with_truncation] {
        assert_eq!(result.status(), ResultStatus::Success);
    }
}

/// An older log has none of the fields besides tool, status and content.
#[test]
fn unfold_inverts_fold() {
    let truncated = Truncation::default().with_omitted_lines(3).with_tail("\",\"status\":\"x");
    let results = [
        CallResult::success("a1", "get", "", "[nothing found]").with_truncation(truncated),
        CallResult::framework_failure("a2", None, "", "no").with_notices(vec!["one".to_owned()]),
    ];
    let summary = |results: &[CallResult]| {
        let fields =
            |one: &CallResult| (one.header(), one.content.clone(), one.truncated().cloned());
        results.iter().map(fields).collect::<Vec<_>>()
    };
    assert_eq!(summary(&ResultBatch::fold(&results).unfold()), summary(&results));

    let content = r#"[{"tool":"get","status":"failure","content":[1]},7,{"truncated":3}]"#;
    let old =
        ResultBatch { content: content.to_owned(), success_count: 0, failure_count: 0 }.unfold();
    let [list, number, odd] = &old[..] else { panic!("{old:?}") };
    assert_eq!((list.status(), &*list.content.text()), (ResultStatus::Failure, "[1]"));
    assert_eq!((number.status(), &*number.content.text()), (ResultStatus::Success, "7"));
    assert_eq!((odd.truncated(), odd.notices()), (None, &[][..]));
}

#[test]
fn tool_output_is_kept_byte_for_byte() {
    let deep = format!("{}1e400{}", "[".repeat(300), "]".repeat(300));
    for content in [&*deep, r#"{"b":1.0,"a":"\u00e9"}"#, "18446744073709551616"] {
        let line = format!(
            r#"{{"type":"result","id":"a1","content":"","payload":{{"tool":"t","status":"success","outcome":"","content":{content},"error":false}}}}"#
        );
        assert_eq!(read_entry(&line).unwrap().to_json(), line);
    }
}

#[test]
fn tool_output_stays_on_one_line() {
    let read =
        read_entry("{\"type\":\"result\",\"payload\":{\"content\":[\r\n1,\n\"a\"\n]}}").unwrap();
    let line = read.to_json();
    assert!(!line.contains(['\n', '\r']), "{line}");
    assert_eq!(read_entry(&line).unwrap(), read);
}
