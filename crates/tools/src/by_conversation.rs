//! The names of files that belong to conversations.
//!
//! The id of a call's conversation, `CONVERSATION/TURN/CALL`, begins with the id of the outer one.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Returns the turn of `outer` to which the conversation `id` belongs, as the conversation of a
/// call in `outer` or inside such a call.
pub(crate) fn turn_inside(id: &str, outer: &str) -> Option<u32> {
    let rest = id.strip_prefix(outer).and_then(|rest| rest.strip_prefix('/'));
    let (turn, call) = rest?.split_once('/')?;
    let is_turn = !call.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit());
    is_turn.then(|| turn.parse().ok()).flatten()
}

/// Returns whether `name` belongs to a call in the conversation with the name `outer`.
pub(crate) fn is_of_call(name: &str, outer: &str) -> bool {
    let rest = name.strip_prefix(outer).and_then(|rest| rest.strip_prefix(SLASH));
    let turn = rest.and_then(|rest| Some(rest.split_once(SLASH)?.0));
    turn.is_some_and(|turn| !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A `/` in the name of a file.
const SLASH: &str = "%2f";

/// Returns a conversation's id as the name of a file: letters, digits, `-` and `_` stay, and other
/// bytes become `%` and two digits. A long name is cut and gets a hash of the id.
pub(crate) fn file_name(id: &str) -> String {
    const MAX: usize = 120;
    let mut name = String::new();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > MAX {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        name.truncate(MAX);
        name.push_str(&format!("-{:016x}", hasher.finish()));
    }
    name
}
