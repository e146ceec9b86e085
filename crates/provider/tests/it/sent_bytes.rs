//! Bytes of requests are counted, whatever happens to the answer.

use futures_util::{StreamExt as _, stream};
use silcrow_event::Usage;
use silcrow_provider::{Delta, Error, ErrorKind, KeyRotation, Provider, Retry, add_sent_bytes};

use crate::played::{Item, Played, ask, done, text};

fn usage(input: u64, sent: u64) -> Item {
    Ok(Delta::Usage(Usage { input, sent_bytes: sent, ..Usage::default() }))
}

fn failed(kind: ErrorKind, bytes: u64) -> Vec<Item> {
    vec![Err(Error::new(kind, "no").with_sent(bytes))]
}

fn text_then(mut items: Vec<Item>) -> Vec<Item> {
    items.insert(0, text("a"));
    items
}

/// Each item in short: a usage as its tokens and bytes, an error as its bytes.
async fn counted(items: Vec<Item>) -> Vec<String> {
    add_sent_bytes(Box::pin(stream::iter(items)), 10).map(|item| shown(&item)).collect().await
}

fn shown(item: &Item) -> String {
    match item {
        Ok(Delta::Usage(usage)) => format!("{}+{}", usage.input, usage.sent_bytes),
        Ok(Delta::Text(text)) => text.clone(),
        Ok(_) => "done".to_owned(),
        Err(error) => format!("no+{}", error.sent()),
    }
}

#[tokio::test]
async fn bytes_are_reported_once_per_answer() {
    for (items, expected) in [
        (vec![text("a"), done()], &["a", "0+10", "done"][..]),
        (vec![done()], &["0+10", "done"]),
        (vec![text("a"), usage(7, 0), done()], &["a", "7+10", "done"]),
        (
            vec![text("a"), usage(0, 5), text("b"), usage(7, 5), done()],
            &["a", "0+15", "b", "7+15", "done"],
        ),
        (failed(ErrorKind::Overload, 5), &["no+15"]),
        (failed(ErrorKind::Network, 0), &["no+0"]),
        (text_then(failed(ErrorKind::Cut, 0)), &["a", "0+10", "no+0"]),
    ] {
        assert_eq!(counted(items).await, expected);
    }
}

/// Returns the bytes that an answer and its error report, added up.
async fn bytes(model: &dyn Provider) -> u64 {
    let (deltas, error) = ask(model).await;
    let usage = deltas.iter().rev().find_map(|delta| match delta {
        Delta::Usage(usage) => Some(usage.sent_bytes),
        _ => None,
    });
    usage.unwrap_or_default() + error.map(|error| error.sent()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn requests_that_failed_count_as_well() {
    use ErrorKind::{Auth, Network, Overload, Rate, Refused};
    let answer = || vec![text("a"), usage(7, 10), done()];
    let bare = || vec![text("a"), done()];
    for (answers, expected) in [
        (vec![failed(Overload, 10), failed(Network, 0), answer()], 20),
        (vec![failed(Overload, 10), bare()], 10),
        (vec![failed(Overload, 10), failed(Refused, 10)], 20),
        (vec![failed(Overload, 10), failed(Overload, 10), failed(Network, 0)], 20),
    ] {
        assert_eq!(bytes(&Retry::new(Played::new(answers))).await, expected);
    }
    for (answers, expected) in [
        ([failed(Rate, 10), failed(Auth, 10), answer()], 30),
        ([failed(Rate, 10), failed(Auth, 10), failed(Rate, 10)], 30),
        ([failed(Rate, 10), failed(Auth, 10), failed(Network, 0)], 20),
    ] {
        let [first, others @ ..] = answers.map(|answer| Played::new([answer]));
        assert_eq!(bytes(&KeyRotation::new(first, others)).await, expected);
    }
}
