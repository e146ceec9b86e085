use silcrow_event::{Entry, Event, RunOpening};

use super::*;
use crate::live::signs::LineSigns;
use crate::options::DiffShown;

/// The facts of the tool `shell` about its calls.
const FACTS: ToolFacts = ToolFacts {
    has_failed: silcrow_shell::has_failed_command,
    time_limit: silcrow_shell::time_limit,
};

fn look(columns: usize) -> CallLook<'static> {
    let (signs, diff, whole) = (&LineSigns::UNICODE, DiffShown::Full, "/diff");
    CallLook { signs, columns, output_lines: 2, diff, whole, facts: FACTS }
}

fn call(id: &str, name: &str, args: &str) -> Call {
    Call::parse(id, format!("{{\"name\":\"{name}\",\"args\":{args}}}")).unwrap()
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.text().trim_end().to_owned()).collect()
}

fn piece(id: &str, content: &str) -> Progress {
    Progress { id: id.into(), channel: "stdout".into(), n: 0, content: content.into() }
}

#[test]
fn call_row_becomes_one_line_at_its_end() {
    let mut calls = CallRows::default();
    let text = |call, name, text| CallTextFragment { call, id: None, name, text };
    calls.write(text(1, None, "{\"na"));
    calls.write(text(1, Some("file_read"), &"x".repeat(2000)));
    assert_eq!(texts(&calls.lines(&look(60))), ["→ file_read … 2.0 KB"]);
    calls.push(&call("a1", "file_read", r#"{"file":"a.txt"}"#), Some(1), FACTS);
    assert_eq!(texts(&calls.lines(&look(60))), ["→ file_read a.txt · waits"]);
    let result = CallResult::success("a1", "file_read", "3 lines", "one\ntwo\nthree");
    assert_eq!(texts(&calls.end(&result, &look(60))), ["✓ file_read a.txt: 3 lines"]);
    assert!(calls.is_empty() && calls.lines(&look(60)).is_empty());
}

#[test]
fn failure_line_says_why() {
    let mut calls = CallRows::default();
    calls.push(&call("a1", "file_read", r#"{"file":"b.txt"}"#), Some(1), FACTS);
    let result = CallResult::failure("a1", Some("file_read"), "no file", "no file\nuse a.txt");
    assert_eq!(texts(&calls.end(&result, &look(60))), ["✗ file_read b.txt: no file use a.txt"]);
    // A malformed call has no row.
    let result = CallResult::failure("a2", None, "not JSON", "not JSON");
    assert_eq!(texts(&calls.end(&result, &look(60))), ["✗ call: not JSON"]);
}

#[test]
fn failed_command_row_has_a_distinct_sign() {
    for (signs, shown) in [("C.UTF-8", "! shell false: exit status 1"), ("C", "! shell false")] {
        let mut calls = CallRows::default();
        calls.push(&call("a1", "shell", r#"{"command":"false"}"#), Some(1), FACTS);
        let result = CallResult::success("a1", "shell", "exit status 1", "");
        let result = result.with_notices(vec!["exit status 1".to_owned()]);
        let signs = LineSigns::for_locale(Some(signs));
        let lines = calls.end(&result, &CallLook { signs: &signs, output_lines: 0, ..look(60) });
        assert!(lines[0].text().starts_with(shown), "{}", lines[0]);
    }
}

#[test]
fn parallel_calls_keep_their_output_in_any_order() {
    let mut calls = CallRows::default();
    for id in ["a1", "a2", "a3"] {
        calls.push(&call(id, "shell", &format!("{{\"command\":\"run {id}\"}}")), Some(1), FACTS);
    }
    calls.progress(&piece("a2", "1\n2\n3\n4\nunended"));
    calls.progress(&piece("a1", "one\n"));
    assert_eq!(
        texts(&calls.lines(&look(60))),
        [
            "→ shell run a1 · waits",
            "  │ one",
            "→ shell run a2 · waits",
            "  │ 2",
            "  │ 3",
            "  │ 4",
            "→ shell run a3 · waits"
        ]
    );
    let done = |id: &str| CallResult::success(id, "shell", "exit status 0", "");
    assert_eq!(
        texts(&calls.end(&done("a2"), &look(60))),
        ["✓ shell run a2: exit status 0", "  │ … 3 lines", "  │ 4", "  │ unended"]
    );
    assert_eq!(texts(&calls.end(&done("a3"), &look(60))), ["✓ shell run a3: exit status 0"]);
    assert_eq!(texts(&calls.lines(&look(60))), ["→ shell run a1 · waits", "  │ one"]);
}

#[test]
fn calls_beyond_the_row_limit_are_counted() {
    let mut calls = CallRows::default();
    for index in 0..MOST_ROWS + 3 {
        calls.push(&call(&format!("a{index}"), "file_list", "{}"), Some(1), FACTS);
    }
    let rows = texts(&calls.lines(&look(60)));
    assert_eq!(rows.len(), MOST_ROWS + 1);
    assert_eq!(rows[MOST_ROWS], "… 3 more calls");
    let result = CallResult::success("a0", "file_list", "", "");
    calls.end(&result, &look(60));
    assert_eq!(texts(&calls.lines(&look(60)))[MOST_ROWS], "… 2 more calls");
}

#[test]
fn overlong_call_row_is_cut_before_its_time() {
    let (name, file) = ("東京_with_a_very_long_name".repeat(4), "folder/".repeat(30));
    for columns in [20, 60] {
        let mut calls = CallRows::default();
        calls.push(&call("a1", &name, "{}"), Some(1), FACTS);
        calls.push(&call("a2", "read", &format!("{{\"file\":\"{file}\"}}")), Some(1), FACTS);
        calls.progress(&piece("a2", &format!("{name}\n")));
        let rows = calls.lines(&look(columns));
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|row| row.width() <= columns), "{rows:?}");
        assert!(rows[..2].iter().all(|row| row.text().ends_with(" · waits")), "{rows:?}");
        let result = CallResult::success("a2", "read", "much", "much");
        let lines = calls.end(&result, &look(columns));
        assert!(lines.iter().all(|line| line.width() <= columns), "{lines:?}");
    }
}

#[test]
fn agent_steps_appear_under_its_call() {
    let mut calls = CallRows::default();
    for id in ["a1", "a2"] {
        calls.push(&call(id, "scout", r#"{"task":"look"}"#), Some(2), FACTS);
    }
    for (conversation, text) in
        [("c1/2/a2", "second"), ("c1/2/a1", "first"), ("c1/1/a1", "of an earlier turn")]
    {
        let opening =
            RunOpening { conversation: conversation.into(), run: "r".into(), caller: None };
        let agent_path = Some("scout".to_owned());
        let entry = Entry { agent_path, opening: Some(opening), ..Event::End.into() };
        let line = Line::styled(text, Style::PLAIN);
        calls.inner(&InnerOrigin::from_entry(&entry).unwrap(), line);
    }
    assert_eq!(
        texts(&calls.lines(&look(60))),
        ["→ scout look · waits", "  first", "→ scout look · waits", "  second"]
    );
}

#[test]
fn long_commands_show_their_time_limit() {
    let limit = Some(Duration::from_secs(120));
    for (took, limit, columns, shown) in [
        (12, limit, 80, "12 s of 120"),
        (12, limit, 30, "12 s"),
        (12, None, 80, "12 s"),
        (125, Some(Duration::from_secs(600)), 80, "125 s of 600"),
    ] {
        assert_eq!(timed(Duration::from_secs(took), limit, columns), shown);
    }
    assert!(!timed(Duration::from_secs(2), limit, 80).contains("of"));
}
