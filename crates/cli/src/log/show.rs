//! Shows stored entries unchanged.

use std::io::{BufWriter, Write};

use silcrow_console::printer::write_json;
use silcrow_history::{entry_line, hit_json, hit_text, origin_line};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store, imported};

use crate::damage;
use crate::failure::{Failure, written};
use crate::places;
use crate::stored_head::stored_head;

/// Prints the events of a conversation that are whole, and fails at the end if others are not.
pub(crate) async fn events(
    store: &dyn Store,
    conversation: &str,
    for_programs: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (conversation, head) = stored_head(store, conversation).await?;
    let conversation = &*conversation;
    let mut out = BufWriter::new(out);
    if !for_programs {
        let imported = readable(imported::head(store, conversation).await)?.min(head);
        if imported > 0 {
            let mark = "none of their calls was run here";
            written(writeln!(out, "imported: events 1 to {imported}; {mark}"))?;
        }
    }
    let mut report = Report::default();
    for first in (1..=head).step_by(PAGE) {
        let page = first..=head.min(first + PAGE as u64 - 1);
        let entries = read_whole(store, conversation, page, &mut report).await;
        for entry in entries.map_err(|error| places::failure(&error))? {
            if let (Some(origin), false) = (&entry.origin, for_programs) {
                written(writeln!(out, "{}", origin_line(origin)))?;
            }
            let printed = match for_programs {
                true => write_json(&mut out, &entry.to_json()),
                false => writeln!(out, "{}", entry_line(&entry)),
            };
            if printed.is_err() {
                return written(printed);
            }
        }
    }
    written(out.flush())?;
    damage::found(&report.damage)
}

/// If the marks are damaged, readable entries are shown without them; `verify` reports the damage.
pub(super) fn readable<T: Default>(marks: Result<T, Error>) -> Result<T, Failure> {
    marks.or_else(|error| match error.kind() {
        ErrorKind::Damaged | ErrorKind::Unavailable => Ok(T::default()),
        _ => Err(places::failure(&error)),
    })
}

/// Prints the hits of a search, the best first.
pub(crate) async fn search(
    store: &dyn Store,
    query: &Query,
    for_programs: bool,
) -> Result<String, Failure> {
    if query.words.trim().is_empty() {
        return Err(Failure::given("no words to search for; write some that were said"));
    }
    let hits = store.search(query).await.map_err(|error| places::failure(&error))?;
    if hits.is_empty() && !for_programs {
        return Ok("no message and no answer has these words\n".to_owned());
    }
    let tell = |hit: &Hit| {
        if for_programs {
            return hit_json(hit) + "\n";
        }
        hit_text(hit)
    };
    Ok(hits.iter().map(tell).collect())
}

/// The number of entries that are read at once.
const PAGE: usize = 256;

#[cfg(test)]
mod tests {
    use silcrow_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn empty_search_says_nothing_was_found() {
        let query = Query { words: "orca".into(), limit: 1, ..Query::default() };
        let output = search(&MemoryStore::new(), &query, false).await.unwrap();
        assert_eq!(output, "no message and no answer has these words\n");
        assert_eq!(search(&MemoryStore::new(), &query, true).await.unwrap(), "");
    }
}
