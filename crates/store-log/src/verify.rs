//! Verification: reading every event and every value once.
//!
//! This module fills a report of a log. Its time is linear in the size of the files.

use silcrow_store::verify::{Damage, Place, Report};
use silcrow_store::{Error, ErrorKind};

use crate::frame_place::DamagedPlace;
use crate::link;
use crate::log::LogFiles;
use crate::read_ahead::ReadAhead;
use crate::record::DamagedRecord;

/// Reads everything that the log has.
pub(crate) fn verify(log: &mut LogFiles) -> Result<Report, Error> {
    let mut report = Report::default();
    unknown_bytes(log, &mut report);
    let conversations = log.view.logs().map(|(conversation, _)| conversation.to_owned());
    let mut conversations: Vec<_> = conversations.collect();
    conversations.sort_unstable();
    for conversation in conversations {
        let found = log.read_current(|log| verify_conversation(log, &conversation))?;
        report.conversations += 1;
        report.events += found.events;
        report.damage.extend(found.damage);
        report.lost.extend(found.lost);
    }
    let found = log.read_current(verify_values)?;
    report.values = found.values;
    report.damage.extend(found.damage);
    Ok(report)
}

/// Returns the damage that was found while the log was read.
pub(crate) fn known(log: &LogFiles) -> Vec<Damage> {
    let mut report = Report::default();
    unknown_bytes(log, &mut report);
    let mut logs: Vec<_> = log.view.logs().collect();
    logs.sort_unstable_by_key(|(conversation, _)| *conversation);
    for (conversation, events) in logs {
        events.damaged().for_each(|position| {
            report.add_event(conversation, position, NOT_WRITTEN);
        });
    }
    for (space, key, value) in log.view.values() {
        if value.place.is_none() {
            let place = Place::Value { space: space.to_owned(), key: key.to_owned() };
            report.damage.push(Damage { place, why: NOT_WRITTEN.to_owned() });
        }
    }
    report.damage
}

/// Adds the damaged bytes whose meaning is unknown.
fn unknown_bytes(log: &LogFiles, report: &mut Report) {
    for damage in log.view.damage() {
        if damage.lost == DamagedRecord::Unknown {
            let (place, why) = unknown(log, damage);
            report.damage.push(Damage { place, why: why.to_owned() });
        }
    }
}

fn unknown(log: &LogFiles, damage: &DamagedPlace) -> (Place, &'static str) {
    let number = *damage.segments.end();
    if *damage.segments.start() < number {
        let numbers = damage.segments.clone();
        return (Place::Segments { numbers }, "the files are missing, or a later one is not ours");
    }
    let (file, why) = match log.segments.get(number) {
        Some(segment) => {
            let is_foreign = log.foreign.contains(&number);
            let name = segment.path.file_name().unwrap_or_default();
            let why = if is_foreign { FOREIGN } else { "they are not what was written" };
            (name.to_string_lossy().into_owned(), why)
        }
        None => (format!("{number:08}-…"), "the file is missing"),
    };
    (Place::Bytes { file, bytes: damage.bytes.clone() }, why)
}

fn verify_values(log: &LogFiles) -> Result<Report, Error> {
    let mut report = Report::default();
    for (space, key, _) in log.view.values() {
        match log.value(space, key) {
            Ok(_) => report.values += 1,
            Err(error) if error.kind() == ErrorKind::Damaged => {
                let place = Place::Value { space: space.to_owned(), key: key.to_owned() };
                report.damage.push(Damage { place, why: NOT_WRITTEN.to_owned() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

fn verify_conversation(log: &LogFiles, conversation: &str) -> Result<Report, Error> {
    let mut report = Report::default();
    // The link that the next event must carry, if the event before it is known.
    let mut expected = Some(link::FIRST);
    let head = log.head(conversation);
    let mut ahead = ReadAhead::default();
    for position in 1..=head {
        if log.view.log(conversation).is_some_and(|log| log.is_lost(position)) {
            report.add_lost(conversation, position);
            expected = None;
            continue;
        }
        let event = match log.event(conversation, position, head, &mut ahead) {
            Ok(event) => event,
            Err(error) if error.kind() == ErrorKind::Damaged => {
                report.add_event(conversation, position, NOT_WRITTEN);
                expected = None;
                continue;
            }
            Err(error) => return Err(error),
        };
        if expected.is_some_and(|expected| expected != *event.link) {
            // The checksum of the event before is right, so somebody replaced it.
            report.events = report.events.saturating_sub(1);
            report.add_event(conversation, position.max(2) - 1, "another event stood there");
        }
        expected = Some(link::next(event.link, conversation, position, event.json));
        report.events += 1;
    }
    Ok(report)
}

const FOREIGN: &str = "the file is of another store, or a copy of another segment";
const NOT_WRITTEN: &str = "it is not what was written";
