//! The conversations inside others: conversations of the agents, workflows and models that calls
//! run.
//!
//! The id of such a conversation is `CONVERSATION/TURN/CALL`.

use std::collections::BTreeSet;

use silcrow_store::Store;

use crate::error::Error;

/// Returns whether a conversation is inside another one, because a call opened it.
///
/// ```
/// use silcrow_history::is_inside;
///
/// assert!(is_inside("c1/2/a1") && !is_inside("work/notes"));
/// ```
pub fn is_inside(id: &str) -> bool {
    id.match_indices('/').any(|(at, _)| at > 0 && is_inside_of(id, &id[..at]))
}

/// Returns whether a conversation is inside this one: a call of it opened the conversation, or one
/// around it.
///
/// ```
/// use silcrow_history::is_inside_of;
///
/// assert!(is_inside_of("c1/2/a1/1/b", "c1") && !is_inside_of("c10/2/a1", "c1"));
/// ```
pub fn is_inside_of(id: &str, conversation: &str) -> bool {
    let rest = id.strip_prefix(conversation).and_then(|rest| rest.strip_prefix('/'));
    let Some((turn, call)) = rest.and_then(|rest| rest.split_once('/')) else { return false };
    !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit()) && !call.is_empty()
}

/// Returns the conversations inside another one. One without events may have values.
///
/// # Errors
///
/// Returns an error if the store cannot list them.
pub async fn conversations_inside(
    store: &dyn Store,
    conversation: &str,
) -> Result<BTreeSet<String>, Error> {
    let ids = store.ids_beginning_with(&format!("{conversation}/")).await?;
    Ok(ids.into_iter().filter(|id| is_inside_of(id, conversation)).collect())
}

#[test]
fn only_turn_and_call_ids_are_nested() {
    for id in ["c1/1/a", "c1/12/a/3/b", "work/notes/1/a", "c1/1/a~2"] {
        assert!(is_inside(id), "{id}");
    }
    for id in ["c1", "work/notes", "work/2026", "c1/1/", "/1/a", "c1//a", "c1/x/a", "2026/11"] {
        assert!(!is_inside(id), "{id}");
    }
    assert!(is_inside_of("c1/1/a/2/b", "c1") && is_inside_of("c1/1/a/2/b", "c1/1/a"));
    assert!(
        !is_inside_of("c10/1/a", "c1")
            && !is_inside_of("c1", "c1")
            && !is_inside_of("c1/notes", "c1")
    );
}
