//! The subcommands of `silcrow log` that maintain a store: export, import, verify, mend and compact.

use std::error::Error as _;
use std::io::{self, BufRead, Write};

use silcrow_console::plural::count;
use silcrow_console::printer::write_json;
use silcrow_event::Json;
use silcrow_history::{damage_json, lost_json, report_json};
use silcrow_sanitize::sanitize_line;
use silcrow_store::transfer::{self, Provenance, TransferCounts};
use silcrow_store::verify::Report;
use silcrow_store::{Error, ErrorKind, Store, media};
use silcrow_store_log::{Compaction, LogStore};

use crate::damage;
use crate::failure::{Failure, written};
use crate::places::failure;
use crate::stored_head::stored_head;

/// Writes a conversation, or all of the store, as `import` reads it.
pub(crate) async fn export(
    store: &dyn Store,
    conversation: Option<&str>,
    mut out: Box<dyn Write + Send>,
) -> Result<(), Failure> {
    let conversation = match conversation {
        Some(typed) => Some(stored_head(store, typed).await?.0),
        None => None,
    };
    match transfer::export(store, conversation.as_deref(), &mut out).await {
        Ok(report) => {
            written(out.flush())?;
            damage::found(&report.damage)
        }
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
    print_report(&report, for_programs)?;
    let places = match report.damage.len() {
        0 => return Ok(()),
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    };
    let failure = Failure::running(format!(
        "the store is damaged at {places}; `silcrow log mend` writes what is whole to new files"
    ));
    Err(failure.named(ErrorKind::Damaged.as_str(), false))
}

/// Writes the whole entries of damaged files to new ones, and reports the damaged ones.
pub(crate) async fn mend(store: &LogStore, for_programs: bool) -> Result<(), Failure> {
    let mended = store.mend().await.map_err(|error| failure(&error))?;
    print_report(&mended.found, for_programs)?;
    let Some(kept) = mended.kept else {
        return print_outcome(
            for_programs,
            || "nothing is damaged; nothing was changed".to_owned(),
            || "{\"mended\":0}".to_owned(),
        );
    };
    let (count, kept) = (mended.found.damage.len(), kept.display().to_string());
    print_outcome(
        for_programs,
        || {
            let kept = sanitize_line(&kept);
            let without = if count > 0 { ", without what is named above" } else { "" };
            format!("the store is whole now{without}; {kept} has the old files")
        },
        || format!("{{\"mended\":{count},\"kept\":{}}}", Json::string(&kept)),
    )
}

/// Prints each damage, each event that the store does without, and how much is whole.
fn print_report(report: &Report, for_programs: bool) -> Result<(), Failure> {
    for damage in &report.damage {
        print_outcome(
            for_programs,
            || sanitize_line(&format!("{}: {}", damage.place, damage.why)).into_owned(),
            || damage_json(damage),
        )?;
    }
    for lost in &report.lost {
        print_outcome(
            for_programs,
            || sanitize_line(&format!("{lost}: lost before the store was mended")).into_owned(),
            || lost_json(lost),
        )?;
    }
    let words = || {
        let events = count(report.events, "event");
        let values = count(report.values, "value");
        format!("{}: {events} and {values} are whole", count(report.conversations, "conversation"))
    };
    print_outcome(for_programs, words, || report_json(report))
}

/// Frees the space of deleted entries, and of pictures and files that no event names.
pub(crate) async fn compact(store: &LogStore, for_programs: bool) -> Result<(), Failure> {
    media::sweep_all(store).await.map_err(|error| failure(&error))?;
    let Compaction { before, after, .. } =
        store.compact().await.map_err(|error| failure(&error))?;
    print_outcome(
        for_programs,
        || format!("{before} bytes before, {after} bytes now"),
        || format!("{{\"before\":{before},\"after\":{after}}}"),
    )
}

/// Prints the outcome of a command, as words or as JSON.
pub(super) fn print_outcome(
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
