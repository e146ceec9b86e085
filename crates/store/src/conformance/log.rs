//! Checks of `append`, `read` and `head`.

use std::sync::Arc;

use silcrow_event as event;
use silcrow_event::Event;

use super::sample::{batch, every_kind, said};
use super::{append, must, must_fail, must_hold};
use crate::error::ErrorKind;
use crate::store::Store;

pub(super) async fn compare(store: Arc<dyn Store>) {
    let head = must("asking for the head of nothing", store.head("c").await);
    assert_eq!(head, 0, "the head of an unknown conversation is 0, not {head}");
    must_fail("an append after a head that is not", ErrorKind::Conflict, {
        store.append("c", 1, batch(0..1)).await
    });
    must_hold(&*store, "c", &[]).await;

    let mut kept = append(&*store, "c", 0, batch(0..2)).await;
    for wrong in [0, 1, 3, u64::MAX] {
        let what = format!("an append that expects the head {wrong} where it is 2");
        must_fail(&what, ErrorKind::Conflict, store.append("c", wrong, batch(7..9)).await);
        must_hold(&*store, "c", &kept).await;
    }
    kept.extend(append(&*store, "c", 2, batch(2..3)).await);
    must_hold(&*store, "c", &kept).await;
}

pub(super) async fn whole(store: Arc<dyn Store>) {
    let mut kept = append(&*store, "c", 0, batch(0..5)).await;
    must_hold(&*store, "c", &kept).await;
    must_fail("an append in conflict", ErrorKind::Conflict, {
        store.append("c", 4, batch(10..40)).await
    });
    must_hold(&*store, "c", &kept).await;
    kept.extend(append(&*store, "c", 5, batch(5..105)).await);
    must_hold(&*store, "c", &kept).await;
}

pub(super) async fn positions(store: Arc<dyn Store>) {
    // A position that the caller has set is ignored.
    let wrong = |number| event::Entry { seq: Some(99), ..said(number) };
    append(&*store, "c", 0, vec![wrong(0), said(1), wrong(2)]).await;
    append(&*store, "c", 3, vec![wrong(3)]).await;
    let entries = must("reading", store.read("c", 1..=4).await);
    let given: Vec<_> = entries.iter().map(|entry| entry.seq).collect();
    let wanted = [Some(1), Some(2), Some(3), Some(4)];
    assert_eq!(given, wanted, "entries have the positions {wanted:?} as `seq`, not {given:?}");
}

pub(super) async fn nothing(store: Arc<dyn Store>) {
    append(&*store, "c", 0, vec![]).await;
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "an append of nothing must make no conversation, but made {list:?}");

    let kept = append(&*store, "c", 0, batch(0..3)).await;
    append(&*store, "c", 3, vec![]).await;
    must_fail("an append of nothing that expects another head", ErrorKind::Conflict, {
        store.append("c", 2, vec![]).await
    });
    must_hold(&*store, "c", &kept).await;
}

pub(super) async fn unstored(store: Arc<dyn Store>) {
    let kept = append(&*store, "c", 0, batch(0..2)).await;
    let metric = event::Metric::new(event::Usage::default(), event::Usage::default());
    let fault = event::ErrorEvent {
        code: "cut".to_owned(),
        content: "the answer was cut".to_owned(),
        origin: event::ErrorOrigin::Provider,
        retry: true,
        at: None,
    };
    let progress = event::Progress {
        id: "a1".to_owned(),
        channel: "stdout".to_owned(),
        n: 0,
        content: "half".to_owned(),
    };
    let unstored = [
        Event::Execute,
        Event::End,
        Event::Metric(metric),
        Event::Error(fault),
        Event::Interrupt { reason: "Ctrl-C".to_owned() },
        Event::Progress(progress),
        Event::Changes(event::CallChanges { id: "a1".to_owned(), files: Vec::new() }),
    ];
    for event in unstored {
        let what = format!("appending a batch with an event `{}`", event.type_name());
        let batch = vec![said(2), event.into(), said(3)];
        must_fail(&what, ErrorKind::Refused, store.append("c", 2, batch).await);
        must_hold(&*store, "c", &kept).await;
    }
}

pub(super) async fn ranges(store: Arc<dyn Store>) {
    let kept = append(&*store, "c", 0, batch(0..10)).await;
    let max = u64::MAX;
    let ranges = [
        (1, 10, 0..10),
        (1, 1, 0..1),
        (10, 10, 9..10),
        (3, 7, 2..7),
        // Position 0 does not exist.
        (0, 2, 0..2),
        (0, 0, 0..0),
        (8, 12, 7..10),
        (0, max, 0..10),
        (10, max, 9..10),
        (11, 20, 0..0),
        (max, max, 0..0),
        (7, 3, 0..0),
        (max, 0, 0..0),
    ];
    for (first, last, wanted) in ranges {
        let what = format!("reading {first} to {last} of 10");
        let read = must(&what, store.read("c", first..=last).await);
        let (given, wanted) = (read.len(), &kept[wanted]);
        assert!(read == wanted, "{what} must give {} entries, but gave {given}", wanted.len());
    }
    let read = must("reading an unknown conversation", store.read("d", 0..=max).await);
    assert!(read.is_empty(), "an unknown conversation holds nothing, but gave {read:?}");
}

pub(super) async fn exact(store: Arc<dyn Store>) {
    let one = append(&*store, "one batch", 0, every_kind()).await;
    must_hold(&*store, "one batch", &one).await;
    for (position, entry) in (0..).zip(every_kind()) {
        append(&*store, "one by one", position, vec![entry]).await;
    }
    must_hold(&*store, "one by one", &one).await;
    for entry in &one {
        let seq = entry.seq.expect("it is placed");
        let read = must("reading one entry", store.read("one batch", seq..=seq).await);
        super::must_equal(&read, std::slice::from_ref(entry));
    }
}

pub(super) async fn big(store: Arc<dyn Store>) {
    let mut kept = Vec::new();
    for size in [0, 1, 1_000, 4_096, 65_535, 65_536, 65_537, 300_000, 1 << 20] {
        // All pieces differ, so pieces in another order are noticed.
        let content: String = (0_usize..)
            .flat_map(|n| format!("{n:x} ").into_bytes())
            .map(char::from)
            .take(size)
            .collect();
        let batch = vec![said(1), Event::respond(content).into(), said(2)];
        kept.extend(append(&*store, "c", kept.len() as u64, batch).await);
    }
    must_hold(&*store, "c", &kept).await;
}
