//! The subcommands of `silcrow log` that maintain a store: export, import, verify and delete.

use std::error::Error as _;
use std::io::{self, BufRead, BufWriter, IsTerminal as _, Write};

use silcrow_event::Json;
use silcrow_sanitize::sanitize_line;
use silcrow_store::transfer::{self, Provenance, TransferCounts};
use silcrow_store::{Error, Store};
use silcrow_store_sled::Compacted;

use super::head;
use crate::failure::{Failure, written};
use crate::lines;
use crate::places::failure;
use crate::printer::{JsonLines, write_json};

pub(crate) async fn export(store: &dyn Store, conversation: Option<&str>) -> Result<(), Failure> {
    if let Some(conversation) = conversation {
        head(store, conversation).await?;
    }
    let out = io::stdout();
    let mut out: Box<dyn Write + Send> = match out.is_terminal() {
        true => Box::new(JsonLines::new(out)),
        // The stored bytes are kept, because an import compares the JSON of results byte by byte.
        false => Box::new(BufWriter::new(out)),
    };
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
    own: bool,
    for_programs: bool,
) -> Result<(), Failure> {
    let provenance = if own { Provenance::Own } else { Provenance::Foreign };
    let moved = transfer::import(store, lines, provenance).await;
    let moved = moved.map_err(|error| failure(&error))?;
    let TransferCounts { conversations, events, values, left_out, answered, .. } = moved;
    let words = || {
        let (conversations, events) =
            (count(conversations, "conversation"), count(events, "event"));
        let mut words =
            format!("imported {conversations}, {events} and {}", count(values, "value"));
        if left_out > 0 {
            let why = match own {
                true => "what was allowed elsewhere is not allowed here",
                false => "of an export that you made yourself, `--own` imports them",
            };
            words += &format!("; left out {} ({why})", count(left_out, "value"));
        }
        if answered > 0 {
            words += &format!("; answered {} as not started", count(answered, "open call"));
        }
        words
    };
    let json = || {
        format!(
            "{{\"conversations\":{conversations},\"events\":{events},\"values\":{values},\
             \"left_out\":{left_out},\"answered\":{answered}}}"
        )
    };
    print_outcome(for_programs, words, json)
}

/// Reports all damage, and fails if there is any.
pub(crate) async fn verify(store: &dyn Store, for_programs: bool) -> Result<(), Failure> {
    let report = store.verify().await.map_err(|error| failure(&error))?;
    for damage in &report.damage {
        print_outcome(
            for_programs,
            || sanitize_line(&format!("{}: {}", damage.place, damage.why)).into_owned(),
            || lines::damage(damage),
        )?;
    }
    let (conversations, events, values) = (report.conversations, report.events, report.values);
    let count = report.damage.len();
    print_outcome(
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
    print_outcome(
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
    print_outcome(
        for_programs,
        || format!("{} is gone, with {events} events", sanitize_line(conversation)),
        || format!("{{\"conversation\":{},\"events\":{events}}}", Json::string(conversation)),
    )
}

fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn print_outcome(
    for_programs: bool,
    words: impl FnOnce() -> String,
    json: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let mut out = io::stdout();
    written(match for_programs {
        true => write_json(&mut out, &json()),
        false => writeln!(out, "{}", words()),
    })
}

/// Returns whether the error is a closed output, which is not a failure.
fn broken_pipe(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe)
}
