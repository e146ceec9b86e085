//! A store as lines of JSON, and back.
//!
//! ```text
//! {"silcrow":"export 1"}
//! {"conversation":ID,"event":{…}}     the event as it is stored; those of a log follow each other
//! {"space":SPACE,"key":KEY,"text":…}  a value; `hex` in place of `text` where that is shorter, or
//!                                     the value is no text
//! ```
//!
//! A line is at most [`MAX_LINE`] bytes long.

mod foreign;
mod import;
mod line;

use std::io::{self, Write};

use silcrow_event::Json;

pub use self::import::{Provenance, import};
pub use self::line::MAX_LINE;
use crate::error::{Error, ErrorKind};
use crate::rules;
use crate::store::Store;

/// What was written or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Conversations.
    pub conversations: u64,
    /// Events.
    pub events: u64,
    /// Values.
    pub values: u64,
    /// Values that were not imported.
    pub left_out: u64,
    /// Open calls that an import answered as not started.
    pub answered: u64,
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
        let text = str::from_utf8(&kept.value).ok().map(Json::string);
        // So that no line is longer than twice the longest value.
        let (form, value) =
            match text.filter(|text| text.as_str().len() <= 2 * kept.value.len() + 2) {
                Some(text) => ("text", text),
                None => ("hex", Json::string(&hex(&kept.value))),
            };
        let (space, key) = (Json::string(&space), Json::string(&key));
        say(format!("{{\"space\":{space},\"key\":{key},\"{form}\":{value}}}"))?;
    }
    Ok(moved)
}

fn unwritten(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the export could not be written: {error}")).caused_by(error)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the first line says.
const FORMAT: &str = "export 1";

/// Entries read and appended at once.
const PAGE: usize = 256;
