//! What every store decides in the same way: names, places in a log, titles, conflicts.

use silcrow_event as event;

use crate::error::{Error, ErrorKind};
use crate::store::Summary;

/// Refuses a conversation id, space or key that is empty or longer than 256 bytes. `what` says in
/// a word what the name is of.
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused).
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

/// Refuses a user whose name no store keeps, as [`name`] does.
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused).
pub fn user(user: Option<&str>) -> Result<(), Error> {
    user.map_or(Ok(()), |user| name("user", user))
}

/// Gives the entries of a batch their positions after `expected` and returns the new head. A time
/// that is no number, or infinite, becomes none: JSON cannot say it.
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused) where one is not to be stored
/// ([`event::Event::is_stored`]), comes from a user whose name no store keeps, or is of a turn
/// beyond [`MAX_TURN`].
pub fn place(expected: u64, batch: &mut [event::Entry]) -> Result<u64, Error> {
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
        entry.timestamp = entry.timestamp.filter(|time| time.is_finite());
        // Nothing is stored at the last position of all, so this ends in a conflict.
        head = head.saturating_add(1);
        entry.seq = Some(head);
    }
    Ok(head)
}

/// The conversation that the values of `space` belong to: a space is called `NAME/CONVERSATION`
/// where they end with it. Those of a relic belong to none ([`RELIC`]).
pub fn owner(space: &str) -> Option<&str> {
    let (name, conversation) = space.split_once('/')?;
    (name != RELIC).then_some(conversation)
}

/// The name of the spaces with the values of relics, which are called `relic/NAME`. A conversation
/// may have the name of a relic, and neither its export nor its deletion touches those values.
pub const RELIC: &str = "relic";

/// Whether the values of `space` say what a person allowed in a conversation. That holds in the
/// store where it was said, and in no other.
pub fn is_granted(space: &str) -> bool {
    space.split_once('/').is_some_and(|(name, _)| name == GRANTED)
}

/// The name of the spaces that say what a person allowed.
pub const GRANTED: &str = "granted";

/// Whether a conversation is another, or what a call of it ran: those are called after it, with a
/// `/` behind its id.
pub fn is_within(conversation: &str, other: &str) -> bool {
    let rest = conversation.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Refuses to go on with a conversation of `owner`, the first user that it names, for another
/// user; one that names nobody goes on for nobody only.
///
/// # Errors
///
/// [`Refused`](ErrorKind::Refused).
pub fn owned(conversation: &str, owner: Option<&str>, user: Option<&str>) -> Result<(), Error> {
    if owner == user {
        return Ok(());
    }
    let belongs = match owner {
        Some(owner) => format!("belongs to user {owner:?}"),
        None => "belongs to no user".to_owned(),
    };
    let asks = match user {
        Some(user) => format!("user {user:?} asks"),
        None => "nobody said who asks".to_owned(),
    };
    Err(Error::new(
        ErrorKind::Refused,
        format!("conversation {conversation:?} {belongs}, and {asks}; begin another one"),
    ))
}

/// The error for an append that expected another head.
pub fn moved(conversation: &str, expected: u64, head: u64) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "conversation {conversation:?} is at position {head}, not {expected}; read what was \
             appended, then try again"
        ),
    )
}

/// The error for a put that expected another version.
pub fn replaced(space: &str, key: &str, expected: u64, version: u64) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "the value {key:?} in {space:?} has version {version}, not {expected}; get it, then \
             put again"
        ),
    )
}

/// The first line of `content` that is not blank, at most 80 characters of it.
pub fn title(content: &str) -> String {
    let line = content.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(MAX_TITLE).collect()
}

impl Summary {
    /// Of a conversation without events.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self {
            conversation: conversation.into(),
            title: String::new(),
            user: None,
            events: 0,
            first: 0.0,
            last: 0.0,
        }
    }

    /// Takes the next entry of the log into account.
    pub fn push(&mut self, entry: &event::Entry) {
        let time = entry.timestamp.unwrap_or_default();
        if self.events == 0 {
            self.first = time;
        }
        self.last = time;
        self.events += 1;
        if self.user.is_none() {
            self.user.clone_from(&entry.user);
        }
        if let (true, event::Event::User { content }) = (self.title.is_empty(), &entry.event) {
            self.title = title(&content.text());
        }
    }
}

/// The last turn of a conversation, so that the number after one that is stored never overflows.
pub const MAX_TURN: u32 = 1_000_000_000;

/// In bytes.
pub(crate) const MAX_NAME: usize = 256;

/// In characters.
const MAX_TITLE: usize = 80;
