//! The names of spaces, which say whose the values in them are.
//!
//! The values of a space `NAME/CONVERSATION` belong to that conversation: they are exported and
//! deleted with it. The values of a relic, in `relic/NAME`, belong to no conversation.

/// Returns the conversation that the values of `space` belong to, if they belong to one.
pub fn conversation(space: &str) -> Option<&str> {
    let (name, conversation) = space.split_once('/')?;
    (name != RELIC).then_some(conversation)
}

/// Returns the name of the space with the values of a relic. A conversation may have the same name
/// as the relic, and neither its export nor its deletion affects those values.
pub fn relic(name: &str) -> String {
    format!("{RELIC}/{name}")
}

/// Returns the name of the space with the permissions that a person granted in a conversation.
/// They are valid only in the store where they were granted.
pub fn granted(conversation: &str) -> String {
    format!("{GRANTED}/{conversation}")
}

/// Returns whether `space` is one of those that [`granted`] names.
pub fn is_granted(space: &str) -> bool {
    space.split_once('/').is_some_and(|(name, _)| name == GRANTED)
}

/// Returns the name of the space with the account of what a conversation has spent.
pub fn spent(conversation: &str) -> String {
    format!("{SPENT}/{conversation}")
}

/// The name of the space with the accounts of what users have spent, which belong to no
/// conversation.
pub const SPENT: &str = "spent";

const RELIC: &str = "relic";
const GRANTED: &str = "granted";
