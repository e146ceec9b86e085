//! The quality of the results of queries, over the conversations in `tests/corpus`.
//!
//! `people.txt` has questions and answers of everyday life, and `project.txt` has texts of this
//! project: a question and an answer each. A line of `queries.txt` has a query, phrased differently
//! from the messages, and a text that only one message has, whose conversation is wanted.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_recall::Recall;
use silcrow_store::Store;
use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs};

/// Two messages of a conversation.
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) messages: [&'static str; 2],
    /// The time of the question, in seconds after 1970.
    pub(crate) time: i64,
}

/// A query, and the id of the conversation that it is about.
pub(crate) struct TestQuery {
    pub(crate) words: &'static str,
    pub(crate) wanted: String,
}

/// The shares of all queries that found the right conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecallScores {
    /// At the first place.
    pub(crate) at_1: f64,
    /// At one of the first five places.
    pub(crate) at_5: f64,
    /// The mean of one divided by the place.
    pub(crate) mrr: f64,
}

pub(crate) fn conversations() -> Vec<Conversation> {
    let texts = [include_str!("../corpus/people.txt"), include_str!("../corpus/project.txt")];
    let pairs: Vec<_> = texts.iter().flat_map(|text| text.trim_end().split("\n\n")).collect();
    let count = pairs.len() as i64;
    let conversation = |(number, pair): (usize, &'static str)| {
        let (question, answer) = pair.split_once('\n').expect("a question and an answer");
        // They are about six hours apart, in an order that has nothing to do with the topics.
        let place = number as i64 * 101 % count;
        let id = format!("c{number}");
        Conversation { id, messages: [question, answer], time: 1_790_000_000 + place * 20_000 }
    };
    pairs.into_iter().enumerate().map(conversation).collect()
}

pub(crate) fn queries(conversations: &[Conversation]) -> Vec<TestQuery> {
    let query = |line: &'static str| {
        let (words, part) = line.split_once('\t').expect("a query and a text");
        let has = |one: &&Conversation| one.messages.iter().any(|text| text.contains(part));
        let mut wanted = conversations.iter().filter(has);
        let one = wanted.next().unwrap_or_else(|| panic!("no message has {part:?}"));
        assert!(wanted.next().is_none(), "several conversations have {part:?}");
        TestQuery { words, wanted: one.id.clone() }
    };
    include_str!("../corpus/queries.txt").lines().map(query).collect()
}

pub(crate) async fn fill(store: &dyn Store, conversations: &[Conversation]) {
    for Conversation { id, messages: [question, answer], time } in conversations {
        let at = |seconds: i64, event: Event| Entry {
            timestamp: Some(Timestamp::from_nanos((time + seconds) * 1_000_000_000)),
            ..event.into()
        };
        let entries = vec![at(0, Event::user(*question)), at(5, Event::respond(*answer))];
        store.append(id, 0, entries).await.unwrap();
    }
}

/// Returns the conversations that the tool finds, the best first.
pub(crate) async fn found(recall: &Recall, words: &str) -> Vec<String> {
    let args = serde_json::json!({ "query": words, "limit": PLACES }).to_string();
    let context = CallContext::new(Scope::new("now"), "a1");
    let text = recall.call(ToolArgs::new(&args), &context).await.unwrap().content.into_text();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap_or_default();
    let id = |row: &serde_json::Value| row["conversation"].as_str().unwrap().to_owned();
    rows.iter().map(id).collect()
}

/// Returns the conversations of the messages with the most words of a query, the newest first: the
/// ranking to compare with.
pub(crate) fn found_by_words(conversations: &[Conversation], words: &str) -> Vec<String> {
    let words = words.to_lowercase();
    let mut words: Vec<_> = words.split_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    let mut found = Vec::new();
    for one in conversations {
        for (text, time) in one.messages.iter().zip([one.time, one.time + 5]) {
            let text = text.to_lowercase();
            let count = words.iter().filter(|word| text.contains(**word)).count();
            if count > 0 {
                found.push((count, time, &one.id));
            }
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.into_iter().take(PLACES).map(|(_, _, id)| id.clone()).collect()
}

/// Judges the results of each query.
pub(crate) fn scores(queries: &[TestQuery], found: &[Vec<String>]) -> RecallScores {
    let places: Vec<_> = queries
        .iter()
        .zip(found)
        .map(|(query, ids)| ids.iter().position(|id| *id == query.wanted))
        .collect();
    let count = queries.len() as f64;
    let within = |places_: usize| {
        places.iter().flatten().filter(|place| **place < places_).count() as f64 / count
    };
    let mrr = places.iter().flatten().map(|place| 1.0 / (*place as f64 + 1.0)).sum::<f64>() / count;
    RecallScores { at_1: within(1), at_5: within(5), mrr }
}

/// The number of places that count.
const PLACES: usize = 20;
