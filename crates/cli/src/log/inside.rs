//! The conversations inside others: those of the agents, workflows and models that calls run.
//!
//! The id of such a conversation is `CONVERSATION/TURN/CALL`.

/// Returns whether a conversation is inside another one.
pub(crate) fn is_inside(id: &str) -> bool {
    id.match_indices('/').any(|(at, _)| at > 0 && is_of(id, &id[..at]))
}

/// Returns whether a conversation is that of a call in `conversation`, or inside such a one.
pub(super) fn is_of(id: &str, conversation: &str) -> bool {
    let rest = id.strip_prefix(conversation).and_then(|rest| rest.strip_prefix('/'));
    let Some((turn, call)) = rest.and_then(|rest| rest.split_once('/')) else { return false };
    !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit()) && !call.is_empty()
}

#[test]
fn only_ids_with_a_turn_and_a_call_are_inside() {
    for id in ["c1/1/a", "c1/12/a/3/b", "work/notes/1/a", "c1/1/a~2"] {
        assert!(is_inside(id), "{id}");
    }
    for id in ["c1", "work/notes", "work/2026", "c1/1/", "/1/a", "c1//a", "c1/x/a", "2026/11"] {
        assert!(!is_inside(id), "{id}");
    }
    assert!(is_of("c1/1/a/2/b", "c1") && is_of("c1/1/a/2/b", "c1/1/a"));
    assert!(!is_of("c10/1/a", "c1") && !is_of("c1", "c1") && !is_of("c1/notes", "c1"));
}
