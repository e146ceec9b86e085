//! Imports: lines of JSON that are added to a store.
//!
//! This module decides what an import adds, leaves as it is, or rejects. It does not parse the
//! lines, which `line` does. One conversation is open at a time; the next line of another closes
//! it.

use std::io::BufRead;

use silcrow_event as event;
use silcrow_event::{CallResult, Event};

use super::line::{self, ExportLine, ExportLines, wrong};
use super::{FORMAT, PAGE, TransferCounts, foreign};
use crate::error::{Error, ErrorKind};
use crate::imported;
use crate::open_calls::OpenCalls;
use crate::spaces;
use crate::store::Store;
use crate::validate;

/// The author of an export, as the person who imports it states it.
///
/// ```
/// use std::io::BufReader;
///
/// use silcrow_store::MemoryStore;
/// use silcrow_store::transfer::{Provenance, import};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let lines = r#"{"silcrow":"export 1"}
/// {"conversation":"c1","event":{"type":"user","content":"hello","seq":1}}
/// {"space":"notes/c1","key":"mood","text":"fine"}
/// "#;
/// let store = MemoryStore::new();
/// let counts = import(&store, &mut BufReader::new(lines.as_bytes()), Provenance::Foreign).await?;
/// assert_eq!((counts.events, counts.values, counts.left_out), (1, 0, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is trusted or not")]
pub enum Provenance {
    /// Anybody. Only events, without their folders, and their [`media`](crate::media) are imported,
    /// and none of their calls run: other values are left out, open calls get a result that they were
    /// not started, and the conversation is marked ([`imported`](crate::imported)).
    Foreign,
    /// The person, from their own store. Everything is imported except permissions
    /// ([`spaces::is_local`]), which are valid only in the store where they were granted.
    Own,
}

/// Reads the output of [`export`](super::export). Blocks on `lines`.
///
/// Data that the store already has is left as it is, and a conversation that is longer in the
/// import is continued. So an import that failed can be repeated, and a later export can be added.
/// A foreign export adds no event to a conversation that was written here.
///
/// # Errors
///
/// - [`Conflict`](ErrorKind::Conflict): the store has something else in the same place.
/// - [`Format`](ErrorKind::Format): no export writes such a line; the message has its number.
/// - The errors of appending and putting.
///
/// After an error, everything that was imported before it is kept.
pub async fn import<S: Store + ?Sized>(
    store: &S,
    lines: &mut (dyn BufRead + Send),
    provenance: Provenance,
) -> Result<TransferCounts, Error> {
    let mut import = Import { store, provenance, counts: TransferCounts::default(), log: None };
    let read = import.lines(ExportLines::new(lines)).await;
    // If a line is wrong, everything before it is complete. Its open calls stay open, because the
    // rest of the log may answer them when it is imported again.
    let appended = import.append().await;
    read.and(appended)?;
    Ok(import.counts)
}

struct Import<'a, S: ?Sized> {
    store: &'a S,
    provenance: Provenance,
    counts: TransferCounts,
    log: Option<ImportedLog>,
}

/// The conversation that is being read.
struct ImportedLog {
    conversation: String,
    /// The number of its events that were read and are in the store.
    read: u64,
    /// The number of its events that the store has.
    head: u64,
    /// The number of its events that are imported.
    imported: u64,
    batch: Vec<event::Entry>,
    /// The length of the lines of the batch, in bytes.
    size: usize,
    /// The names of the tools of calls without a result.
    open: OpenCalls<String>,
    timestamp: Option<event::Timestamp>,
}

impl<S: Store + ?Sized> Import<'_, S> {
    async fn lines(&mut self, mut lines: ExportLines<'_>) -> Result<(), Error> {
        loop {
            let number = lines.number + 1;
            match (number, lines.next()?) {
                (_, None) => return self.finish().await,
                (1, Some(ExportLine { silcrow: Some(format), .. })) if format.0 == FORMAT => {}
                (1, _) => {
                    return Err(wrong(1, &format!("an export begins with \"{FORMAT}\"")));
                }
                (_, Some(ExportLine { conversation: Some(id), event: Some(event), .. })) => {
                    self.event(number, &id.0, event.get()).await?;
                }
                (_, Some(ExportLine { space: Some(space), key: Some(key), text, hex, .. })) => {
                    self.finish().await?;
                    if spaces::is_local(&space.0) || !self.takes(&space.0).await? {
                        self.counts.left_out += 1;
                        continue;
                    }
                    let value = match (text, hex) {
                        (Some(text), _) => line::text(text).map(|text| text.as_bytes().to_vec()),
                        (_, Some(hex)) => line::unhex(hex),
                        _ => None,
                    };
                    let value = value.ok_or_else(|| wrong(number, "its value cannot be read"))?;
                    self.value(&space.0, &key.0, value).await?;
                }
                _ => return Err(wrong(number, "it is neither an event nor a value")),
            }
        }
    }

    /// Returns whether the values of a space are imported: if anybody may have written them, only
    /// the pictures, documents and sounds of a conversation that was imported as well. Their hashes
    /// prove their contents.
    async fn takes(&self, space: &str) -> Result<bool, Error> {
        match (self.provenance, spaces::media_owner(space)) {
            (Provenance::Own, _) => Ok(true),
            (Provenance::Foreign, None) => Ok(false),
            (Provenance::Foreign, Some(owner)) => Ok(imported::head(self.store, owner).await? > 0),
        }
    }

    async fn event(&mut self, number: u64, conversation: &str, json: &str) -> Result<(), Error> {
        if self.log.as_ref().is_none_or(|log| log.conversation != conversation) {
            self.finish().await?;
            validate::name("conversation id", conversation)
                .map_err(|error| wrong(number, &error.to_string()))?;
            self.counts.conversations += 1;
            self.log = Some(ImportedLog {
                conversation: conversation.to_owned(),
                read: 0,
                head: self.store.head(conversation).await?,
                imported: imported::head(self.store, conversation).await?,
                batch: Vec::new(),
                size: 0,
                open: OpenCalls::default(),
                timestamp: None,
            });
        }
        let Some(log) = &mut self.log else { return Ok(()) };
        let place = log.read + log.batch.len() as u64;
        let entry = read(place, json).and_then(|mut entry| {
            if self.provenance == Provenance::Foreign {
                foreign::check(conversation, &entry)?;
                // A folder of another machine would make this the last conversation of one here.
                entry.folder = None;
            }
            Ok(entry)
        });
        let entry = entry.map_err(|why| wrong(number, &why))?;
        log.open.apply(&entry, |call| call.name().to_owned());
        log.timestamp = entry.timestamp.or(log.timestamp);
        log.batch.push(entry);
        log.size += json.len();
        if log.batch.len() == PAGE || log.size >= MAX_BATCH {
            return self.append().await;
        }
        Ok(())
    }

    /// Appends the events of the current conversation that the store does not have yet.
    async fn append(&mut self) -> Result<(), Error> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let (mut batch, first) = (std::mem::take(&mut log.batch), log.read + 1);
        log.size = 0;
        log.read += batch.len() as u64;
        self.counts.events += batch.len() as u64;
        let there = log.head.min(log.read);
        if first <= there {
            let mut kept = self.store.read(&log.conversation, first..=there).await?;
            if self.provenance == Provenance::Foreign {
                kept.iter_mut().for_each(|entry| entry.folder = None);
            }
            if !batch.starts_with(&kept) {
                return Err(another(&format!("conversation {:?}", log.conversation)));
            }
            batch.drain(..kept.len());
        }
        if batch.is_empty() {
            return Ok(());
        }
        if self.provenance == Provenance::Foreign {
            if log.head > log.imported {
                return Err(ours(&log.conversation));
            }
            log.imported = log.read;
            imported::set(self.store, &log.conversation, log.imported).await?;
        }
        log.head = self.store.append(&log.conversation, log.head, batch).await?;
        Ok(())
    }

    /// Ends the current conversation, which was read completely. If it is foreign, its open calls
    /// are answered.
    async fn finish(&mut self) -> Result<(), Error> {
        self.append().await?;
        let Some(mut log) = self.log.take() else { return Ok(()) };
        if self.provenance == Provenance::Own || log.head > log.imported {
            return Ok(());
        }
        // An earlier import may have answered them.
        for first in (log.read + 1..=log.head).step_by(PAGE) {
            let last = log.head.min(first + PAGE as u64 - 1);
            for entry in self.store.read(&log.conversation, first..=last).await? {
                log.open.apply(&entry, |call| call.name().to_owned());
            }
        }
        let answer = |(turn, id, name): (u32, String, String)| event::Entry {
            turn: Some(turn),
            timestamp: log.timestamp,
            ..Event::Result(CallResult::failure(id, Some(&name), SUMMARY, NOT_STARTED)).into()
        };
        let answers: Vec<_> = log.open.into_calls().map(answer).collect();
        if answers.is_empty() {
            return Ok(());
        }
        self.counts.answered += answers.len() as u64;
        imported::set(self.store, &log.conversation, log.head + answers.len() as u64).await?;
        self.store.append(&log.conversation, log.head, answers).await.map(|_| ())
    }

    async fn value(&mut self, space: &str, key: &str, value: Vec<u8>) -> Result<(), Error> {
        self.counts.values += 1;
        match self.store.put(space, key, 0, value.clone()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let there = self.store.get(space, key).await?;
                if there.is_some_and(|kept| kept.value == value) {
                    return Ok(());
                }
                Err(another(&format!("the value {key:?} in {space:?}")))
            }
            put => put.map(|_| ()),
        }
    }
}

/// Parses the entry that follows `place` events of its conversation.
fn read(place: u64, json: &str) -> Result<event::Entry, String> {
    if json.len() > MAX_EVENT {
        return Err(format!("its event is longer than {} MiB", MAX_EVENT >> 20));
    }
    let mut entry = event::read_entry(json).map_err(|error| error.to_string())?;
    let next = place + 1;
    if let Some(seq) = entry.seq.filter(|seq| *seq != next) {
        return Err(format!(
            "its `seq` is {seq} where {next} comes next; the events of a conversation are \
             exported together, in order and from the first"
        ));
    }
    let placed = validate::assign_positions(place, std::slice::from_mut(&mut entry));
    placed.map_err(|error| error.to_string())?;
    Ok(entry)
}

/// Returns the error for an item that differs from the one in the store.
fn another(what: &str) -> Error {
    let message =
        format!("{what} is another one here than in the import; import it into another store");
    Error::new(ErrorKind::Conflict, message)
}

/// Returns the error for a foreign log that would add to a conversation that was written here.
fn ours(conversation: &str) -> Error {
    let message = format!(
        "conversation {conversation:?} was written here, and an export from elsewhere adds nothing \
         to it; import it into another store, or with `--own` if you made the export yourself"
    );
    Error::new(ErrorKind::Conflict, message)
}

/// The answer to an imported call without a result.
const SUMMARY: &str = "not started";
const NOT_STARTED: &str =
    "not started: this conversation was imported, and none of its open calls is run here";

/// The maximum length of an event's JSON in bytes, as in the embedded store.
const MAX_EVENT: usize = 64 << 20;

/// The maximum length of the lines of a batch, in bytes.
const MAX_BATCH: usize = 4 << 20;
