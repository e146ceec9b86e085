//! `silcrow log delete`, which removes a conversation and what belongs to it.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};

use silcrow_console::plural::count;
use silcrow_console::typed;
use silcrow_event::Json;
use silcrow_history::conversations_inside;
use silcrow_sanitize::sanitize_line;
use silcrow_store::verify::Place;
use silcrow_store::{Error, Store, Summary, spaces};
use silcrow_term::fit::shortened;

use super::maintain::print_outcome;
use crate::conversation::{self, resolved_or_typed};
use crate::damage;
use crate::failure::Failure;
use crate::places::{OpenStore, StorePlace, failure};
use crate::stored_head::unknown;
use silcrow_session::claim::ActiveRun;
use silcrow_session::other_holder;

/// Removes a conversation, those of its calls, their long outputs, and what is kept of the files that
/// they changed.
///
/// The conversation itself is removed after those of its calls, so that a deletion that was
/// interrupted can be repeated.
pub(crate) async fn delete(
    opened: &OpenStore,
    conversation: &str,
    place: &StorePlace,
    (is_certain, for_programs): (bool, bool),
) -> Result<(), Failure> {
    let failed = |error: Error| failure(&error);
    let store = opened.store();
    let conversation = &*resolved_or_typed(&*store, conversation).await?;
    if let Some(folder) = place.folder()
        && let Some(process) = ActiveRun::find(folder, conversation)
    {
        let place = process.place();
        return Err(Failure::running(format!("{conversation} is at work: {place}; stop it first")));
    }
    if let Some(place) = other_holder(&*store, conversation).await? {
        return Err(Failure::running(format!("{conversation} is at work: {place}; stop it first")));
    }
    let inside = inside(&*store, conversation).await?;
    let all: Vec<_> = inside.iter().map(|id| &**id).chain([conversation]).collect();
    if !is_certain {
        let summary = store.summary(conversation).await.map_err(failed)?;
        // Without one, there is only what an interrupted deletion left, or nothing.
        if let Some(one) = summary
            && !confirm(&one, inside.len(), for_programs)?
        {
            return Ok(());
        }
    }
    let mut damage = opened.known_damage().await?;
    damage.retain(|damage| match &damage.place {
        Place::Events { conversation, .. } => all.contains(&&**conversation),
        Place::Value { space, .. } => {
            spaces::conversation(space).is_some_and(|id| all.contains(&id))
        }
        _ => false,
    });
    let (events, removed) = remove(&*store, place, &all).await?;
    if events == 0 && inside.is_empty() && !removed {
        return Err(unknown(conversation));
    }
    let calls = inside.len();
    let words = || {
        let of_calls = match calls {
            0 => String::new(),
            1 => " and a conversation of its calls".to_owned(),
            _ => format!(" and {calls} conversations of its calls"),
        };
        let events = count(events, "event");
        format!("{} is gone, with {events}{of_calls}", sanitize_line(conversation))
    };
    let json = || {
        let id = Json::string(conversation);
        let of_calls = if calls > 0 { format!(",\"inside\":{calls}") } else { String::new() };
        format!("{{\"conversation\":{id},\"events\":{events}{of_calls}}}")
    };
    print_outcome(for_programs, words, json)?;
    damage::found(&damage)
}

/// Returns the conversations inside another one.
pub(crate) async fn inside(
    store: &dyn Store,
    conversation: &str,
) -> Result<BTreeSet<String>, Failure> {
    let inside = conversations_inside(store, conversation).await;
    inside.map_err(|error| conversation::failure(&error))
}

/// Removes conversations in this order, with what else is kept of them. Returns the number of events
/// of the last, and whether anything beside logs was removed.
pub(crate) async fn remove(
    store: &dyn Store,
    place: &StorePlace,
    ids: &[&str],
) -> Result<(u64, bool), Failure> {
    let failed = |error: Error| failure(&error);
    let mut events = 0;
    for id in ids {
        events = store.head(id).await.map_err(failed)?;
        store.delete(id, events).await.map_err(failed)?;
    }
    let (spills, changes) = (place.spills(), place.changes());
    let mut removed = false;
    for id in ids {
        let id_shown = sanitize_line(id);
        if let Some(spills) = &spills {
            removed |= spills.remove(id).map_err(|error| {
                Failure::running(format!("cannot remove the long outputs of {id_shown}: {error}"))
            })?;
        }
        if let Some(changes) = &changes {
            removed |= changes.remove(id).map_err(|error| {
                let what = "what files were before its changes";
                Failure::running(format!("cannot remove {what}, of {id_shown}: {error}"))
            })?;
        }
    }
    Ok((events, removed))
}

/// Asks the person at the terminal, and returns whether they said yes.
fn confirm(one: &Summary, inside: usize, for_programs: bool) -> Result<bool, Failure> {
    let id = sanitize_line(&one.conversation);
    if for_programs || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::given(format!(
            "nobody can be asked whether {id} is to be deleted; add --yes to delete it"
        )));
    }
    let of_calls = match inside {
        0 => String::new(),
        inside => format!(", {} of its calls", count(inside as u64, "conversation")),
    };
    let question = format!(
        "Delete {id}, {}?\nLost for good: {}{of_calls}, long outputs of its tools, and what is kept to \
         undo its changes of files.\ny: yes.  Anything else: no.\n[N] ",
        match one.title.is_empty() {
            true => "without a title".to_owned(),
            false => format!("“{}”", shortened(&one.title, 60)),
        },
        count(one.events, "event"),
    );
    let asked = || -> io::Result<Option<String>> {
        // Input that was typed before the question does not answer it.
        typed::forget()?;
        io::stderr().write_all(question.as_bytes())?;
        let (waited_for, _waits) = io::pipe()?;
        typed::line(&waited_for)
    };
    let answer = asked().ok().flatten().unwrap_or_default();
    let is_yes = matches!(&*answer.trim().to_lowercase(), "y" | "yes");
    if !is_yes {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: nothing was deleted");
    }
    Ok(is_yes)
}
