//! Checks of the owners of conversations.

use std::sync::Arc;

use silcrow_event::{Entry, Event};

use super::{append, must, must_fail};
use crate::error::ErrorKind::Refused;
use crate::search::{Query, SearchedUser};
use crate::store::Store;
use crate::transfer::{Provenance, export, import};

/// Similar names, and conversations of each of them and of no user.
pub(super) async fn apart(store: Arc<dyn Store>) {
    let long = "ü".repeat(128);
    let users = ["ann", "Ann", "an", "ann\n", "\nann", " ann", "ann\0", "§", &long];
    for (number, user) in users.iter().enumerate() {
        append(&*store, &format!("c{number}"), 0, vec![said(Some(user), "a whale")]).await;
    }
    append(&*store, "nobody's", 0, vec![said(None, "a whale")]).await;
    // The first user that an event names is the owner, whichever event it is.
    let late = vec![said(None, "a whale"), said(Some("ann"), "title"), said(Some("Ann"), "x")];
    append(&*store, "late", 0, late).await;
    // The title is empty.
    append(&*store, "untitled", 0, vec![said(Some("ann"), "")]).await;

    let list = async |user| {
        let list = must("listing", store.list(user).await);
        let line = |one: crate::Summary| (one.conversation, one.user);
        list.into_iter().map(line).collect::<Vec<_>>()
    };
    let own = |id: &str, user: &str| (id.to_owned(), Some(user.to_owned()));
    let wanted = [own("untitled", "ann"), own("late", "ann"), own("c0", "ann")];
    assert_eq!(list(Some("ann")).await, wanted, "the conversations of \"ann\"");
    for (number, user) in (0..).zip(users).skip(1) {
        let wanted = [own(&format!("c{number}"), user)];
        assert_eq!(list(Some(user)).await, wanted, "the conversations of {user:?}");
    }
    assert_eq!(list(Some("bob")).await, [], "the conversations of a user who has none");
    let all = list(None).await;
    assert_eq!(all.len(), users.len() + 3, "without a user all conversations are listed");
    assert!(all.contains(&("nobody's".to_owned(), None)), "one names no user");
    let titles = must("listing", store.list(None).await);
    for one in titles {
        let wanted = if one.conversation == "untitled" { "" } else { "a whale" };
        assert_eq!(one.title, wanted, "the title of {:?}", one.conversation);
    }

    let mut out = Vec::new();
    must("exporting", export(&*store, None, &mut out).await);
    let head = must("asking for the head", store.head("late").await);
    must("deleting", store.delete("late", head).await);
    must("importing", import(&*store, &mut &*out, Provenance::Own).await);
    let list: Vec<_> = list(Some("ann")).await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(list, ["late", "untitled", "c0"], "an import keeps whose a conversation is");
}

/// A search for a user finds only conversations of that user, without the searching conversation
/// and the ones that its calls opened.
pub(super) async fn found(store: Arc<dyn Store>) {
    let ids = ["c1", "c1/2/a1", "c1/2/a1/1/b", "c10", "c", "d"];
    for id in ids {
        append(&*store, id, 0, vec![said(Some("ann"), "whales")]).await;
    }
    append(&*store, "e", 0, vec![said(Some("bob"), "whales")]).await;
    append(&*store, "f", 0, vec![said(None, "whales")]).await;
    let one = |user: &str| SearchedUser::One(user.to_owned());
    let found = async |user: SearchedUser, except: Option<&str>| {
        let except = except.map(str::to_owned);
        let query = Query { words: "whale".to_owned(), except, user, limit: 99 };
        let hits = must("searching", store.search(&query).await);
        let mut found: Vec<_> = hits.into_iter().map(|hit| hit.conversation).collect();
        found.sort();
        found
    };
    assert_eq!(found(one("bob"), None).await, ["e"], "a search for \"bob\"");
    assert_eq!(
        found(one("bob"), Some("e")).await.len(),
        0,
        "a search that leaves out all there is"
    );
    let others = found(one("ann"), Some("c1")).await;
    assert_eq!(
        others,
        ["c", "c10", "d"],
        "a search for \"ann\" in \"c1\" leaves out what \"c1\" ran"
    );
    let others = found(one("ann"), Some("c1/2/a1")).await;
    assert_eq!(others, ["c", "c1", "c10", "d"], "a search for \"ann\" in \"c1/2/a1\"");
    assert_eq!(found(SearchedUser::Any, None).await.len(), 8, "a search for all users");
    assert_eq!(
        found(SearchedUser::Nobody, None).await,
        ["f"],
        "a search in the conversations without a user"
    );
}

pub(super) async fn limits(store: Arc<dyn Store>) {
    let (long, longest) = ("n".repeat(257), "n".repeat(256));
    for user in ["", &long] {
        let what = |verb: &str| format!("{verb} for a user whose name is {} bytes", user.len());
        let batch = vec![said(None, "x"), said(Some(user), "x")];
        must_fail(&what("append"), Refused, store.append("c", 0, batch).await);
        must_fail(&what("list"), Refused, store.list(Some(user)).await);
        let query = Query { user: SearchedUser::One(user.to_owned()), ..Query::default() };
        must_fail(&what("search"), Refused, store.search(&query).await);
    }
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "refused names must leave nothing, but there is {list:?}");
    append(&*store, "c", 0, vec![said(Some(&longest), &"ü".repeat(200))]).await;
    let list = must("listing", store.list(Some(&longest)).await);
    assert_eq!(list[0].title, "ü".repeat(80), "beside the longest name there is the longest title");
}

fn said(user: Option<&str>, content: &str) -> Entry {
    Entry { user: user.map(str::to_owned), ..Event::user(content).into() }
}
