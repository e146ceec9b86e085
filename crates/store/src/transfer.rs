//! Exports a store as lines of JSON, and imports them.
//!
//! ```text
//! {"silcrow":"export 1"}
//! {"conversation":ID,"event":{…}}     the event as it is stored; those of a log are adjacent
//! {"space":SPACE,"key":KEY,"text":…}  a value; `hex` instead of `text` if that is shorter, or
//!                                     if the value is not UTF-8
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
use crate::spaces;
use crate::store::Store;
use crate::verify::{Report, get_whole, read_whole};

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransferCounts {
    /// The number of conversations.
    pub conversations: u64,
    /// The number of events.
    pub events: u64,
    /// The number of values.
    pub values: u64,
    /// The number of values that were not imported.
    pub left_out: u64,
    /// The number of open calls that an import answered as not started.
    pub answered: u64,
}

/// Writes one conversation with the values that belong to it ([`spaces::conversation`]), or all
/// conversations and all values. Blocks on `out`.
///
/// Damaged data is left out and reported. An import stops at an event that is missing from the
/// middle of a conversation. Versions of values are not exported; imported values begin with
/// version 1.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_store::transfer::export;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hello").into()]).await?;
/// store.put("notes/c1", "mood", 0, b"fine".to_vec()).await?;
/// let mut lines = Vec::new();
/// let report = export(&store, Some("c1"), &mut lines).await?;
/// assert_eq!((report.events, report.values), (1, 1));
/// let lines = String::from_utf8(lines).unwrap();
/// let last = lines.lines().next_back();
/// assert_eq!(last, Some(r#"{"space":"notes/c1","key":"mood","text":"fine"}"#));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of reading other than damage, and [`Io`](ErrorKind::Io) if `out` fails.
pub async fn export<S: Store + ?Sized>(
    store: &S,
    conversation: Option<&str>,
    out: &mut (dyn Write + Send),
) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut say = |line: String| writeln!(out, "{line}").map_err(unwritten);
    say(format!("{{\"silcrow\":\"{FORMAT}\"}}"))?;
    // The conversation that was appended to last is written last, so that the list has the same
    // order after an import.
    let list = store.list(None).await.or_else(|error| report.unread("conversations", error))?;
    for summary in list.into_iter().rev() {
        let id = &summary.conversation;
        if conversation.is_some_and(|wanted| wanted != id) {
            continue;
        }
        report.conversations += 1;
        for first in (1..=summary.events).step_by(PAGE) {
            let last = summary.events.min(first + PAGE as u64 - 1);
            for entry in read_whole(store, id, first..=last, &mut report).await? {
                report.events += 1;
                say(format!(
                    "{{\"conversation\":{},\"event\":{}}}",
                    Json::string(id),
                    entry.to_json()
                ))?;
            }
        }
    }
    let keys = store.keys().await.or_else(|error| report.unread("values", error))?;
    for (space, key) in keys {
        if conversation.is_some_and(|wanted| spaces::conversation(&space) != Some(wanted))
            || spaces::is_derived(&space)
        {
            continue;
        }
        let Some(kept) = get_whole(store, &space, &key, &mut report).await? else { continue };
        report.values += 1;
        let text = str::from_utf8(&kept.value).ok().map(Json::string);
        // So no line is much longer than twice the longest value.
        let (form, value) =
            match text.filter(|text| text.as_str().len() <= 2 * kept.value.len() + 2) {
                Some(text) => ("text", text),
                None => ("hex", Json::string(&hex(&kept.value))),
            };
        let (space, key) = (Json::string(&space), Json::string(&key));
        say(format!("{{\"space\":{space},\"key\":{key},\"{form}\":{value}}}"))?;
    }
    Ok(report)
}

fn unwritten(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, "the export could not be written").with_source(error)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The value of the first line.
const FORMAT: &str = "export 1";

/// The number of entries that are read and appended at once.
const PAGE: usize = 256;
