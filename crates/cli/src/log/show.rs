//! What is stored, as it is.

use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_event::{Entry, Event};
use silcrow_sanitize::sanitize;
use silcrow_store::search::{Hit, Query};
use silcrow_store::{Store, Summary};

use super::age::age;
use super::head;
use crate::failure::Failure;
use crate::lines;
use crate::places;

/// The conversations, a line each.
pub(crate) async fn list(
    store: &dyn Store,
    user: Option<&str>,
    for_programs: bool,
) -> Result<String, Failure> {
    let conversations = store.list(user).await.map_err(|error| places::failure(&error))?;
    if for_programs {
        return Ok(conversations.iter().map(|one| lines::summary(one) + "\n").collect());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(table(&conversations, now.as_secs_f64()))
}

/// The events of a conversation.
pub(crate) async fn events(
    store: &dyn Store,
    conversation: &str,
    for_programs: bool,
) -> Result<String, Failure> {
    let head = head(store, conversation).await?;
    let entries = store.read(conversation, 1..=head).await;
    let entries = entries.map_err(|error| places::failure(&error))?;
    let tell = |entry: &Entry| if for_programs { entry.to_json() } else { line(entry) };
    Ok(entries.iter().map(|entry| tell(entry) + "\n").collect())
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
        return Ok("nothing holds these words\n".to_owned());
    }
    let tell = |hit: &Hit| {
        if for_programs {
            return lines::hit(hit) + "\n";
        }
        let title = sanitize(&hit.title).replace('\n', " ");
        format!("{}  {title}\n{}\n", sanitize(&hit.conversation), line(&hit.entry))
    };
    Ok(hits.iter().map(tell).collect())
}

fn table(conversations: &[Summary], now: f64) -> String {
    let width = |one: &Summary| sanitize(&one.conversation).chars().count();
    let width = conversations.iter().map(width).max().unwrap_or_default();
    let row = |one: &Summary| {
        let (id, title) = (sanitize(&one.conversation), sanitize(&one.title));
        let user = one.user.as_deref().map(|user| format!("{}: ", sanitize(user)));
        let user = user.unwrap_or_default();
        let (events, age) = (one.events, age(one.last, now));
        let noun = if events == 1 { "event" } else { "events" };
        format!("{id:width$}  {events:>5} {noun:6}  {age:>12}  {user}{title}\n")
    };
    conversations.iter().map(row).collect()
}

/// An event on a person's screen: its position, its type, its text.
pub(crate) fn line(entry: &Entry) -> String {
    let text = match &entry.event {
        Event::User { content } | Event::Cancelled { content } => content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Result(outcome) => outcome.content.clone(),
        Event::Batch(batch) => batch.content.clone(),
        other => other.to_json(),
    };
    let seq = entry.seq.unwrap_or_default();
    let indented = sanitize(&text).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}

#[cfg(test)]
mod tests {
    use silcrow_store::Memory;

    use super::*;

    #[tokio::test]
    async fn a_person_is_told_that_nothing_was_found() {
        let query = Query { words: "orca".into(), except: None, user: None, limit: 1 };
        let told = search(&Memory::new(), &query, false).await.unwrap();
        assert_eq!(told, "nothing holds these words\n");
        assert_eq!(search(&Memory::new(), &query, true).await.unwrap(), "");
    }

    #[tokio::test]
    async fn one_event_is_no_plural_and_stands_in_its_column() {
        let store = Memory::new();
        for head in 0..2 {
            store.append("a", head, vec![Event::user("hi").into()]).await.unwrap();
        }
        store.append("b", 0, vec![Event::user("ho").into()]).await.unwrap();
        let told = list(&store, None, false).await.unwrap();
        let (one, two) = told.split_once('\n').unwrap();
        assert!(one.starts_with("b      1 event  "), "{told}");
        assert!(two.starts_with("a      2 events  "), "{told}");
        assert_eq!(one.find("ho"), two.find("hi"), "{told}");
    }
}
