//! Ids of conversations and keys in a store that are made of other names.
//!
//! Their length is bounded, so that every store accepts them. A name that has to be cut gets a hash
//! of the whole, so that different names stay different.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use silcrow_store::{Error, Store};
use silcrow_tool::Scope;

/// Returns a key that every store accepts. A name that is too long or contains control characters
/// is cut and gets a hash of the whole name.
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

/// Returns the agent path for the entries of a scope, or `None` for an agent that no agent called.
pub(crate) fn agent_path(scope: &Scope) -> Option<String> {
    (!scope.agent_path.is_empty()).then(|| scope.agent_path.join("/"))
}

/// Returns the names of the conversations of a call, one for each attempt at it.
pub(crate) fn conversations(
    conversation: &str,
    turn: u32,
    id: &str,
) -> impl Iterator<Item = String> + Send + use<> {
    let name = fitting_to(MAX_NAME, format!("{conversation}/{turn}/{}", escaped(id)));
    (1..=MAX_ATTEMPTS).map(move |attempt| match attempt {
        1 => name.clone(),
        _ => format!("{name}~{attempt}"),
    })
}

/// Returns the id of a call as a part of a path, in which `/` and the number of an attempt have a
/// meaning: `~` becomes `~0`, and `/` becomes `~1`.
pub(crate) fn escaped(id: &str) -> String {
    id.replace('~', "~0").replace('/', "~1")
}

/// Returns the id of a call that was [`escaped`].
pub(crate) fn unescaped(id: &str) -> String {
    id.replace("~1", "/").replace("~0", "~")
}

/// Returns the name of the last conversation of a call that the store holds.
pub(crate) async fn last_conversation(
    store: &dyn Store,
    conversation: &str,
    turn: u32,
    id: &str,
) -> Result<Option<String>, Error> {
    let mut last = None;
    for name in conversations(conversation, turn, id) {
        if store.head(&name).await? == 0 {
            break;
        }
        last = Some(name);
    }
    Ok(last)
}

/// The longest key in bytes, which leaves room for a store's additions.
const MAX_KEY: usize = 196;

/// The longest id of a person's conversation in bytes, which leaves room for the ids of its calls.
pub(crate) const MAX_CONVERSATION: usize = 200;

/// The number of attempts at one call that get separate conversations.
pub(crate) const MAX_ATTEMPTS: u32 = 100;

/// The longest id of a call's conversation in bytes, without the number of its attempt. It has room
/// for the longest id of a person's conversation, a `/` and a hash, so it always shows which
/// conversation the call was in.
const MAX_NAME: usize = 240;

/// The longest id of a call's conversation in bytes. Names of spaces for values contain it.
pub(crate) const MAX_CALL_CONVERSATION: usize = MAX_NAME + "~100".len();
