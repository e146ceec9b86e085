//! What is stored, as it is.

use std::io::{BufWriter, Write};

use silcrow_event::{Approval, ApprovalState, BranchPoint, ConversationOrigin, Entry, Event};
use silcrow_sanitize::{sanitize, sanitize_line, sanitize_prose};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store, imported};

use crate::damage;
use crate::failure::{Failure, written};
use crate::lines;
use crate::places;
use crate::printer::write_json;
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
                false => writeln!(out, "{}", line(&entry)),
            };
            if printed.is_err() {
                return written(printed);
            }
        }
    }
    written(out.flush())?;
    damage::found(&report.damage)
}

/// Says where a conversation comes from.
fn origin_line(origin: &ConversationOrigin) -> String {
    let BranchPoint { conversation, seq } = origin.point();
    let conversation = name(conversation);
    match origin {
        ConversationOrigin::Fork(_) => format!("forked from {conversation} after event {seq}"),
        ConversationOrigin::Replay(_) => format!("a replay of {conversation} up to event {seq}"),
    }
}

/// Where the marks are damaged, what can be read is shown without them; `verify` reports it.
pub(super) fn readable<T: Default>(marks: Result<T, Error>) -> Result<T, Failure> {
    marks.or_else(|error| match error.kind() {
        ErrorKind::Damaged | ErrorKind::Unavailable => Ok(T::default()),
        _ => Err(places::failure(&error)),
    })
}

/// What was found, the best first.
pub(crate) async fn search(
    store: &dyn Store,
    query: &Query,
    for_programs: bool,
) -> Result<String, Failure> {
    if query.words.trim().is_empty() {
        return Err(Failure::given("there are no words to look for; say what was said"));
    }
    let hits = store.search(query).await.map_err(|error| places::failure(&error))?;
    if hits.is_empty() && !for_programs {
        return Ok("no message and no answer has these words\n".to_owned());
    }
    let tell = |hit: &Hit| {
        if for_programs {
            return lines::hit(hit) + "\n";
        }
        format!(
            "{}  {}\n{}\n",
            name(&hit.conversation),
            sanitize_line(&hit.title),
            line(&hit.entry)
        )
    };
    Ok(hits.iter().map(tell).collect())
}

/// A name as one column. Between quotes it may hold blanks and still looks like no other column.
pub(super) fn name(name: &str) -> String {
    let shown = sanitize_line(name);
    let is_plain =
        !shown.is_empty() && !shown.contains(|char: char| char.is_whitespace() || char == '"');
    if is_plain { shown.into_owned() } else { format!("\"{}\"", shown.replace('"', "\\x22")) }
}

/// Returns the text of an event as a terminal may show it.
pub(super) fn safe_text(entry: &Entry) -> String {
    let text = text(entry);
    match &entry.event {
        Event::Think(_) | Event::Respond(_) => sanitize_prose(&text).into_owned(),
        _ => sanitize(&text).into_owned(),
    }
}

/// Returns the text of an event.
pub(super) fn text(entry: &Entry) -> String {
    match &entry.event {
        Event::User { content, .. } => content.text().into_owned(),
        Event::Cancelled { content } | Event::Notice { content } | Event::Title { content } => {
            content.clone()
        }
        Event::Summary(summary) => summary.content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Result(outcome) => outcome.content.text().into_owned(),
        Event::Batch(batch) => batch.content.clone(),
        Event::Approval(approval) => approval_words(approval),
        Event::Parked(parked) => {
            let names = parked.questions.iter().map(|asked| format!("{} {}", asked.id, asked.tool));
            names.collect::<Vec<_>>().join(", ")
        }
        other => other.to_json(),
    }
}

/// Returns what a person was asked, or what they answered.
fn approval_words(Approval { state, target, scope, reason, .. }: &Approval) -> String {
    let mut words = match state {
        ApprovalState::Asked => "asked the person",
        ApprovalState::Allowed => "allowed",
        ApprovalState::Denied => "not allowed",
    }
    .to_owned();
    if let Some(target) = target {
        words += &format!(" {target}");
    }
    if let Some(scope) = scope {
        words += &format!(", and all calls of the conversation on: {scope}");
    }
    if let Some(reason) = reason {
        words += &format!(": {reason}");
    }
    words
}

/// An event on a person's screen: its position, its type, its text.
pub(crate) fn line(entry: &Entry) -> String {
    let seq = entry.seq.unwrap_or_default();
    let indented = safe_text(entry).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}

/// The number of entries that are read at once.
const PAGE: usize = 256;

#[cfg(test)]
mod tests {
    use silcrow_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_person_is_told_that_nothing_was_found() {
        let query = Query { words: "orca".into(), limit: 1, ..Query::default() };
        let output = search(&MemoryStore::new(), &query, false).await.unwrap();
        assert_eq!(output, "no message and no answer has these words\n");
        assert_eq!(search(&MemoryStore::new(), &query, true).await.unwrap(), "");
    }

    #[test]
    fn an_approval_is_told_in_words() {
        let json =
            r#"{"type":"approval","id":"a1","state":"denied","target":"a.txt","reason":"no"}"#;
        let entry = silcrow_event::read_entry(json).unwrap();
        assert_eq!(line(&entry), "   0 approval not allowed a.txt: no");
    }
}
