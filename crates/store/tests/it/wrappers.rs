//! A wrapper around a store loses none of its methods.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Entry, Event};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::{Damage, Report};
use silcrow_store::{Error, Hold, MemoryStore, SharedRuns, Store, Summary, Versioned};

/// A store that records which of its methods are called, with their arguments.
#[derive(Clone, Default)]
pub(crate) struct Noted {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
    /// An event that another writer adds to a conversation right before the next call of `head`.
    pub(crate) added_before_head: Arc<Mutex<Vec<Entry>>>,
}

impl Noted {
    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

impl Store for Noted {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.note(format!("append {conversation} {expected} {}", batch.len()));
        self.store.append(conversation, expected, batch)
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        self.note(format!("read {conversation} {positions:?}"));
        self.store.read(conversation, positions)
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        self.note(format!("head {conversation}"));
        let added = std::mem::take(&mut *self.added_before_head.lock().unwrap());
        Box::pin(async move {
            let head = self.store.head(conversation).await?;
            self.store.append(conversation, head, added).await
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        self.note(format!("follow {conversation} {after}"));
        self.store.follow(conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        self.note(format!("list {user:?}"));
        self.store.list(user)
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        self.note(format!("summary {conversation}"));
        self.store.summary(conversation)
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        self.note(format!("ids_beginning_with {beginning}"));
        self.store.ids_beginning_with(beginning)
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        self.note(format!("get {space} {key}"));
        self.store.get(space, key)
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.note(format!("put {space} {key} {expected} {value:?}"));
        self.store.put(space, key, expected, value)
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        self.note("keys".to_owned());
        self.store.keys()
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.note(format!("delete {conversation} {expected}"));
        self.store.delete(conversation, expected)
    }

    /// Returns a report that reading alone would not find.
    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        self.note("verify".to_owned());
        let report = Report { conversations: 99, ..Report::default() };
        async { Ok(report) }.boxed()
    }

    fn known_damage(&self) -> BoxFuture<'_, Result<Vec<Damage>, Error>> {
        self.note("known_damage".to_owned());
        self.store.known_damage()
    }

    /// Finds nothing, where reading would find an event.
    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        self.note(format!("hold {conversation}"));
        self.store.hold(conversation)
    }

    fn shared_runs(&self) -> &dyn SharedRuns {
        self.note("shared_runs".to_owned());
        self.store.shared_runs()
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        self.note(format!("search {}", query.words));
        async { Ok(Vec::new()) }.boxed()
    }
}

#[tokio::test]
async fn wrappers_forward_every_method() {
    type Wrap = fn(Noted) -> Box<dyn Store>;
    let wrappers: [(&str, Wrap); 5] = [
        ("nothing", |store| Box::new(store)),
        ("a reference", |store| Box::new(&*Box::leak(Box::new(store)))),
        ("Box", |store| Box::new(Box::new(store))),
        ("Arc", |store| Box::new(Arc::new(store))),
        ("Arc of a trait object", |store| Box::new(Arc::new(store) as Arc<dyn Store>)),
    ];
    for (wrapper, wrap) in wrappers {
        let store = Noted::default();
        let wrapped = wrap(store.clone());
        let hello = Entry::from(Event::user("hello"));
        assert_eq!(wrapped.append("c", 0, vec![hello]).await.unwrap(), 1, "{wrapper}");
        assert_eq!(wrapped.read("c", 1..=1).await.unwrap().len(), 1, "{wrapper}");
        assert_eq!(wrapped.head("c").await.unwrap(), 1, "{wrapper}");
        let followed = wrapped.follow("c", 0).next().await.unwrap().unwrap();
        assert_eq!(followed.event, Event::user("hello"), "{wrapper}");
        assert_eq!(wrapped.list(None).await.unwrap().len(), 1, "{wrapper}");
        assert_eq!(wrapped.summary("c").await.unwrap().unwrap().events, 1, "{wrapper}");
        assert_eq!(wrapped.ids_beginning_with("c").await.unwrap(), ["c"], "{wrapper}");
        assert_eq!(wrapped.put("s", "k", 0, vec![7]).await.unwrap(), 1, "{wrapper}");
        assert_eq!(wrapped.get("s", "k").await.unwrap().unwrap().value, [7], "{wrapper}");
        assert_eq!(wrapped.keys().await.unwrap().len(), 1, "{wrapper}");
        assert_eq!(wrapped.verify().await.unwrap().conversations, 99, "{wrapper}");
        assert_eq!(wrapped.known_damage().await.unwrap(), [], "{wrapper}");
        let query = Query { words: "hello".to_owned(), limit: 1, ..Query::default() };
        assert_eq!(wrapped.search(&query).await.unwrap(), [], "{wrapper}");
        wrapped.hold("c").await.unwrap().release().await;
        assert_eq!(wrapped.shared_runs().holder("c").await.unwrap(), None, "{wrapper}");
        wrapped.delete("c", 1).await.unwrap();
        let expected = [
            "append c 0 1",
            "read c 1..=1",
            "head c",
            "follow c 0",
            "list None",
            "summary c",
            "ids_beginning_with c",
            "put s k 0 [7]",
            "get s k",
            "keys",
            "verify",
            "known_damage",
            "search hello",
            "hold c",
            "shared_runs",
            "delete c 1",
        ];
        assert_eq!(*store.calls.lock().unwrap(), expected, "{wrapper}");
    }
}
