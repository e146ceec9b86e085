//! The data of results that their setters give them.

use silcrow_event::{CallResult, ResultStatus, Truncation};

#[test]
fn a_setter_gives_a_payload_to_a_result_without_one() {
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
