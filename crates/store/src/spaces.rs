//! The names of spaces, which determine the owners of the values in them.
//!
//! The values of a space `NAME/CONVERSATION` belong to that conversation: they are exported and
//! deleted with it. The values of a relic, in `relic/NAME`, belong to no conversation.

/// Returns the conversation that the values of `space` belong to, if they belong to one.
///
/// ```
/// use silcrow_store::spaces;
///
/// // The account of a conversation is exported and deleted with it, and a relic is not.
/// assert_eq!(spaces::conversation(&spaces::spent("c1")), Some("c1"));
/// assert_eq!(spaces::conversation(&spaces::relic("c1")), None);
/// ```
pub fn conversation(space: &str) -> Option<&str> {
    let (name, conversation) = space.split_once('/')?;
    (name != RELIC).then_some(conversation)
}

/// Returns the name of the space with the values of a relic. A conversation may have the same name
/// as the relic; its export and its deletion do not affect those values.
pub fn relic(name: &str) -> String {
    format!("{RELIC}/{name}")
}

/// Returns the name of the space with the permissions that a person granted in a conversation.
/// They are valid only in the store where they were granted.
pub fn granted(conversation: &str) -> String {
    format!("{GRANTED}/{conversation}")
}

/// Returns the name of the space with a run's notes about the beginning of a conversation, so that
/// the next run need not read it. All of them follow from the log.
pub fn checkpoint(conversation: &str) -> String {
    format!("{CHECKPOINT}/{conversation}")
}

/// Returns whether the values of `space` are valid only in their own store, so that an import leaves
/// them out. This holds for the spaces of [`granted`] and [`checkpoint`].
///
/// ```
/// use silcrow_store::spaces;
///
/// // A permission that was granted elsewhere counts for nothing here.
/// assert!(spaces::is_local(&spaces::granted("c1")));
/// assert!(!spaces::is_local(&spaces::media("c1")));
/// ```
pub fn is_local(space: &str) -> bool {
    space.split_once('/').is_some_and(|(name, _)| matches!(name, GRANTED | CHECKPOINT))
}

/// Returns whether the values of `space` follow from the log, so that an export leaves them out. This
/// holds for the space of [`checkpoint`].
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

/// Returns the name of the space with the account of a conversation's spending.
pub fn spent(conversation: &str) -> String {
    format!("{SPENT}/{conversation}")
}

/// The name of the space with the accounts of users' spending, which belong to no conversation.
pub const SPENT: &str = "spent";

const MEDIA: &str = "media";
const RELIC: &str = "relic";
const GRANTED: &str = "granted";
const CHECKPOINT: &str = "checkpoint";
