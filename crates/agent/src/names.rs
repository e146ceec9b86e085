//! Names of conversations and keys in a store, made of the names of others.
//!
//! They are bounded, so that every store takes them, and two different sources have two names.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use silcrow_exec::Scope;

/// Returns a key that every store takes: a name that is too long or holds control characters is cut
/// and gets a hash of the whole name.
pub(crate) fn fitting(name: String) -> String {
    fitting_to(MAX_KEY, name)
}

/// Returns a name of at most `max` bytes in the same way.
fn fitting_to(max: usize, name: String) -> String {
    if name.len() <= max && !name.chars().any(char::is_control) {
        return name;
    }
    let mut hash = DefaultHasher::new();
    name.hash(&mut hash);
    let plain: String = name.chars().filter(|char| !char.is_control()).collect();
    let kept = plain.floor_char_boundary(max - 17);
    format!("{}~{:016x}", &plain[..kept], hash.finish())
}

/// Returns the path of a scope's agent as entries carry it; `None` for a person's agent.
pub(crate) fn agent_path(scope: &Scope) -> Option<String> {
    (!scope.agent_path.is_empty()).then(|| scope.agent_path.join("/"))
}

/// Returns the names of the conversations of a call, one for each attempt at it.
pub(crate) fn conversations(
    conversation: &str,
    turn: u32,
    id: &str,
) -> impl Iterator<Item = String> + Send + use<> {
    let name = fitting_to(MAX_NAME, format!("{conversation}/{turn}/{id}"));
    (1..=MAX_ATTEMPTS).map(move |attempt| match attempt {
        1 => name.clone(),
        _ => format!("{name}~{attempt}"),
    })
}

/// The longest key in bytes, which leaves room for what a store adds to it.
const MAX_KEY: usize = 196;

/// The longest id of a person's conversation in bytes, which leaves room for the ids of its calls.
pub(crate) const MAX_CONVERSATION: usize = 200;

/// The attempts at one call that have conversations of their own.
pub(crate) const MAX_ATTEMPTS: u32 = 100;

/// The bytes of a call's conversation without the number of its attempt. The longest id of a
/// person's conversation, the `/` after it and a hash fit, so the name always shows which
/// conversation the call was in.
const MAX_NAME: usize = 240;

/// The longest id of a call's conversation in bytes. Spaces of values are named after it.
pub(crate) const MAX_CALL_CONVERSATION: usize = MAX_NAME + "~100".len();
