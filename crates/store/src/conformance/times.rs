//! Checks with clocks that jump: times are data, and they neither order nor identify anything.

use std::sync::Arc;

use silcrow_event::{Entry, Event};

use super::{append, must, must_hold, placed};
use crate::error::ErrorKind;
use crate::search::Query;
use crate::store::Store;
use crate::transfer::{Provenance, export, import};
use crate::verify::Report;

pub(super) async fn jump(store: Arc<dyn Store>) {
    // The times go back a day, back before 1970, and ahead to the largest number; the last is not a
    // number.
    let times = [
        1.8e9,
        1.8e9 - 86_400.0,
        f64::NAN,
        -1e12,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        -0.0,
        1.7e9,
    ];
    let mut logs = vec![Vec::new(); LOGS.len()];
    for (number, time) in times.into_iter().enumerate() {
        for (shift, (log, id)) in logs.iter_mut().zip(LOGS).enumerate() {
            let time = if shift == 0 { time } else { times[times.len() - 1 - number] };
            let said = Event::user(format!("whale {number} of {id}"));
            let entry = Entry { timestamp: Some(time), ..said.into() };
            must("appending", store.append(id, number as u64, vec![entry.clone()]).await);
            // A time that JSON has no number for is removed.
            let timestamp = entry.timestamp.filter(|time| time.is_finite());
            log.extend(placed(number as u64, vec![Entry { timestamp, ..entry }]));
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
    let falls = times.windows(2).all(|two| two[0].total_cmp(&two[1]).is_ge());
    assert!(falls, "those with the highest times come first: {times:?}");
}
