//! The end of a run that is given up, because the processes that ran it were lost again and again.
//!
//! It leaves a valid history, as a cancelled run does, and says why in the log.

use silcrow_event::Event;
use silcrow_store::Store;
use silcrow_tool::Toolbox;

use crate::error::Error;
use crate::log::Log;
use crate::recover::recover;

/// Ends the run of a user's conversation that no process will continue, and stores the reason. Its
/// open calls get results, as at the beginning of the next run. A person continues the conversation
/// with a prompt.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_agent::give_up;
/// use silcrow_event::Event;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("Count the seals.").into()]).await.unwrap();
/// give_up(&store, "c1", None, "its processes were lost").await.unwrap();
/// let last = store.read("c1", 2..=2).await.unwrap();
/// assert!(matches!(&last[0].event, Event::Cancelled { content } if content.contains("lost")));
/// # });
/// ```
///
/// # Errors
///
/// Returns an error if a run holds the conversation, if it belongs to another user, or if the store
/// fails.
pub async fn give_up(
    store: &dyn Store,
    conversation: &str,
    user: Option<&str>,
    why: &str,
) -> Result<(), Error> {
    let hold = store.hold(conversation).await?;
    let ended = end(store, conversation, user, why).await;
    hold.release().await;
    ended
}

async fn end(
    store: &dyn Store,
    conversation: &str,
    user: Option<&str>,
    why: &str,
) -> Result<(), Error> {
    let mut log = Log::read(store, conversation, user).await?;
    // Without tools, nothing runs again.
    let open = recover(&log, &Toolbox::new(), &[], None).await?;
    let results = open.into_iter().flat_map(|(turn, open)| {
        open.into_iter().map(move |open| (turn, Event::Result(open.outcome())))
    });
    let end = (log.last_turn(), Event::Cancelled { content: why.to_owned() });
    let events = results.chain([end]).collect();
    log.append_turns(events).await?;
    Ok(())
}
