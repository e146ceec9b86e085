//! What is stored, as it is.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write as _};
use std::iter;
use std::time::SystemTime;

use silcrow_event::{Approval, BranchPoint, ConversationOrigin, Entry, Event, Timestamp};
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store, Summary, imported};

use super::age::age;
use super::inside::is_inside;
use crate::damage;
use crate::failure::{Failure, written};
use crate::lines;
use crate::places;
use crate::printer::write_json;
use crate::stored_head::stored_head;

/// The conversations, a line each; with `all` also those of calls.
pub(crate) async fn list(
    store: &dyn Store,
    user: Option<&str>,
    all: bool,
    for_programs: bool,
) -> Result<String, Failure> {
    let mut conversations = store.list(user).await.map_err(|error| places::failure(&error))?;
    conversations.retain(|one| all || !is_inside(&one.conversation));
    let imported = readable(imported::all(store).await)?;
    if for_programs {
        let tell = |one: &Summary| lines::listed(one, imported.contains(&one.conversation)) + "\n";
        return Ok(conversations.iter().map(tell).collect());
    }
    Ok(table(&conversations, &imported, SystemTime::now().into()))
}

/// Prints the events of a conversation that are whole, and fails at the end if others are not.
pub(crate) async fn events(
    store: &dyn Store,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let head = stored_head(store, conversation).await?;
    let mut out = BufWriter::new(io::stdout());
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
fn readable<T: Default>(marks: Result<T, Error>) -> Result<T, Failure> {
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

/// A row for each: id, number of events, age, whether it was imported and whose it is where that
/// is so of any, title.
fn table(conversations: &[Summary], imported: &BTreeSet<String>, now: Timestamp) -> String {
    let ids: Vec<_> = conversations.iter().map(|one| name(&one.conversation)).collect();
    let users: Vec<_> =
        conversations.iter().map(|one| one.user.as_deref().map(name).unwrap_or_default()).collect();
    let marks: Vec<_> = conversations
        .iter()
        .map(|one| if imported.contains(&one.conversation) { "imported" } else { "" })
        .collect();
    let (id_width, user_width) = (width(&ids), width(&users));
    let mark_width = marks.iter().map(|mark| mark.len()).max().unwrap_or_default();
    let mut table = String::new();
    for (((one, id), user), mark) in conversations.iter().zip(&ids).zip(&users).zip(&marks) {
        let (events, age) = (one.events, age(one.last, now));
        let noun = if events == 1 { "event" } else { "events" };
        table += &format!("{id:id_width$}  {events:>5} {noun:6}  {age:>12}  ");
        for (column, width) in [(*mark, mark_width), (user.as_str(), user_width)] {
            if width > 0 {
                table += &format!("{column:width$}  ");
            }
        }
        table += &sanitize_line(&one.title);
        table.push('\n');
    }
    table
}

/// The columns that names take; a name that is longer than most moves its own row only.
fn width(names: &[String]) -> usize {
    let widths = names.iter().map(|name| name.chars().count());
    widths.max().unwrap_or_default().min(MAX_WIDTH)
}

/// A name as one column. Between quotes it may hold blanks and still looks like no other column.
fn name(name: &str) -> String {
    let shown = sanitize_line(name);
    let is_plain =
        !shown.is_empty() && !shown.contains(|char: char| char.is_whitespace() || char == '"');
    if is_plain { shown.into_owned() } else { format!("\"{}\"", shown.replace('"', "\\x22")) }
}

/// Returns the text of an event.
pub(super) fn text(entry: &Entry) -> String {
    match &entry.event {
        Event::User { content, .. } => content.text().into_owned(),
        Event::Cancelled { content } | Event::Notice { content } => content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Result(outcome) => outcome.content.text().into_owned(),
        Event::Batch(batch) => batch.content.clone(),
        Event::Approval(Approval { state, target, scope, reason, .. }) => {
            let details = [target, scope, reason].into_iter().flatten();
            let words: Vec<_> =
                iter::once(state.as_str()).chain(details.map(String::as_str)).collect();
            words.join(": ")
        }
        Event::Parked(parked) => {
            let names = parked.questions.iter().map(|asked| format!("{} {}", asked.id, asked.tool));
            names.collect::<Vec<_>>().join(", ")
        }
        other => other.to_json(),
    }
}

/// An event on a person's screen: its position, its type, its text.
pub(crate) fn line(entry: &Entry) -> String {
    let text = text(entry);
    let seq = entry.seq.unwrap_or_default();
    let indented = sanitize(&text).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}

/// The number of entries that are read at once.
const PAGE: usize = 256;

/// Characters of a name.
const MAX_WIDTH: usize = 40;

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
        assert_eq!(line(&entry), "   0 approval denied: a.txt: no");
    }

    #[tokio::test]
    async fn one_event_is_no_plural_and_stands_in_its_column() {
        let store = MemoryStore::new();
        for head in 0..2 {
            store.append("a", head, vec![Event::user("hi").into()]).await.unwrap();
        }
        store.append("b", 0, vec![Event::user("ho").into()]).await.unwrap();
        let output = list(&store, None, false, false).await.unwrap();
        let (one, two) = output.split_once('\n').unwrap();
        assert!(one.starts_with("b      1 event  "), "{output}");
        assert!(two.starts_with("a      2 events  "), "{output}");
        assert_eq!(one.find("ho"), two.find("hi"), "{output}");
    }

    /// Whatever ids, users and titles hold, there is one row for each conversation, and what looks
    /// like a column is one.
    #[tokio::test]
    async fn nothing_that_is_stored_forges_a_row_or_a_column() {
        let forged = "x  9 events  now  title";
        let ids =
            ["a\nb", "a\tb", "a\rb", "a\u{85}b", "a\u{2028}b", "\u{1b}[2Ja", forged, "a\"  b"];
        let users = ["ann\nbob", "ann  9", "\u{202e}bob", "\u{b}"];
        let store = MemoryStore::new();
        for (number, id) in ids.iter().enumerate() {
            let user = Some(users[number % users.len()].to_owned());
            let said = Entry { user, ..Event::user(format!("{id}\tt")).into() };
            store.append(id, 0, vec![said]).await.unwrap();
        }
        let output = list(&store, None, false, false).await.unwrap();
        assert_eq!(output.lines().count(), ids.len(), "{output}");
        assert!(
            !output.contains(['\t', '\r', '\u{85}', '\u{2028}', '\u{1b}', '\u{202e}']),
            "{output}"
        );
        for row in output.lines() {
            let id = match row.strip_prefix('"') {
                Some(quoted) => quoted.find("\"  ").unwrap() + 2,
                None => row.find("  ").unwrap(),
            };
            assert!(row[id..].trim_start().starts_with("1 event "), "{row}");
        }
        let query = Query { words: "a".into(), limit: 99, ..Query::default() };
        let hits = search(&store, &query, false).await.unwrap();
        // What belongs to a hit is indented below its first line.
        assert_eq!(hits.lines().filter(|line| !line.starts_with(' ')).count(), 7, "{hits}");
    }

    #[tokio::test]
    async fn a_long_id_moves_its_own_row_only() {
        let store = MemoryStore::new();
        for id in ["short", &"l".repeat(200)] {
            store.append(id, 0, vec![Event::user("hi").into()]).await.unwrap();
        }
        let output = list(&store, None, false, false).await.unwrap();
        assert!(output.lines().any(|row| row.len() < 80), "{output}");
    }
}
