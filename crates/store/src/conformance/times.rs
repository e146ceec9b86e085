//! Checks with clocks that jump: times are data, and they neither order nor identify anything.

use std::sync::Arc;

use silcrow_event::{Entry, Event, Timestamp};

use super::{append, must, must_hold, placed};
use crate::error::ErrorKind;
use crate::search::Query;
use crate::store::Store;
use crate::transfer::{Provenance, export, import};
use crate::verify::Report;

pub(super) async fn jump(store: Arc<dyn Store>) {
    // The times go back a day, before 1970, and to both ends; one is not known.
    let times = [
        Some(1_800_000_000_000_000_000),
        Some(1_799_913_600_000_000_000),
        None,
        Some(-1_000_000_000_000_000),
        Some(i64::MAX),
        Some(i64::MIN),
        Some(1),
        Some(-1),
        Some(0),
        Some(1_700_000_000_000_000_000),
    ]
    .map(|nanos| nanos.map(Timestamp::from_nanos));
    let mut logs = vec![Vec::new(); LOGS.len()];
    for (number, time) in times.into_iter().enumerate() {
        for (shift, (log, id)) in logs.iter_mut().zip(LOGS).enumerate() {
            let time = if shift == 0 { time } else { times[times.len() - 1 - number] };
            let said = Event::user(format!("whale {number} of {id}"));
            let entry = Entry { timestamp: time, ..said.into() };
            must("appending", store.append(id, number as u64, vec![entry.clone()]).await);
            log.extend(placed(number as u64, vec![entry]));
        }
    }
    must_be(&*store, &logs).await;
    let mut out = Vec::new();
    must("exporting", export(&*store, None, &mut out).await);
    for id in LOGS {
        must("deleting", store.delete(id, times.len() as u64).await);
    }
    must("importing", import(&*store, &mut &*out, Provenance::Own).await);
    must_be(&*store, &logs).await;

    // The head is compared, and no time.
    let ended = store.append(LOGS[0], 3, vec![logs[0][0].clone()]).await;
    super::must_fail("an append at an old head", ErrorKind::Conflict, ended);
    append(&*store, LOGS[0], times.len() as u64, vec![Event::user("later").into()]).await;
}

/// Other programs may write any number as a time. A number that is out of the range of
/// [`Timestamp`] is read as no time, and everything else of the entry is kept.
pub(super) async fn foreign(store: Arc<dyn Store>) {
    let numbers = [
        ("1e999", None),
        ("-1e300", None),
        ("9223372036.854775808", None),
        ("9223372036.854775807", Some(i64::MAX)),
        ("-0.0", Some(0)),
        ("17e8", Some(1_700_000_000_000_000_000)),
        ("1700000000.12345678949", Some(1_700_000_000_123_456_789)),
        ("\"noon\"", None),
    ];
    let mut lines = "{\"silcrow\":\"export 1\"}\n".to_owned();
    for (number, _) in numbers {
        lines += &format!(
            "{{\"conversation\":\"c\",\"event\":{{\"type\":\"user\",\"content\":\"hi\",\"timestamp\":{number}}}}}\n"
        );
    }
    must("importing odd times", import(&*store, &mut lines.as_bytes(), Provenance::Own).await);
    let time = |nanos: Option<i64>| nanos.map(Timestamp::from_nanos);
    let said = |&(_, nanos)| Entry { timestamp: time(nanos), ..Event::user("hi").into() };
    must_hold(&*store, "c", &placed(0, numbers.iter().map(said).collect())).await;
}

const LOGS: [&str; 2] = ["there", "back"];

async fn must_be(store: &dyn Store, logs: &[Vec<Entry>]) {
    for (id, log) in LOGS.into_iter().zip(logs) {
        must_hold(store, id, log).await;
    }
    let list = must("listing", store.list(None).await);
    let order: Vec<_> = list.iter().map(|one| &*one.conversation).collect();
    assert_eq!(order, ["back", "there"], "the one appended to last comes first, at whatever time");
    for (one, log) in list.iter().rev().zip(logs) {
        let ends = [&log[0], &log[log.len() - 1]].map(|entry| entry.timestamp.unwrap_or_default());
        assert_eq!([one.first, one.last], ends, "the times of {:?}", one.conversation);
    }
    let events = logs.iter().map(Vec::len).sum::<usize>();
    let wanted =
        Report { conversations: logs.len() as u64, events: events as u64, ..Report::default() };
    assert_eq!(must("verifying", store.verify().await), wanted, "nothing is damaged");
    let query = Query { words: "whale".to_owned(), limit: 99, ..Query::default() };
    let hits = must("searching", store.search(&query).await);
    assert_eq!(hits.len(), events, "a search finds events of all times");
    let times: Vec<_> = hits.iter().map(|hit| hit.entry.timestamp.unwrap_or_default()).collect();
    assert!(
        times.is_sorted_by(|one, next| one >= next),
        "those with the highest times come first: {times:?}"
    );
}
