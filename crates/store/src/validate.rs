//! Checks that every store makes in the same way: of names, batches, users, and the expected head
//! or version.
//!
//! Its functions take everything as arguments and need no store.

use silcrow_event as event;

use crate::error::{Error, ErrorKind};

/// Checks that a conversation id, space or key is not empty and at most 256 bytes long. `what`
/// names the kind of name in the error's message.
///
/// ```
/// use silcrow_store::validate;
///
/// let error = validate::name("conversation id", "").unwrap_err();
/// assert_eq!(error.to_string(), "the conversation id is empty; give it a name");
/// // The limit is in bytes: three of them for each of these characters.
/// assert!(validate::name("key", &"鍵".repeat(85)).is_ok());
/// assert!(validate::name("key", &"鍵".repeat(86)).is_err());
/// ```
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused) if the name is empty or too long.
pub fn name(what: &str, name: &str) -> Result<(), Error> {
    match name.len() {
        0 => Err(Error::new(ErrorKind::Refused, format!("the {what} is empty; give it a name"))),
        1..=MAX_NAME => Ok(()),
        long => Err(Error::new(
            ErrorKind::Refused,
            format!("the {what} is {long} bytes long; at most {MAX_NAME} are kept"),
        )),
    }
}

/// Checks the name of a user, as [`name`] does.
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused) if the name is empty or too long.
pub fn user(user: Option<&str>) -> Result<(), Error> {
    user.map_or(Ok(()), |user| name("user", user))
}

/// Sets the positions of the entries of a batch that is appended after `expected`, and returns the
/// new head.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_store::validate::assign_positions;
///
/// let mut batch = [Event::user("2 + 2?").into(), Event::respond("4").into()];
/// assert_eq!(assign_positions(7, &mut batch).unwrap(), 9);
/// assert_eq!(batch[0].seq, Some(8));
/// // The execution point is for those who watch, and no log keeps it.
/// assert!(assign_positions(9, &mut [Event::Execute.into()]).is_err());
/// ```
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused) if an entry is of a kind that is not stored
/// ([`event::Event::is_stored`]), has a user whose name no store keeps, or belongs to a turn beyond
/// [`MAX_TURN`].
pub fn assign_positions(expected: u64, batch: &mut [event::Entry]) -> Result<u64, Error> {
    let mut head = expected;
    for entry in batch {
        if !entry.event.is_stored() {
            let name = entry.event.type_name();
            return Err(Error::new(
                ErrorKind::Refused,
                format!("an event `{name}` is never stored; append the batch without it"),
            ));
        }
        user(entry.user.as_deref())?;
        if let Some(turn) = entry.turn.filter(|turn| *turn > MAX_TURN) {
            let why =
                format!("turn {turn} is beyond the last, {MAX_TURN}; begin another conversation");
            return Err(Error::new(ErrorKind::Refused, why));
        }
        // No log reaches the last position, so an append there fails with a conflict.
        head = head.saturating_add(1);
        entry.seq = Some(head);
    }
    Ok(head)
}

/// Checks that a conversation of `owner`, the first user that its events name, may be continued for
/// `user`. A conversation without an owner can only be continued without a user.
///
/// ```
/// use silcrow_store::validate::access;
///
/// assert!(access("c1", Some("ada"), Some("ada")).is_ok());
/// assert!(access("c1", Some("ada"), Some("max")).is_err());
/// // A conversation from before there were users is nobody's, and not everybody's.
/// assert!(access("c1", None, Some("max")).is_err());
/// ```
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused) if it may not.
pub fn access(conversation: &str, owner: Option<&str>, user: Option<&str>) -> Result<(), Error> {
    if owner == user {
        return Ok(());
    }
    let belongs = match owner {
        Some(owner) => format!("belongs to user {owner:?}"),
        None => "belongs to no user".to_owned(),
    };
    let asks = match user {
        Some(user) => format!("user {user:?} asks; begin another conversation"),
        None => "no user is named; name that user, or begin another conversation".to_owned(),
    };
    let message = format!("conversation {conversation:?} {belongs}, and {asks}");
    Err(Error::new(ErrorKind::Refused, message))
}

/// Returns the error for an append that expected another head.
pub fn head_conflict(conversation: &str, expected: u64, head: u64) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "conversation {conversation:?} is at position {head}, not {expected}; read what was \
             appended, then try again"
        ),
    )
}

/// Returns the error for a put that expected another version.
pub fn version_conflict(space: &str, key: &str, expected: u64, version: u64) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "the value {key:?} in {space:?} has version {version}, not {expected}; get it, then \
             put again"
        ),
    )
}

/// The maximum turn of a conversation, so that the number after a stored one never overflows.
pub const MAX_TURN: u32 = 1_000_000_000;

/// The maximum length of a name, in bytes.
pub(crate) const MAX_NAME: usize = 256;
