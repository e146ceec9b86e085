//! `silcrow log rename`, which gives a conversation a name.

use std::time::SystemTime;

use silcrow_event::Json;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::known_secrets;
use silcrow_store::Store;

use super::maintain::print_outcome;
use crate::conversation::failure;
use crate::failure::Failure;

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
    let id = silcrow_history::rename(store, typed, &title, SystemTime::now().into()).await;
    let id = id.map_err(|error| failure(&error))?;
    print_outcome(
        json,
        || format!("{} is called {} now", sanitize_line(&id), sanitize_line(&title)),
        || format!("{{\"conversation\":{},\"title\":{}}}", Json::string(&id), Json::string(&title)),
    )
}
