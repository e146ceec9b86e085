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

/// Returns the name of the space with what a run noted of the beginning of a conversation, so that
/// the next run need not read it. All of it follows from the log.
pub fn checkpoint(conversation: &str) -> String {
    format!("{CHECKPOINT}/{conversation}")
}

/// Returns whether the values of `space` are valid only in the store that they are in, so that an
/// import leaves them out: those that [`granted`] and [`checkpoint`] name.
pub fn is_local(space: &str) -> bool {
    space.split_once('/').is_some_and(|(name, _)| matches!(name, GRANTED | CHECKPOINT))
}

/// Returns whether the values of `space` follow from the log, so that an export leaves them out:
/// those that [`checkpoint`] names.
pub fn is_derived(space: &str) -> bool {
    space.split_once('/').is_some_and(|(name, _)| name == CHECKPOINT)
}

/// Returns the name of the space with the pictures, documents and sounds of a conversation
/// ([`media`](crate::media)).
pub fn media(conversation: &str) -> String {
    format!("{MEDIA}/{conversation}")
}

/// Returns the conversation whose media are in `space`, if it has media.
pub fn media_owner(space: &str) -> Option<&str> {
    space.strip_prefix(MEDIA)?.strip_prefix('/')
}

/// Returns the name of the space with the account of what a conversation has spent.
pub fn spent(conversation: &str) -> String {
    format!("{SPENT}/{conversation}")
}

/// The name of the space with the accounts of what users have spent, which belong to no
/// conversation.
pub const SPENT: &str = "spent";

const MEDIA: &str = "media";
const RELIC: &str = "relic";
const GRANTED: &str = "granted";
const CHECKPOINT: &str = "checkpoint";
