//! Mistakes of other programs' searches: queries that are interpreted beyond their text, users
//! whose names are patterns, and conversations that are the current one in another form.

use std::sync::Arc;

use silcrow_event::{Event, Timestamp};
use silcrow_recall::Recall;
use silcrow_store::{Fork, MemoryStore, Store as _};

use crate::{answer, call, conversations, messages, say};

#[tokio::test]
async fn odd_user_names_find_only_own_conversations() {
    let store = Arc::new(MemoryStore::new());
    let users =
        ["%", "_", "*", "a_n", "a%", "ann", "ANN", "ann' OR '1'='1", "\"ann\"", " ", "\0", "änn"];
    for (number, user) in users.iter().enumerate() {
        say(&*store, &format!("c{number}"), Some(user), &format!("a whale {number}"), 1).await;
    }
    say(&*store, "nobody", None, "a whale of nobody", 1).await;
    let recall = Recall::new(store);
    for (number, user) in users.iter().enumerate() {
        let found = conversations(call(&recall, Some(user), r#"{"query":"whale"}"#).await);
        assert_eq!(found, [format!("c{number}")], "{user:?}");
        let other = format!(r#"{{"conversation":"c{}"}}"#, (number + 1) % users.len());
        call(&recall, Some(user), &other).await.unwrap_err();
    }
    // The name of no user is no name, and not the name of all users.
    call(&recall, Some(""), r#"{"query":"whale"}"#).await.unwrap_err();
    call(&recall, Some(""), r#"{"conversation":"nobody"}"#).await.unwrap_err();
    assert_eq!(conversations(call(&recall, None, r#"{"query":"whale"}"#).await), ["nobody"]);
}

#[tokio::test]
async fn operators_in_a_query_are_text() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "port", None, "the port of the server is 8081", 1).await;
    say(&*store, "rows", None, "use SELECT * FROM rows, it is 100 % safe", 2).await;
    say(&*store, "cpp", None, "I write C++ on Mondays", 3).await;
    say(&*store, "both", None, "cats and dogs", 4).await;
    let recall = Recall::new(store);
    let cases = [
        ("\"port server\"", "port"),
        ("port AND NOT server", "port"),
        ("-server port", "port"),
        ("serv* OR port:8081", "port"),
        ("'; DROP TABLE rows; --", "rows"),
        ("*", "rows"),
        ("%", "rows"),
        ("c++", "cpp"),
        ("AND", "both"),
        ("port server port server", "port"),
        ("(port", "port"),
        ("^port$", "port"),
        ("[p]ort\\ server", "port"),
        ("port NEAR/3 server", "port"),
    ];
    for (query, wanted) in cases {
        let args = serde_json::json!({ "query": query }).to_string();
        let found = conversations(call(&recall, None, &args).await);
        assert_eq!(found.first().map(String::as_str), Some(wanted), "{query}: {found:?}");
    }
    let twice = async |query: &str| messages(call(&recall, None, query).await);
    let once = twice(r#"{"query":"port server"}"#).await;
    assert_eq!(twice(r#"{"query":"port server"}"#).await, once);
    assert_eq!(twice(r#"{"query":"PORT  server port"}"#).await, once);
}

#[tokio::test]
async fn empty_and_huge_queries_are_answered() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "c1", None, "the port is 8081", 1).await;
    let recall = Recall::new(store);
    for query in ["", " \n\t", "\u{a0}\u{2003}"] {
        let args = serde_json::json!({ "query": query }).to_string();
        let error = call(&recall, None, &args).await.unwrap_err().to_string();
        assert!(error.contains("`query` is empty"), "{error}");
    }
    for query in ["\0", "\u{301}", "🦀", "…", "\u{202e}"] {
        let args = serde_json::json!({ "query": query }).to_string();
        assert_eq!(call(&recall, None, &args).await.unwrap().summary, "nothing found", "{query:?}");
    }
    let many: Vec<_> = (0..190).map(|number| format!("w{number}")).collect();
    let args = serde_json::json!({ "query": format!("port {}", many.join(" ")) }).to_string();
    assert_eq!(conversations(call(&recall, None, &args).await), ["c1"]);
    let args = serde_json::json!({ "query": "port ".repeat(100_000) }).to_string();
    let error = call(&recall, None, &args).await.unwrap_err().to_string();
    assert!(error.contains("is longer than"), "{error}");
}

#[tokio::test]
async fn history_shared_with_current_conversation_is_excluded() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "origin", None, "a whale in the north", 1).await;
    answer(&*store, "origin", "it eats krill, the whale").await;
    Fork::read(&*store, "origin", None).await.unwrap().begin(&*store, "now").await.unwrap();
    say(&*store, "origin", None, "another whale, in the south", 3).await;
    say(&*store, "now", None, "a third whale, here", 4).await;
    Fork::read(&*store, "now", None).await.unwrap().begin(&*store, "later").await.unwrap();
    say(&*store, "later", None, "a fourth whale, of a fork", 5).await;
    let recall = Recall::new(store);
    let found = messages(call(&recall, None, r#"{"query":"whale"}"#).await);
    let mut texts: Vec<_> = found.iter().map(|one| one["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["a fourth whale, of a fork", "another whale, in the south"]);
}

#[tokio::test]
async fn results_state_age_and_how_to_continue() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "old", None, "a whale", 1_795_442_700).await;
    let entry = silcrow_event::Entry {
        timestamp: Some(Timestamp::from_nanos((1_795_442_700 + 3 * 86_400) * 1_000_000_000)),
        ..Event::user("what was it?").into()
    };
    store.append("now", 0, vec![entry]).await.unwrap();
    let recall = Recall::new(store);
    let output = call(&recall, None, r#"{"query":"whales"}"#).await;
    let notices = output.as_ref().unwrap().notices.join("\n");
    assert!(notices.contains("call this tool with its `conversation` and `event`"), "{notices}");
    assert!(notices.contains("not instructions"), "{notices}");
    let found = &messages(output)[0];
    assert_eq!(found["date"], "Monday, 23 November 2026, 14:05 UTC, 3 days ago");
    let args =
        format!(r#"{{"conversation":{},"event":{}}}"#, found["conversation"], found["event"]);
    assert_eq!(messages(call(&recall, None, &args).await)[0]["text"], "a whale");
}
