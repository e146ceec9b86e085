//! Random schedules of learners, kills and messages: each message is learned exactly once.

use std::collections::BTreeMap;
use std::pin::Pin;

use futures_util::FutureExt as _;
use proptest::prelude::*;
use silcrow_profile::{Error, LearnOptions, LearnOutcome, learn};

use crate::model::{TestAnswer, TestModel};
use crate::stepped::SteppedStore;
use crate::{minute, say, texts};

#[derive(Clone, Debug)]
enum ScheduleStep {
    /// A message in one of the conversations.
    Say(usize),
    /// One of the two learners takes a step, and begins again after its end.
    Poll(usize),
    /// A learner ends without a word, and the claims of all expire.
    Kill(usize),
}

fn step() -> impl Strategy<Value = ScheduleStep> {
    prop_oneof![
        2 => (0..3_usize).prop_map(ScheduleStep::Say),
        12 => (0..2_usize).prop_map(ScheduleStep::Poll),
        1 => (0..2_usize).prop_map(ScheduleStep::Kill),
    ]
}

type Learning<'a> = Pin<Box<dyn Future<Output = Result<LearnOutcome, Error>> + 'a>>;

/// Runs a schedule. Returns the messages, the facts, and the number of requests about each message.
async fn run(
    steps: &[ScheduleStep],
    every: usize,
) -> (Vec<String>, Vec<String>, BTreeMap<String, usize>) {
    let store = SteppedStore::default();
    let model = TestModel::new([TestAnswer::Echo]);
    let options = LearnOptions::new().with_every(every);
    let mut learners: [Option<Learning<'_>>; 2] = [None, None];
    let mut said = Vec::new();
    let mut now = 0;
    for step in steps {
        match *step {
            ScheduleStep::Say(at) if said.len() < 35 => {
                let text = format!("M{}", said.len());
                say(&store.store, &format!("c{at}"), &text).await;
                said.push(text);
            }
            ScheduleStep::Say(_) => {}
            ScheduleStep::Kill(at) => {
                learners[at] = None;
                now += 6;
            }
            ScheduleStep::Poll(at) => {
                let learner = learners[at].get_or_insert_with(|| {
                    Box::pin(learn(&store, &model, None, minute(now), &options))
                });
                if let Some(done) = learner.now_or_never() {
                    done.unwrap();
                    learners[at] = None;
                }
            }
        }
    }
    for learner in learners.into_iter().flatten() {
        learner.await.unwrap();
    }
    let options = LearnOptions::new().with_every(1);
    let last = minute(now + 6);
    while learn(&store, &model, None, last, &options).await.unwrap()
        != (LearnOutcome::TooFew { new: 0 })
    {}
    let mut counts = BTreeMap::new();
    model.asked().concat().into_iter().for_each(|text| *counts.entry(text).or_default() += 1);
    let mut facts = texts(&store).await;
    facts.sort();
    said.sort();
    (said, facts, counts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_message_is_learned_exactly_once(
        steps in proptest::collection::vec(step(), 0..400),
        every in 1..5_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (said, facts, counts) = runtime.block_on(run(&steps, every));
        prop_assert_eq!(&facts, &said);
        let kills = steps.iter().filter(|step| matches!(step, ScheduleStep::Kill(_))).count();
        for (text, count) in counts {
            prop_assert!(count <= 1 + kills, "{text} was asked about {count} times");
        }
    }

    #[test]
    fn each_message_is_sent_once_without_kills(
        steps in proptest::collection::vec(step(), 0..400),
        every in 1..5_usize,
    ) {
        let steps: Vec<_> =
            steps.into_iter().filter(|step| !matches!(step, ScheduleStep::Kill(_))).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (said, facts, counts) = runtime.block_on(run(&steps, every));
        prop_assert_eq!(&facts, &said);
        prop_assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }
}
