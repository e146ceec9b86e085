//! A store as lines of JSON, and back.
//!
//! ```text
//! {"silcrow":"export 1"}
//! {"conversation":ID,"event":{…}}     the event as it is stored; those of a log follow each other
//! {"space":SPACE,"key":KEY,"text":…}  a value; `hex` in place of `text` where it is no text
//! ```

use std::io::{self, BufRead, Read as _, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_event::Json;

use crate::error::{Error, ErrorKind};
use crate::rules;
use crate::store::Store;

/// What was written or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Conversations.
    pub conversations: u64,
    /// Events.
    pub events: u64,
    /// Values.
    pub values: u64,
}

/// Writes one conversation, or all of them, with the values that belong to them
/// ([`rules::owner`]); with all, the other values too. Blocks on `out`.
///
/// Versions of values are left out: where they are imported, they begin with 1.
///
/// # Errors
///
/// Those of reading; [`Io`](ErrorKind::Io) where `out` fails.
pub async fn export<S: Store + ?Sized>(
    store: &S,
    conversation: Option<&str>,
    out: &mut (dyn Write + Send),
) -> Result<Moved, Error> {
    let mut moved = Moved::default();
    let mut say = |line: String| writeln!(out, "{line}").map_err(unwritten);
    say(format!("{{\"silcrow\":\"{FORMAT}\"}}"))?;
    // The one appended to last comes last, so that an import lists them in the same order.
    for summary in store.list(None).await?.into_iter().rev() {
        let id = &summary.conversation;
        if conversation.is_some_and(|wanted| wanted != id) {
            continue;
        }
        moved.conversations += 1;
        for first in (1..=summary.events).step_by(PAGE) {
            let last = summary.events.min(first + PAGE as u64 - 1);
            for entry in store.read(id, first..=last).await? {
                moved.events += 1;
                say(format!(
                    "{{\"conversation\":{},\"event\":{}}}",
                    Json::string(id),
                    entry.to_json()
                ))?;
            }
        }
    }
    for (space, key) in store.keys().await? {
        if conversation.is_some_and(|wanted| rules::owner(&space) != Some(wanted)) {
            continue;
        }
        let Some(kept) = store.get(&space, &key).await? else { continue };
        moved.values += 1;
        let (form, value) = match str::from_utf8(&kept.value) {
            Ok(text) => ("text", Json::string(text)),
            Err(_) => ("hex", Json::string(&hex(&kept.value))),
        };
        let (space, key) = (Json::string(&space), Json::string(&key));
        say(format!("{{\"space\":{space},\"key\":{key},\"{form}\":{value}}}"))?;
    }
    Ok(moved)
}

/// Reads what [`export`] wrote. Blocks on `lines`.
///
/// What is there already, and the same, is left as it is, and a conversation that goes on in the
/// import goes on: an import that failed can be made again, and one of a later export added.
/// What a person allowed where it was exported is left out ([`rules::is_granted`]).
///
/// # Errors
///
/// - [`Conflict`](ErrorKind::Conflict): the store holds something else in its place.
/// - [`Format`](ErrorKind::Format): a line is not what an export writes; the message has its number.
/// - Those of appending and putting. All of them leave what was imported before.
pub async fn import<S: Store + ?Sized>(
    store: &S,
    lines: &mut (dyn BufRead + Send),
) -> Result<Moved, Error> {
    let mut import = Import { store, moved: Moved::default(), log: None };
    let read = import.lines(lines).await;
    // Where a line is wrong, what stands before it is whole.
    let appended = import.append().await;
    read.and(appended)?;
    Ok(import.moved)
}

struct Import<'a, S: ?Sized> {
    store: &'a S,
    moved: Moved,
    log: Option<Log>,
}

/// The conversation that is being read.
struct Log {
    conversation: String,
    head: u64,
    batch: Vec<event::Entry>,
}

/// All that any line may hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    silcrow: Option<String>,
    conversation: Option<String>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    space: Option<String>,
    key: Option<String>,
    text: Option<String>,
    hex: Option<String>,
}

impl<S: Store + ?Sized> Import<'_, S> {
    async fn lines(&mut self, lines: &mut (dyn BufRead + Send)) -> Result<(), Error> {
        let mut line = String::new();
        for number in 1_u64.. {
            // What is no export at all may have no end of a line either.
            let limit = if number == 1 { MAX_FIRST } else { MAX_LINE };
            line.clear();
            let read = (&mut *lines).take(limit).read_line(&mut line).map_err(unread)?;
            if read == 0 {
                break;
            }
            let wrong = |why: String| {
                let message = format!(
                    "line {number} is not of an export: {why}; what stands before it was \
                     imported, and nothing after it"
                );
                Error::new(ErrorKind::Format, message)
            };
            if read as u64 == limit {
                return Err(wrong(format!("it is longer than {limit} bytes")));
            }
            let line: Line<'_> =
                serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
            match (number, line) {
                (1, Line { silcrow: Some(format), .. }) if format == FORMAT => {}
                (1, _) => return Err(wrong(format!("an export begins with \"{FORMAT}\""))),
                (_, Line { conversation: Some(conversation), event: Some(event), .. }) => {
                    let entry = event::read_entry(event.get());
                    let entry = entry.map_err(|error| wrong(error.to_string()))?;
                    self.event(conversation, entry).await?;
                }
                (_, Line { space: Some(space), key: Some(key), text: Some(text), .. }) => {
                    self.value(&space, &key, text.into()).await?;
                }
                (_, Line { space: Some(space), key: Some(key), hex: Some(hex), .. }) => {
                    let value = unhex(&hex).ok_or_else(|| wrong("its hex is none".to_owned()))?;
                    self.value(&space, &key, value).await?;
                }
                _ => return Err(wrong("it is neither an event nor a value".to_owned())),
            }
        }
        Ok(())
    }

    async fn event(&mut self, conversation: String, entry: event::Entry) -> Result<(), Error> {
        if self.log.as_ref().is_none_or(|log| log.conversation != conversation) {
            self.append().await?;
            self.moved.conversations += 1;
            self.log = Some(Log { conversation, head: 0, batch: Vec::new() });
        }
        let Some(log) = &mut self.log else { return Ok(()) };
        log.batch.push(entry);
        if log.batch.len() == PAGE {
            return self.append_batch().await;
        }
        Ok(())
    }

    async fn append(&mut self) -> Result<(), Error> {
        self.append_batch().await?;
        self.log = None;
        Ok(())
    }

    async fn append_batch(&mut self) -> Result<(), Error> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let mut batch = std::mem::take(&mut log.batch);
        self.moved.events += batch.len() as u64;
        let head = rules::place(log.head, &mut batch)?;
        match self.store.append(&log.conversation, log.head, batch.clone()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let there = self.store.read(&log.conversation, log.head + 1..=head).await?;
                if !batch.starts_with(&there) {
                    let what = format!("conversation {:?}", log.conversation);
                    return Err(another(&what, error));
                }
                // What is there may end within the batch.
                let (rest, at) = (batch.split_off(there.len()), log.head + there.len() as u64);
                if !rest.is_empty() {
                    self.store.append(&log.conversation, at, rest).await?;
                }
            }
            appended => _ = appended?,
        }
        log.head = head;
        Ok(())
    }

    async fn value(&mut self, space: &str, key: &str, value: Vec<u8>) -> Result<(), Error> {
        if rules::is_granted(space) {
            return Ok(());
        }
        self.moved.values += 1;
        match self.store.put(space, key, 0, value.clone()).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let there = self.store.get(space, key).await?;
                if there.is_some_and(|kept| kept.value == value) {
                    return Ok(());
                }
                Err(another(&format!("the value {key:?} in {space:?}"), error))
            }
            put => put.map(|_| ()),
        }
    }
}

/// The error for what the store holds in the place of what is imported.
fn another(what: &str, error: Error) -> Error {
    let message =
        format!("{what} is another one here than in the import; import it into another store");
    Error::new(ErrorKind::Conflict, message).caused_by(error)
}

fn unwritten(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the export could not be written: {error}")).caused_by(error)
}

fn unread(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the import could not be read: {error}")).caused_by(error)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}

const FORMAT: &str = "export 1";

/// Of the first line, in bytes.
const MAX_FIRST: u64 = 1 << 10;

/// Of any other: a value of 64 MiB whose every byte is escaped, and what it takes to say it.
const MAX_LINE: u64 = 400 << 20;

/// Entries read and appended at once.
const PAGE: usize = 256;
