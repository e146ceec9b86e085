//! Checks of pictures, documents and sounds beside the log.

use std::sync::Arc;

use silcrow_event::{Content, ContentPart, Entry, Event, MediaRef};

use super::must;
use crate::fork::Fork;
use crate::store::Store;
use crate::transfer::{Provenance, export, import};
use crate::{media, spaces};

fn picture(shade: u8, size: usize) -> MediaRef {
    let name = format!("{shade}.png");
    MediaRef::new("image/png", vec![shade; size]).with_name(name).with_size(10, 10)
}

/// Stores a message with a picture, as an agent does.
async fn say(store: &dyn Store, conversation: &str, picture: MediaRef) -> MediaRef {
    let mut event = Event::user(Content::from(ContentPart::Media(Box::new(picture))));
    must("keeping a picture", media::keep_all(store, conversation, &mut event).await);
    let Event::User { content, .. } = &event else { panic!("a message stays a message") };
    let Some(kept) = content.media().next().cloned() else { panic!("the picture is gone") };
    let head = must("asking for the head", store.head(conversation).await);
    must("appending", store.append(conversation, head, vec![event.into()]).await);
    kept
}

async fn must_have(store: &dyn Store, conversation: &str, picture: &MediaRef) {
    let read = must("reading a picture", media::read(store, conversation, picture).await);
    let Some(read) = read else { panic!("{} of {conversation} is lost", picture.line()) };
    assert!(media::hash_of(&read) == picture.hash, "{} has other bytes", picture.line());
}

pub(super) async fn numbers(store: Arc<dyn Store>) {
    let big = say(&*store, "c", picture(1, 3 << 20)).await;
    let small = say(&*store, "c", picture(2, 1)).await;
    let again = say(&*store, "c", picture(1, 3 << 20)).await;
    let of_other = say(&*store, "other", picture(2, 1)).await;
    assert_eq!(
        [big.number, small.number, again.number, of_other.number].map(Option::unwrap_or_default),
        [1, 2, 1, 1]
    );
    for kept in [&big, &small, &again] {
        must_have(&*store, "c", kept).await;
    }
    let of_c = must("reading", media::read(&*store, "other", &big).await);
    assert!(of_c.is_none(), "a conversation reads the picture of another one by its hash");
    let list = must("listing", media::list(&*store, "c").await);
    assert_eq!(list.len(), 2, "the same picture was kept twice");
    let events = must("reading", store.read("c", 1..=3).await);
    let named: Vec<_> = media::named(&events).map(|medium| medium.number).collect();
    assert_eq!(named, [Some(1), Some(2), Some(1)], "events name other pictures than were stored");
}

pub(super) async fn forks(store: Arc<dyn Store>) {
    let first = say(&*store, "c", picture(1, 100)).await;
    let second = say(&*store, "c", picture(2, 100)).await;
    let fork = must("reading a fork", Fork::read(&*store, "c", 1).await);
    must("beginning a fork", fork.begin(&*store, "f").await);
    let head = must("asking for the head", store.head("c").await);
    must("deleting the original", store.delete("c", head).await);
    must_have(&*store, "f", &first).await;
    for (conversation, picture) in [("f", &second), ("c", &first)] {
        let gone = must("reading", media::read(&*store, conversation, picture).await);
        assert!(gone.is_none(), "{conversation} has a picture that it does not name");
    }
    // The next one does not take the number of another one.
    let third = say(&*store, "f", picture(3, 100)).await;
    assert_eq!(third.number, Some(3));
}

pub(super) async fn sweeps(store: Arc<dyn Store>) {
    let kept = say(&*store, "c", picture(1, 100)).await;
    // The process ended before the event was stored.
    let lost = must("keeping", media::keep(&*store, "c", picture(2, 50)).await);
    let swept = must("sweeping", media::sweep(&*store, "c").await);
    assert_eq!(swept, 50, "what no event names is swept");
    assert_eq!(must("sweeping again", media::sweep(&*store, "c").await), 0);
    must_have(&*store, "c", &kept).await;
    assert!(must("reading", media::read(&*store, "c", &lost).await).is_none());
    // The same picture comes again, and keeps its number.
    let again = say(&*store, "c", picture(2, 50)).await;
    assert_eq!(again.number, Some(2));
    must_have(&*store, "c", &again).await;
    // The process ended before the list had a line for the bytes.
    let (space, key) = (spaces::media("c"), format!("sha256:{}", "0".repeat(64)));
    must("putting", store.put(&space, &key, 0, vec![1; 30]).await);
    assert_eq!(must("sweeping all", media::sweep_all(&*store).await), 30);
    assert_eq!(must("sweeping", media::sweep(&*store, "c").await), 0);
    must_have(&*store, "c", &kept).await;
}

pub(super) async fn transfers(store: Arc<dyn Store>) {
    let first = say(&*store, "c", picture(1, 5000)).await;
    let mut exported = Vec::new();
    must("exporting", export(&*store, Some("c"), &mut exported).await);
    let head = must("asking for the head", store.head("c").await);
    let before: Vec<Entry> = must("reading", store.read("c", 1..=head).await);
    must("deleting", store.delete("c", head).await);
    let gone = must("reading", media::read(&*store, "c", &first).await);
    assert!(gone.is_none(), "the picture of a deleted conversation is still there");
    // Also an export from elsewhere has its pictures.
    must("importing", import(&*store, &mut &*exported, Provenance::Foreign).await);
    must_have(&*store, "c", &first).await;
    assert_eq!(must("reading", store.read("c", 1..=head).await), before);
    assert_eq!(must("listing", media::list(&*store, "c").await).len(), 1);
}
