//! Checks of `list`.

use std::sync::Arc;

use silcrow_event::{Entry, Event, Timestamp};

use super::sample::{batch, said};
use super::{append, must, must_fail};
use crate::error::ErrorKind;
use crate::store::Store;
use crate::summary::Summary;

pub(super) async fn all(store: Arc<dyn Store>) {
    let list = must("listing an empty store", store.list(None).await);
    assert!(list.is_empty(), "an empty store lists nothing, not {list:?}");

    append(&*store, "first", 0, batch(1..3)).await;
    append(&*store, "second", 0, batch(3..4)).await;
    append(&*store, "third", 0, batch(4..9)).await;
    must_list(&*store, &["third", "second", "first"]).await;
    append(&*store, "first", 2, batch(9..10)).await;
    must_list(&*store, &["first", "third", "second"]).await;
    // Neither of these appends an event.
    append(&*store, "second", 1, vec![]).await;
    store.append("third", 1, batch(0..1)).await.expect_err("the head is another");
    must("reading", store.read("second", 1..=1).await);
    must_list(&*store, &["first", "third", "second"]).await;
    append(&*store, "second", 1, vec![Event::think("no time").into()]).await;
    must_list(&*store, &["second", "first", "third"]).await;

    let time = |number| said(number).timestamp.expect("it has a time");
    let wanted = [
        summary("second", "line 3", 2, time(3), Timestamp::UNIX_EPOCH),
        summary("first", "line 1", 3, time(1), time(9)),
        summary("third", "line 4", 5, time(4), time(8)),
    ];
    let list = must("listing", store.list(None).await);
    for (given, wanted) in list.iter().zip(&wanted) {
        assert_eq!(given, wanted, "a summary differs from what was appended");
    }
}

/// The pages of a list add up to the list, whatever their size.
pub(super) async fn pages(store: Arc<dyn Store>) {
    for (number, conversation) in ["a", "b c", "d", "e", "f"].into_iter().enumerate() {
        let mut batch = batch(number..number + 1);
        batch[0].user = (number != 2).then(|| "ann".to_owned());
        append(&*store, conversation, 0, batch).await;
    }
    append(&*store, "b c", 1, batch(9..10)).await;
    for user in [None, Some("ann"), Some("bob")] {
        let list = must("listing", store.list(user).await);
        for limit in 1..7 {
            let (mut read, mut next) = (Vec::new(), None);
            loop {
                let page = store.list_page(user, next.as_deref(), limit).await;
                let page = must("listing a page", page);
                assert!(page.conversations.len() <= limit, "a page has at most {limit}");
                read.extend(page.conversations);
                next = page.next;
                if next.is_none() {
                    break;
                }
            }
            assert_eq!(read, list, "pages of {limit} for {user:?}");
        }
    }
    let first = must("listing a page", store.list_page(None, None, 2).await);
    append(&*store, "d", 1, batch(11..12)).await;
    let rest = store.list_page(None, first.next.as_deref(), 9).await;
    let rest = must("listing a page", rest).conversations;
    let ids: Vec<_> = rest.iter().map(|one| &*one.conversation).collect();
    assert_eq!(ids, ["e", "a"], "one that has moved to the front does not come again");
    let first = must("listing a page", store.list_page(None, None, 3).await);
    must("deleting", store.delete("f", 1).await);
    let rest = store.list_page(None, first.next.as_deref(), 9).await;
    let rest = must("listing a page", rest).conversations;
    let ids: Vec<_> = rest.iter().map(|one| &*one.conversation).collect();
    assert_eq!(ids, ["e", "a"], "a page begins where one was that is deleted since");
    must_fail("a place that is not one", ErrorKind::Refused, {
        store.list_page(None, Some("nowhere"), 2).await
    });
    for listed in must("listing", store.list(None).await) {
        let one = must("reading a summary", store.summary(&listed.conversation).await);
        assert_eq!(one.as_ref(), Some(&listed), "a summary is what is listed");
    }
    assert_eq!(must("reading a summary", store.summary("b").await), None, "it has no events");
}

pub(super) async fn titles(store: Arc<dyn Store>) {
    let long = "ä".repeat(81);
    let cases: &[(&str, Vec<Event>, &str)] = &[
        ("plain", vec![Event::user("What is here?")], "What is here?"),
        ("lines", vec![Event::user("one\ntwo")], "one"),
        ("crlf", vec![Event::user("one\r\ntwo")], "one"),
        ("blank", vec![Event::user(" \n\n  two \nthree")], "two"),
        ("long", vec![Event::user(long.clone())], &long[..160]),
        ("first", vec![Event::user("one"), Event::user("two")], "one"),
        ("later", vec![Event::think("hm"), Event::user("two")], "two"),
        ("named", vec![Event::user("one"), Event::title("two"), Event::user("three")], "two"),
        ("renamed", vec![Event::title("one"), Event::user("two"), Event::title("3\n4")], "3"),
        ("unnamed", vec![Event::user("one"), Event::title(" \n")], "one"),
        ("named-only", vec![Event::title(" \n one ")], "one"),
        ("nobody", vec![Event::respond("one")], ""),
    ];
    for (conversation, events, wanted) in cases {
        // Each is appended separately, so the title has to survive the appends that follow it.
        for (head, event) in (0..).zip(events) {
            append(&*store, conversation, head, vec![event.clone().into()]).await;
        }
        let title = title(&*store, conversation).await;
        assert_eq!(title, *wanted, "the title of {conversation:?} is {title:?}, not {wanted:?}");
    }
    let batch: Vec<Entry> = vec![Event::think("hm").into(), said(1), said(2)];
    append(&*store, "batch", 0, batch).await;
    let title = title(&*store, "batch").await;
    assert_eq!(title, "line 1", "the title of a batch is its first user event's, not {title:?}");
}

pub(super) async fn folders(store: Arc<dyn Store>) {
    let at = |folder: Option<&str>, event: Event| Entry {
        folder: folder.map(str::to_owned),
        ..event.into()
    };
    let cases = [
        ("none", vec![None, None], None),
        ("first", vec![Some("/a"), None, None], Some("/a")),
        ("moved", vec![Some("/a"), None, Some("/b \u{1b}"), None], Some("/b \u{1b}")),
        ("late", vec![None, Some("/c")], Some("/c")),
    ];
    for (conversation, folders, wanted) in cases {
        for (head, folder) in (0..).zip(folders) {
            let batch = vec![at(folder, Event::user("go")), Event::think("hm").into()];
            append(&*store, conversation, head * 2, batch).await;
        }
        let list = must("listing", store.list(None).await);
        let found = list.into_iter().find(|summary| summary.conversation == conversation);
        let folder = found.expect("a conversation that was appended to is listed").folder;
        assert_eq!(folder.as_deref(), wanted, "the folder of {conversation:?}");
    }
}

async fn title(store: &dyn Store, conversation: &str) -> String {
    let list = must("listing", store.list(None).await);
    let found = list.into_iter().find(|summary| summary.conversation == conversation);
    found.expect("a conversation that was appended to is listed").title
}

async fn must_list(store: &dyn Store, wanted: &[&str]) {
    let list = must("listing", store.list(None).await);
    let given: Vec<_> = list.iter().map(|summary| &*summary.conversation).collect();
    assert_eq!(given, wanted, "the one appended to last comes first: {wanted:?}, not {given:?}");
}

fn summary(
    conversation: &str,
    title: &str,
    events: u64,
    first: Timestamp,
    last: Timestamp,
) -> Summary {
    Summary {
        conversation: conversation.to_owned(),
        title: title.to_owned(),
        user: None,
        folder: None,
        events,
        first,
        last,
    }
}
