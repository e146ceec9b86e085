//! What is stored, as it is.

use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_event::{Entry, Event};
use silcrow_store::search::Query;
use silcrow_store::{Store, Summary};

use super::age::age;
use super::head;
use crate::failure::{Failure, written};
use crate::lines;
use crate::places;
use crate::visible::visible;

pub(crate) async fn list(
    store: &dyn Store,
    user: Option<&str>,
    for_programs: bool,
) -> Result<(), Failure> {
    let conversations = store.list(user).await.map_err(|error| places::failure(&error))?;
    let mut out = io::stdout().lock();
    written(if for_programs {
        conversations.iter().try_for_each(|one| writeln!(out, "{}", lines::summary(one)))
    } else {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        table(&mut out, &conversations, now.as_secs_f64())
    })
}

pub(crate) async fn events(
    store: &dyn Store,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let head = head(store, conversation).await?;
    let entries = store.read(conversation, 1..=head).await;
    let entries = entries.map_err(|error| places::failure(&error))?;
    let mut out = io::stdout().lock();
    written(if for_programs {
        entries.iter().try_for_each(|entry| writeln!(out, "{}", entry.to_json()))
    } else {
        entries.iter().try_for_each(|entry| writeln!(out, "{}", line(entry)))
    })
}

pub(crate) async fn search(
    store: &dyn Store,
    query: &Query,
    for_programs: bool,
) -> Result<(), Failure> {
    let hits = store.search(query).await.map_err(|error| places::failure(&error))?;
    let mut out = io::stdout().lock();
    written(hits.iter().try_for_each(|hit| {
        if for_programs {
            return writeln!(out, "{}", lines::hit(hit));
        }
        let title = visible(&hit.title).replace('\n', " ");
        writeln!(out, "{}  {title}\n{}", visible(&hit.conversation), line(&hit.entry))
    }))
}

fn table(out: &mut impl Write, conversations: &[Summary], now: f64) -> io::Result<()> {
    let width = |one: &Summary| visible(&one.conversation).chars().count();
    let width = conversations.iter().map(width).max().unwrap_or_default();
    for one in conversations {
        let (id, title) = (visible(&one.conversation), visible(&one.title));
        let user = one.user.as_deref().map(|user| format!("{}: ", visible(user)));
        let user = user.unwrap_or_default();
        let (events, age) = (one.events, age(one.last, now));
        writeln!(out, "{id:width$}  {events:>5} events  {age:>12}  {user}{title}")?;
    }
    Ok(())
}

/// An event on a person's screen: its position, its type, its text.
pub(crate) fn line(entry: &Entry) -> String {
    let text = match &entry.event {
        Event::User { content } | Event::Cancelled { content } => content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Result(outcome) => outcome.content.clone(),
        Event::Batch(batch) => batch.content.clone(),
        other => other.to_json(),
    };
    let seq = entry.seq.unwrap_or_default();
    let indented = visible(&text).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}
