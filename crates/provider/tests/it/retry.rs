//! When a model is asked again, and when not: the table of `Retry`.

use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role, Usage};
use silcrow_provider::{
    Attempt, Delta, Error, ErrorKind, FinishReason, Provider as _, Retry, RetryPolicy, RetryWatch,
};

use crate::played::{Connected, Item, Late, Played, ask, connect, done, request, text};

const KINDS: [(ErrorKind, bool); 11] = [
    (ErrorKind::Network, true),
    (ErrorKind::Rate, true),
    (ErrorKind::Overload, true),
    (ErrorKind::Cut, true),
    (ErrorKind::Timeout, false),
    (ErrorKind::Auth, false),
    (ErrorKind::Refused, false),
    (ErrorKind::ContextTooLong, false),
    (ErrorKind::Malformed, false),
    (ErrorKind::ScriptExhausted, false),
    (ErrorKind::Recording, false),
];

fn failed(kind: ErrorKind) -> Vec<Item> {
    vec![Err(Error::new(kind, "no"))]
}

fn waits(kind: ErrorKind, seconds: f64) -> Vec<Item> {
    vec![Err(Error::new(kind, "no").with_retry_after(Duration::from_secs_f64(seconds)))]
}

fn answer() -> Vec<Item> {
    vec![text("a"), text("b"), done()]
}

fn whole() -> Vec<Delta> {
    answer().into_iter().map(Result::unwrap).collect()
}

/// Each pause is at least as long as requested, and at most a quarter of the backoff longer.
#[track_caller]
fn paused(model: &Played, expected: &[(f64, f64)]) {
    let pauses = model.pauses();
    assert_eq!(pauses.len(), expected.len(), "{pauses:?}");
    for (pause, (least, more)) in pauses.iter().zip(expected) {
        // Tokio's clock counts in milliseconds.
        assert!(*pause >= *least && *pause <= least + more + 0.002, "{pauses:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_retryable_errors_are_retried_twice() {
    for (kind, again) in KINDS {
        let model = Played::new([failed(kind), failed(kind), answer()]);
        let (deltas, error) = ask(&Retry::new(model.clone())).await;
        if again {
            assert_eq!((deltas, error.is_none()), (whole(), true), "{kind:?}");
            paused(&model, &[(0.5, 0.125), (1.0, 0.25)]);
            assert!(model.asked.lock().unwrap().iter().all(|(_, asked)| *asked == request()));
        } else {
            assert_eq!(error.unwrap().to_string(), "no");
            assert_eq!((deltas, model.count()), (vec![], 1), "{kind:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn last_error_names_the_number_of_attempts() {
    let model = Played::new([(); 3].map(|()| failed(ErrorKind::Overload)));
    let (deltas, error) = ask(&Retry::new(model.clone())).await;
    let error = error.unwrap();
    assert_eq!((deltas, error.kind(), model.count()), (vec![], ErrorKind::Overload, 3));
    assert_eq!(error.to_string(), "no (asked 3 times)");
}

#[tokio::test(start_paused = true)]
async fn no_retry_happens_after_a_delta() {
    for (kind, _) in KINDS {
        for first in [text("a"), Ok(Delta::Reasoning("r".into()))] {
            let first = first.unwrap();
            let answer = vec![Ok(first.clone()), Err(Error::new(kind, "no"))];
            let model = Played::new([answer]);
            let (deltas, error) = ask(&Retry::new(model.clone())).await;
            assert_eq!((deltas, model.count()), (vec![first], 1));
            assert_eq!(error.unwrap().to_string(), "no");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_up_to_a_minute() {
    let retried = |seconds| async move {
        let model = Played::new([waits(ErrorKind::Rate, seconds), answer()]);
        let (_, error) = ask(&Retry::new(model.clone())).await;
        (model, error)
    };
    for seconds in [0.0, 0.02, 7.0, 60.0] {
        let (model, error) = retried(seconds).await;
        assert!(error.is_none());
        paused(&model, &[(seconds, 0.125)]);
    }
    let (model, error) = retried(60.001).await;
    assert_eq!(error.unwrap().retry_after(), Some(Duration::from_millis(60_001)));
    assert_eq!(model.count(), 1);
    // Advice to wait does not lead to another request if that does not help.
    let model = Played::new([waits(ErrorKind::Refused, 1.0)]);
    ask(&Retry::new(model.clone())).await;
    assert_eq!(model.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn vendor_advice_wins_over_the_error_kind() {
    for (kind, _) in KINDS {
        for again in [false, true] {
            let failed = || vec![Err(Error::new(kind, "no").with_advice(again))];
            let model = Played::new([failed(), answer()]);
            let (_, error) = ask(&Retry::new(model.clone())).await;
            assert_eq!((error.is_none(), model.count()), (again, 1 + usize::from(again)));
            assert!(error.is_none_or(|error| !error.is_retryable()), "{kind:?}");
        }
    }
    // Neither more often than allowed, nor longer than the longest wait, nor after a delta.
    let failed = || Error::new(ErrorKind::Refused, "no").with_advice(true);
    let model = Played::new([(); 3].map(|()| vec![Err(failed())]));
    assert!(ask(&Retry::new(model.clone())).await.1.unwrap().is_retryable());
    assert_eq!(model.count(), 3);
    let model = Played::new([vec![Err(failed().with_retry_after(Duration::from_secs(61)))]]);
    assert_eq!(ask(&Retry::new(model.clone())).await.1.unwrap().to_string(), "no");
    assert_eq!(model.count(), 1);
    let model = Played::new([vec![text("a"), Err(failed())]]);
    assert_eq!(ask(&Retry::new(model.clone())).await.1.unwrap().to_string(), "no");
    assert_eq!(model.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn pauses_double_up_to_configurable_limits() {
    let model = Played::new((0..8).map(|_| failed(ErrorKind::Network)));
    let policy = RetryPolicy::default().with_times(7);
    let (_, error) = ask(&Retry::new(model.clone()).with_policy(policy)).await;
    assert_eq!(error.unwrap().to_string(), "no (asked 8 times)");
    let pauses = [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0].map(|pause| (pause, pause / 4.0));
    paused(&model, &pauses);
    let model = Played::new([failed(ErrorKind::Network)]);
    let policy = RetryPolicy::default().with_times(0);
    ask(&Retry::new(model.clone()).with_policy(policy)).await;
    assert_eq!(model.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn overloaded_server_is_retried_within_policy_patience() {
    let patient = RetryPolicy::default().with_patience(Duration::from_secs(30));
    let model = Played::new([(); 8].map(|()| failed(ErrorKind::Overload)));
    let watch = RetryWatch::new();
    let retry = Retry::new(model.clone()).with_policy(patient).with_watch(watch.clone());
    let asked = tokio::spawn(async move { ask(&retry).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let pause = watch.pause().unwrap();
    assert_eq!((pause.kind, pause.next, pause.most), (ErrorKind::Overload, 2, 8));
    let (_, error) = asked.await.unwrap();
    assert_eq!(error.unwrap().to_string(), "no (asked 8 times)");
    let pauses = [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0].map(|pause| (pause, pause / 4.0));
    paused(&model, &pauses);
    assert_eq!(watch.pause(), None, "the pause is over");
    // Another kind is not a matter of patience.
    let model = Played::new([(); 3].map(|()| failed(ErrorKind::Network)));
    ask(&Retry::new(model.clone()).with_policy(patient)).await;
    assert_eq!(model.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn dropped_pause_is_no_longer_shown() {
    let watch = RetryWatch::new();
    let model = Played::new([waits(ErrorKind::Rate, 14.0), answer()]);
    let mut deltas = Retry::new(model).with_watch(watch.clone()).stream(request());
    let soon = Duration::from_millis(100);
    assert!(tokio::time::timeout(soon, deltas.next()).await.is_err(), "it pauses");
    let pause = watch.pause().unwrap();
    assert_eq!((pause.kind, pause.next, pause.most), (ErrorKind::Rate, 2, 3));
    drop(deltas);
    assert_eq!(watch.pause(), None);
}

#[tokio::test(start_paused = true)]
async fn stream_is_lazy_and_dropping_ends_the_pause() {
    let model = Played::new([failed(ErrorKind::Network), answer()]);
    let mut deltas = Retry::new(model.clone()).stream(request());
    assert_eq!(model.count(), 0);
    let soon = Duration::from_millis(100);
    assert!(tokio::time::timeout(soon, deltas.next()).await.is_err(), "it pauses");
    drop(deltas);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(model.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn empty_and_good_answers_pass_unchanged() {
    let model = Retry::new(Played::new([vec![], vec![Ok(Delta::Done(FinishReason::Length))]]));
    assert_eq!(ask(&model).await.0, []);
    assert_eq!(ask(&model).await.0, [Delta::Done(FinishReason::Length)]);
    assert_eq!(model.name(), "played");
}

#[tokio::test(start_paused = true)]
async fn opening_a_session_is_retried_if_retryable() {
    for (kind, again) in KINDS {
        let model = Played::new([failed(kind), failed(kind), answer()]);
        let opened = connect(&Retry::new(Connected(model.clone()))).await;
        if again {
            assert_eq!(opened.unwrap(), Delta::Text("a".into()));
            paused(&model, &[(0.5, 0.125), (1.0, 0.25)]);
        } else {
            assert_eq!((opened.unwrap_err().kind(), model.count()), (kind, 1));
        }
    }
    let model = Played::new([(); 3].map(|()| failed(ErrorKind::Network)));
    let error = connect(&Retry::new(Connected(model))).await.unwrap_err();
    assert_eq!(error.to_string(), "no (asked 3 times)");
    // After the opening an error is the session's own.
    let late = vec![text("a"), Err(Error::new(ErrorKind::Network, "no"))];
    let model = Played::new([late]);
    let opening = Retry::new(Connected(model.clone())).connect(request()).unwrap();
    let mut session = opening.await.unwrap();
    assert_eq!(session.receive().await.unwrap().unwrap(), Delta::Text("a".into()));
    let error = session.receive().await.unwrap().unwrap_err();
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Network, "no"));
    assert_eq!(model.count(), 1);
}

#[tokio::test]
async fn retry_adds_no_sessions() {
    assert!(Retry::new(Played::new([])).connect(request()).is_none());
}

#[tokio::test(start_paused = true)]
async fn attempts_are_shared_between_session_and_stream() {
    let only = request().with_attempt(Attempt::Only);
    let model = Played::new([failed(ErrorKind::Overload)]);
    let opened = Retry::new(Connected(model.clone())).connect(only).unwrap().await;
    assert_eq!(opened.err().unwrap().to_string(), "no");
    assert_eq!(model.count(), 1);

    let second = request().with_attempt(Attempt::Second);
    let model = Played::new([failed(ErrorKind::Overload), failed(ErrorKind::Overload)]);
    let items: Vec<_> = Retry::new(model.clone()).stream(second).collect().await;
    assert_eq!(items[0].as_ref().unwrap_err().to_string(), "no (asked 3 times)");
    paused(&model, &[(1.0, 0.25)]);
}

#[tokio::test(start_paused = true)]
async fn session_is_retried_before_its_first_delta() {
    // The server takes each question up, and then says no.
    let refused = |kind, bytes| vec![Err(Error::new(kind, "no").with_sent(bytes))];
    let usage = |sent| Ok(Delta::Usage(Usage { sent_bytes: sent, ..Usage::default() }));
    let answer = || vec![text("a"), usage(7), done()];
    for (kind, again) in KINDS {
        let again = again && !matches!(kind, ErrorKind::Network | ErrorKind::Cut);
        let model = Played::new([refused(kind, 5), refused(kind, 5), answer()]);
        let opening = Retry::new(Late(model.clone())).connect(request()).unwrap();
        let mut session = opening.await.unwrap();
        if again {
            assert_eq!(session.receive().await.unwrap().unwrap(), Delta::Text("a".into()));
            assert_eq!(session.receive().await.unwrap().unwrap(), usage(17).unwrap());
            paused(&model, &[(0.5, 0.125), (1.0, 0.25)]);
        } else {
            assert_eq!(session.receive().await.unwrap().unwrap_err().kind(), kind);
            assert_eq!(model.count(), 1);
        }
    }

    // Each answer has its own attempts, and the whole conversation goes to another session.
    let model = Played::new([answer(), failed(ErrorKind::Rate), answer()]);
    let mut session = Retry::new(Late(model.clone())).connect(request()).unwrap().await.unwrap();
    while !matches!(session.receive().await, Some(Ok(Delta::Done(_)))) {}
    let next = [Message::new(Role::User, "more")];
    session.send(&"a".into(), &next).await.unwrap();
    assert_eq!(session.receive().await.unwrap().unwrap(), Delta::Text("a".into()));
    let asked = model.asked.lock().unwrap();
    let roles = |at: usize| asked[at].1.messages.iter().map(|said| said.role).collect::<Vec<_>>();
    assert_eq!(roles(2), [Role::User, Role::Assistant, Role::User]);
}

#[tokio::test(start_paused = true)]
async fn session_retry_pause_is_cancel_safe() {
    let model = Played::new([waits(ErrorKind::Rate, 7.0), answer()]);
    let mut session = Retry::new(Late(model.clone())).connect(request()).unwrap().await.unwrap();
    let item = loop {
        tokio::select! {
            item = session.receive() => break item,
            () = tokio::time::sleep(Duration::from_millis(300)) => {}
        }
    };
    assert_eq!(item.unwrap().unwrap(), Delta::Text("a".into()));
    paused(&model, &[(7.0, 0.125)]);
}
