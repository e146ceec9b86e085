//! The relic that keeps values by key.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::json;
use silcrow_event::{Entry, Event};
use silcrow_key_value::KeyValue;
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{BasicValidator, CallContext, Scope, Tool as _, ToolArgs, Validator as _};
use tokio::time::sleep;

use crate::hooked::{Hooked, StoreStep};
use crate::{call, content, why};

fn relic(store: impl Store + 'static) -> KeyValue {
    KeyValue::new("cache", "Keeps values.", store)
}

/// Calls the relic as a runner would.
async fn asked(relic: &KeyValue, args: serde_json::Value) -> String {
    let args = args.to_string();
    BasicValidator.check(relic.schema(), &args).unwrap();
    content(call(relic, &args).await)
}

#[tokio::test]
async fn values_persist_across_reopening_until_deleted() {
    let store = Arc::new(MemoryStore::new());
    let first = relic(Arc::clone(&store));
    asked(&first, json!({"operation": "set", "key": "a", "value": "x\ny"})).await;
    // A value without an operation is set.
    asked(&first, json!({"key": "b", "value": {"n": [1, null]}})).await;
    asked(&first, json!({"operation": "set", "key": "é", "value": null})).await;
    let second = relic(Arc::clone(&store));
    assert_eq!(asked(&second, json!({"operation": "get", "key": "a"})).await, "x\ny");
    assert_eq!(asked(&second, json!({"key": "b"})).await, r#"{"n":[1,null]}"#);
    assert_eq!(asked(&second, json!({"operation": "list"})).await, r#"["a","b","é"]"#);
    asked(&second, json!({"key": "a", "value": 2})).await;
    assert_eq!(asked(&first, json!({"key": "a"})).await, "2");
    assert!(asked(&first, json!({"operation": "delete", "key": "a"})).await.starts_with("deleted"));
    assert_eq!(asked(&second, json!({"key": "a"})).await, "null");
    assert_eq!(asked(&second, json!({"operation": "list"})).await, r#"["b","é"]"#);
    let other = KeyValue::new("other", "Keeps values.", store);
    assert_eq!(asked(&other, json!({"operation": "list"})).await, "[]");
}

/// Calls the relic in a conversation of this user.
async fn asked_by(relic: &KeyValue, user: Option<&str>, args: serde_json::Value) -> String {
    let scope = user.into_iter().fold(Scope::new("c"), Scope::with_user);
    let context = CallContext::new(scope, "a1");
    content(relic.call(ToolArgs::new(&args.to_string()), &context).await)
}

/// Users and keys that would be mixed up if names were joined without care.
const ESCAPING: [&str; 14] = [
    "",
    "bob",
    "bob/0",
    "/",
    "../bob",
    "./bob",
    "bob\0",
    "\0",
    "0",
    "63",
    "bob%2f",
    "bob/",
    "Bob",
    "relic/cache",
];

#[tokio::test]
async fn each_user_has_values_of_their_own() {
    let relic = relic(MemoryStore::new());
    let long = "x".repeat(250);
    let mut users = vec![None, Some(&*long)];
    users.extend(ESCAPING.map(Some));
    // The same keys for all, and names of users among them.
    for (number, user) in users.iter().enumerate() {
        assert_eq!(asked_by(&relic, *user, json!({"operation": "list"})).await, "[]", "{user:?}");
        for key in ESCAPING.iter().filter(|key| !key.is_empty()) {
            assert_eq!(asked_by(&relic, *user, json!({"key": key})).await, "null", "{user:?}");
            asked_by(&relic, *user, json!({"key": key, "value": number})).await;
        }
    }
    for (number, user) in users.iter().enumerate() {
        for key in ESCAPING.iter().filter(|key| !key.is_empty()) {
            let value = asked_by(&relic, *user, json!({"key": key})).await;
            assert_eq!(value, number.to_string(), "{user:?} {key:?}");
        }
    }
    asked_by(&relic, Some("bob"), json!({"operation": "delete", "key": "bob"})).await;
    for user in &users {
        let there = asked_by(&relic, *user, json!({"key": "bob"})).await != "null";
        assert_eq!(there, *user != Some("bob"), "{user:?}");
    }
    let longer = "x".repeat(251);
    let context = CallContext::new(Scope::new("c").with_user(longer), "a1");
    let why = why(relic.call(ToolArgs::new(r#"{"operation":"list"}"#), &context).await);
    assert_eq!(why, "the user's name is longer than 250 bytes");
}

/// A conversation may have the name of the relic; it belongs to one user, and the values do not.
#[tokio::test]
async fn values_survive_deletion_of_same_named_conversation() {
    let store = Arc::new(MemoryStore::new());
    let relic = relic(Arc::clone(&store));
    for user in [None, Some("ann")] {
        asked_by(&relic, user, json!({"key": "a", "value": 1})).await;
    }
    let said = Entry { user: Some("bob".to_owned()), ..Entry::from(Event::user("mine")) };
    let head = store.append("cache", 0, vec![said]).await.unwrap();
    store.delete("cache", head).await.unwrap();
    for user in [None, Some("ann")] {
        assert_eq!(asked_by(&relic, user, json!({"key": "a"})).await, "1");
    }
}

/// Values from before there were owners belong to the conversations without a user.
#[tokio::test]
async fn old_values_belong_to_anonymous() {
    let store = MemoryStore::new();
    let bucket = br#"{"old":{"value":"kept"}}"#.to_vec();
    store.put("relic/cache", "54", 0, bucket).await.unwrap();
    let relic = relic(store);
    assert_eq!(asked_by(&relic, None, json!({"operation": "list"})).await, r#"["old"]"#);
    assert_eq!(asked_by(&relic, None, json!({"key": "old"})).await, "kept");
    for user in ESCAPING {
        assert_eq!(asked_by(&relic, Some(user), json!({"operation": "list"})).await, "[]");
    }
}

#[tokio::test]
async fn missing_values_differ_from_null_values() {
    let relic = relic(MemoryStore::new());
    let get = async || call(&relic, r#"{"key":"a"}"#).await.unwrap();
    assert_eq!(get().await.notices, ["nothing is kept under this key"]);
    for value in [json!(null), json!("null"), json!("nothing is kept under this key")] {
        asked(&relic, json!({"operation": "set", "key": "a", "value": value})).await;
        assert_eq!(get().await.notices, [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn value_expires_after_its_ttl() {
    let store = Arc::new(MemoryStore::new());
    let relic = relic(Arc::clone(&store));
    asked(&relic, json!({"key": "a", "value": 1, "ttl": 10})).await;
    asked(&relic, json!({"key": "b", "value": 2})).await;
    sleep(Duration::from_millis(9_900)).await;
    assert_eq!(asked(&relic, json!({"key": "a"})).await, "1");
    sleep(Duration::from_millis(200)).await;
    assert_eq!(asked(&relic, json!({"key": "a"})).await, "null");
    assert_eq!(asked(&relic, json!({"operation": "list"})).await, r#"["b"]"#);
    let gone = asked(&relic, json!({"operation": "delete", "key": "a"})).await;
    assert!(gone.starts_with("nothing there"), "{gone}");
    // A new value without one stays.
    asked(&relic, json!({"key": "a", "value": 3})).await;
    sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(asked(&relic, json!({"key": "a"})).await, "3");
}

#[tokio::test]
async fn concurrent_writers_lose_nothing() {
    let relic = relic(Hooked { store: MemoryStore::new(), hook: slow });
    let writes = (0..16).map(|n| {
        let relic = relic.clone();
        async move {
            for at in 0..8 {
                asked(&relic, json!({"key": format!("{n}/{at}"), "value": n})).await;
            }
        }
    });
    join_all(writes).await;
    let keys: Vec<String> =
        serde_json::from_str(&asked(&relic, json!({"operation": "list"})).await).unwrap();
    assert_eq!(keys.len(), 128);
    // These all write one key, and so one bucket.
    join_all((0..16).map(|n| asked(&relic, json!({"key": "same", "value": n})).boxed())).await;
}

#[tokio::test]
async fn oversized_input_is_refused_by_name() {
    let relic = relic(MemoryStore::new());
    let long = "x".repeat(257);
    let refused = [
        (json!({}), "`key`"),
        (json!({"key": ""}), "`key`"),
        (json!({"key": long}), "`key`"),
        (json!({"operation": "set", "key": "a"}), "`value`"),
        (json!({"key": "a", "value": "x".repeat(256 << 10)}), "`value`"),
        (json!({"key": "a", "value": 1, "ttl": 0}), "`ttl`"),
        (json!({"key": "a", "value": 1, "ttl": -1}), "`ttl`"),
        (json!({"operation": "drop", "key": "a"}), "`drop`"),
        (json!({"key": "a", "valeu": 1}), "`valeu`"),
    ];
    for (args, part) in refused {
        let why = why(call(&relic, &args.to_string()).await);
        assert!(why.contains(part), "{why}");
    }
    assert_eq!(asked(&relic, json!({"operation": "list"})).await, "[]");
    // No bucket has room for five of these.
    let large = "x".repeat(250 << 10);
    for n in 0.. {
        let args = json!({"key": n.to_string(), "value": large}).to_string();
        if let Err(why) = call(&relic, &args).await {
            assert!(why.to_string().contains("too much space"), "{why}");
            break;
        }
        assert!(n < 256);
    }
}

/// Lets other writers be faster.
fn slow(step: StoreStep) -> BoxFuture<'static, ()> {
    async move {
        if step == StoreStep::AfterGet {
            tokio::task::yield_now().await;
        }
    }
    .boxed()
}
