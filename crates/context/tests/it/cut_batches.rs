//! No window cuts a batch: for any part of a log that a summary replaces, the calls of a batch are
//! sent together and with all of their results, or none of them is.

use proptest::prelude::*;
use silcrow_context::{
    CompactedHistory, CompactionOptions, ContextAssembler, ContextCompaction, ContextInput,
    ModelLimits,
};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event, Message, Role, SummaryAuthor};
use silcrow_parser::Dialect;

use crate::compacted::{numbered, tokens, with_summary};

/// A turn: the bytes of each result, the order in which the results arrive, and an event between
/// them.
#[derive(Clone, Debug)]
struct BatchTurn {
    sizes: Vec<usize>,
    is_reversed: bool,
    beside: Option<Event>,
    asks: bool,
}

fn turn() -> impl Strategy<Value = BatchTurn> {
    let beside = prop::option::of(prop::sample::select(vec![
        Event::steer("be quick"),
        Event::title("seals"),
        Event::Notice { content: "[Mind the walruses.]".to_owned() },
    ]));
    let sizes = prop::collection::vec(0_usize..2000, 1..5);
    (sizes, any::<bool>(), beside, any::<bool>()).prop_map(|(sizes, is_reversed, beside, asks)| {
        BatchTurn { sizes, is_reversed, beside, asks }
    })
}

/// Returns a log of turns. Each call and each result names its turn and its place.
fn log(turns: &[BatchTurn]) -> Vec<Entry> {
    let mut log = Vec::new();
    for (turn, batch) in (1..).zip(turns) {
        let mut push = |event: Event| log.push(Entry { turn: Some(turn), ..event.into() });
        if turn == 1 || batch.asks {
            push(Event::user(format!("prompt {turn}")));
        }
        push(Event::think("thought"));
        let count = batch.sizes.len();
        for place in 0..count {
            let args = format!(r#"{{"name": "read", "args": {{"file": "call-{turn}-{place};"}}}}"#);
            push(Event::Call(Call::parse(format!("a{place}"), &args).unwrap()));
        }
        for (index, size) in batch.sizes.iter().enumerate() {
            let place = if batch.is_reversed { count - 1 - index } else { index };
            let (id, summary) = (format!("a{place}"), format!("result-{turn}-{place};"));
            push(Event::Result(CallResult::success(&id, "read", summary, "x".repeat(*size))));
            if index == 0 {
                batch.beside.clone().into_iter().for_each(&mut push);
            }
        }
    }
    numbered(log)
}

/// Asserts that each batch is in the messages as a whole or not at all, and returns how many are.
fn assert_whole(messages: &[Message], turns: &[BatchTurn]) -> usize {
    let mut kept = 0;
    for (turn, batch) in (1..).zip(turns) {
        let places = |word: &str| -> Vec<usize> {
            let words = (0..batch.sizes.len()).map(|place| format!("{word}-{turn}-{place};"));
            let found = words.flat_map(|word| {
                let has = move |(_, message): &(usize, &Message)| message.text().contains(&word);
                messages.iter().enumerate().filter(has).map(|(index, _)| index).collect::<Vec<_>>()
            });
            found.collect()
        };
        let (calls, results) = (places("call"), places("result"));
        let Some(&at) = calls.first() else {
            assert!(results.is_empty(), "turn {turn}: results without their calls: {messages:?}");
            continue;
        };
        kept += 1;
        assert_eq!(messages[at].role, Role::Assistant);
        assert_eq!(calls, vec![at; batch.sizes.len()], "turn {turn}: {messages:?}");
        assert_eq!(results, vec![at + 1; batch.sizes.len()], "turn {turn}: {messages:?}");
    }
    kept
}

fn input(log: &[Entry], dialect: Dialect) -> ContextInput<'_> {
    ContextInput::new(log, dialect).with_system("You help.")
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(vec![Dialect::Sigil, Dialect::Phase])
}

proptest! {
    #[test]
    fn summary_never_splits_a_batch(
        turns in prop::collection::vec(turn(), 1..8),
        until in 0_u64..70,
        shortened in 0_u64..70,
        dialect in dialect(),
    ) {
        let log = log(&turns);
        let all = assert_whole(&CompactedHistory.assemble(&input(&log, dialect)), &turns);
        prop_assert_eq!(all, turns.len());
        let author = SummaryAuthor::Model;
        let summary = ContextSummary { content: "notes".to_owned(), until, shortened, author, ..Default::default() };
        let log = with_summary(log, summary);
        assert_whole(&CompactedHistory.assemble(&input(&log, dialect)), &turns);
    }

    #[test]
    fn small_window_never_splits_a_batch(
        turns in prop::collection::vec(turn(), 2..12),
        window in 100_u64..6000,
        keep in 0_u8..60,
        dialect in dialect(),
    ) {
        let mut log = log(&turns);
        let limits = ModelLimits::default().with_context(window);
        let options = CompactionOptions::default().with_keep(keep);
        for _ in 0..6 {
            let input = input(&log, dialect).with_limits(limits);
            let summary = match CompactedHistory.compact(&input, options, &tokens) {
                Some(ContextCompaction::Shorten(summary)) => summary,
                Some(ContextCompaction::Summarize(task)) => ContextSummary {
                    // The calls that were made are named in the notes, and not sent as calls.
                    content: "notes".to_owned(),
                    ..task.summary("notes")
                },
                _ => break,
            };
            log = with_summary(log, summary);
            let input = self::input(&log, dialect).with_limits(limits);
            let kept = assert_whole(&CompactedHistory.assemble(&input), &turns);
            // The newest turn stays.
            prop_assert!(kept > 0);
        }
    }
}
