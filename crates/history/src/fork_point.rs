//! A point in a conversation, as a person names it: `ID`, for its end, or `ID@SEQ`.

use silcrow_store::Store;

use crate::conversations::stored_head;
use crate::error::{Error, ErrorKind};

/// A point in a conversation that exists.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::ForkPoint;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// let events = vec![Event::user("hi").into(), Event::respond("Hello.").into()];
/// store.append("c1", 0, events).await.unwrap();
/// assert_eq!(ForkPoint::named(&store, "c1").await.unwrap().at, 2);
/// assert_eq!(ForkPoint::named(&store, "c1@1").await.unwrap().at, 1);
/// let error = ForkPoint::named(&store, "c1@3").await.unwrap_err();
/// assert_eq!(error.to_string(), "conversation `c1` has no event 3; it has 2 events");
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForkPoint {
    /// The id of the conversation.
    pub conversation: String,
    /// The position of the last event before the point, from 1.
    pub at: u64,
}

impl ForkPoint {
    /// Returns the point that a name refers to. An id may contain an `@` and digits, so the whole
    /// name may also be an id.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Ambiguous`] for a name that is an id and a point of another
    /// conversation, and otherwise as [`find`](Self::find) does.
    pub async fn named(store: &dyn Store, name: &str) -> Result<Self, Error> {
        let Some((id, seq)) = split(name) else { return Self::find(store, name, None).await };
        let (is_whole, is_part) = (store.head(name).await? > 0, store.head(id).await? > 0);
        match (is_whole, is_part) {
            (true, true) => {
                let why = format!("`{name}` is a conversation, and so is `{id}`");
                Err(Error::new(ErrorKind::Ambiguous, why).about(id))
            }
            (true, false) => Self::find(store, name, None).await,
            // A number that is too long for a position is beyond every end.
            (false, _) => Self::find(store, id, Some(seq.parse().unwrap_or(u64::MAX))).await,
        }
    }

    /// Returns a point in the conversation that is meant by an id or by the beginning of one. Without a
    /// position it is the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation does not exist, and one of [`ErrorKind::NoEvent`] if it is
    /// shorter.
    pub async fn find(store: &dyn Store, typed: &str, at: Option<u64>) -> Result<Self, Error> {
        let (conversation, head) = stored_head(store, typed).await?;
        let at = at.unwrap_or(head);
        if (1..=head).contains(&at) {
            return Ok(Self { conversation, at });
        }
        let plural = if head == 1 { "" } else { "s" };
        let why =
            format!("conversation `{conversation}` has no event {at}; it has {head} event{plural}");
        Err(Error::new(ErrorKind::NoEvent, why).about(&conversation))
    }
}

/// Returns the id and the position in a name, if it looks like both.
fn split(name: &str) -> Option<(&str, &str)> {
    let is_number = |seq: &str| !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('@').filter(|(id, seq)| !id.is_empty() && is_number(seq))
}
