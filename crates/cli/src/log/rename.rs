//! `silcrow log rename`, which gives a conversation a name.

use std::time::SystemTime;

use silcrow_event::{Entry, Event, Json};
use silcrow_sanitize::sanitize_line;
use silcrow_store::{ErrorKind, Store};

use super::maintain::print_outcome;
use crate::failure::Failure;
use crate::known_secrets::known_secrets;
use crate::places::failure;
use crate::stored_head::stored_head;

/// Stores the name of a conversation, also while a run adds to it.
pub(super) async fn rename(
    store: &dyn Store,
    typed: &str,
    title: &str,
    json: bool,
) -> Result<(), Failure> {
    if title.trim().is_empty() {
        return Err(Failure::given("the title is empty; give the conversation some words"));
    }
    let title = known_secrets().mask(title.trim()).into_owned();
    let (id, mut head) = stored_head(store, typed).await?;
    let named = Entry { timestamp: Some(SystemTime::now().into()), ..Event::title(&*title).into() };
    loop {
        match store.append(&id, head, vec![named.clone()]).await {
            Ok(_) => break,
            // A run has added something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                head = store.head(&id).await.map_err(|error| failure(&error))?;
            }
            Err(error) => return Err(failure(&error)),
        }
    }
    print_outcome(
        json,
        || format!("{} is called {} now", sanitize_line(&id), sanitize_line(&title)),
        || format!("{{\"conversation\":{},\"title\":{}}}", Json::string(&id), Json::string(&title)),
    )
}
