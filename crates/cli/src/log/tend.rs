//! What is done with a store as a whole, and with what is no longer wanted.

use std::error::Error as _;
use std::io::{self, BufRead, BufWriter, Write as _};

use silcrow_event::Json;
use silcrow_sanitize::sanitize;
use silcrow_store::{Error, Store, transfer};
use silcrow_store_sled::Compacted;

use super::head;
use crate::failure::{Failure, written};
use crate::lines;
use crate::places::failure;

pub(crate) async fn export(store: &dyn Store, conversation: Option<&str>) -> Result<(), Failure> {
    if let Some(conversation) = conversation {
        head(store, conversation).await?;
    }
    let mut out = BufWriter::new(io::stdout());
    match transfer::export(store, conversation, &mut out).await {
        Ok(_) => written(out.flush()),
        Err(error) => match broken_pipe(&error) {
            true => Ok(()),
            false => Err(failure(&error)),
        },
    }
}

pub(crate) async fn import(
    store: &dyn Store,
    lines: &mut (dyn BufRead + Send),
    for_programs: bool,
) -> Result<(), Failure> {
    let moved = transfer::import(store, lines).await.map_err(|error| failure(&error))?;
    let transfer::Moved { conversations, events, values } = moved;
    say(
        for_programs,
        || {
            format!(
                "{conversations} conversations, {events} events and {values} values are there now"
            )
        },
        || format!("{{\"conversations\":{conversations},\"events\":{events},\"values\":{values}}}"),
    )
}

/// Fails where something is damaged, once all of it is told.
pub(crate) async fn verify(store: &dyn Store, for_programs: bool) -> Result<(), Failure> {
    let report = store.verify().await.map_err(|error| failure(&error))?;
    for damage in &report.damage {
        say(
            for_programs,
            || sanitize(&format!("{}: {}", damage.place, damage.why)).into_owned(),
            || lines::damage(damage),
        )?;
    }
    let (conversations, events, values) = (report.conversations, report.events, report.values);
    let count = report.damage.len();
    say(
        for_programs,
        || format!("{conversations} conversations: {events} events and {values} values are whole"),
        || lines::report(&report),
    )?;
    match count {
        0 => Ok(()),
        1 => Err(Failure::running("the store is damaged at one place")),
        count => Err(Failure::running(format!("the store is damaged at {count} places"))),
    }
}

pub(crate) fn compacted(done: Compacted, for_programs: bool) -> Result<(), Failure> {
    let Compacted { before, after } = done;
    say(
        for_programs,
        || format!("{before} bytes before, {after} bytes now"),
        || format!("{{\"before\":{before},\"after\":{after}}}"),
    )
}

pub(crate) async fn delete(
    store: &dyn Store,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let events = head(store, conversation).await?;
    store.delete(conversation, events).await.map_err(|error| failure(&error))?;
    say(
        for_programs,
        || format!("{} is gone, with {events} events", sanitize(conversation)),
        || format!("{{\"conversation\":{},\"events\":{events}}}", Json::string(conversation)),
    )
}

fn say(
    for_programs: bool,
    words: impl FnOnce() -> String,
    json: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let line = if for_programs { json() } else { words() };
    written(writeln!(io::stdout(), "{line}"))
}

/// Output that nobody reads any more is no failure.
fn broken_pipe(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}
