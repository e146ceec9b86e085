//! `silcrow log delete`, which removes a conversation and everything that belongs to it.

use std::io::{self, IsTerminal as _, Write as _};

use silcrow_console::plural::count;
use silcrow_console::typed;
use silcrow_event::Json;
use silcrow_sanitize::sanitize_line;
use silcrow_store::verify::Place;
use silcrow_store::{Error, Store, Summary, spaces};
use silcrow_term::fit::shortened;

use super::maintain::print_outcome;
use crate::conversation::resolved_or_typed;
use crate::damage;
use crate::failure::Failure;
use crate::places::{OpenStore, StorePlace, failure};
use crate::stored_head::unknown;
use silcrow_session::claim::ActiveRun;
use silcrow_session::{Deleted, Deletion, other_holder};

/// Removes a conversation, the conversations of its calls, their long outputs, and the kept
/// contents of the files that they changed.
///
/// The conversation itself is removed last, so that an interrupted deletion can be repeated.
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
    let deletion = Deletion::plan(&*store, conversation).await?;
    let all = deletion.conversations();
    if !is_certain {
        let summary = store.summary(conversation).await.map_err(failed)?;
        // Without one, only the remains of an interrupted deletion exist, or nothing.
        if let Some(one) = summary
            && !confirm(&one, all.len() - 1, for_programs)?
        {
            return Ok(());
        }
    }
    let mut damage = opened.known_damage().await?;
    damage.retain(|damage| match &damage.place {
        Place::Events { conversation, .. } => all.contains(conversation),
        Place::Value { space, .. } => {
            spaces::conversation(space).is_some_and(|id| all.iter().any(|one| one == id))
        }
        _ => false,
    });
    let Deleted { events, others: calls, files, .. } = deletion.perform(&*store, place).await?;
    if events == 0 && calls == 0 && !files {
        return Err(unknown(conversation));
    }
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
