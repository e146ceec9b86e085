//! The law of the entries that a context needs: other entries change no message.

use proptest::prelude::*;
use silcrow_context::{
    CompactedHistory, ContextAssembler as _, ContextInput, FullHistory, NeededEntries,
};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event, Timestamp};
use silcrow_parser::Dialect;

use crate::compacted::{numbered, talk, with_summary};
use crate::laws::{event, options};

/// An entry of the turn before, or of the next one.
fn step() -> impl Strategy<Value = (Event, bool)> {
    let background = r#"{"name": "line", "args": {}}"#;
    let of_person = prop_oneof![
        Just(Event::user("a prompt")),
        Just(Event::steer("and this")),
        Just(Event::respond("an answer")),
        Just(Event::Call(Call::parse("b1", background).unwrap())),
        Just(Event::Result(CallResult::success("b1", "line", "", "text"))),
    ];
    let summary = (0_u64..40, 0_u64..40).prop_map(|(until, shortened)| {
        let content = format!("notes up to {until}");
        Event::Summary(ContextSummary { content, until, shortened, ..ContextSummary::default() })
    });
    let event = prop_oneof![4 => event(), 4 => of_person, 1 => summary];
    (event, any::<bool>())
}

/// Generates logs of turns that follow each other, with summaries anywhere.
fn log() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(step(), 0..50).prop_map(|steps| {
        let mut turn = 1;
        let entries = steps.into_iter().enumerate().map(|(index, (event, is_next))| {
            turn += u32::from(is_next);
            let timestamp = Some(Timestamp::from_nanos(index as i64 * 1_000));
            Entry { turn: Some(turn), timestamp, ..event.into() }
        });
        numbered(entries.collect())
    })
}

/// Returns the needed entries of a log, if they are enough.
fn rest(log: &[Entry], needed: &NeededEntries) -> Option<Vec<Entry>> {
    let rest = &log[needed.from as usize - 1..];
    let single = needed.single.iter().map(|seq| log[*seq as usize - 1].clone());
    needed.suffice_with(rest).then(|| single.chain(rest.iter().cloned()).collect())
}

proptest! {
    #[test]
    fn unneeded_entries_change_no_message(
        log in log(), known in 0_usize..50, options in options(), marks in any::<bool>(),
    ) {
        let Some(needed) = CompactedHistory.needed(&log[..known.min(log.len())]) else {
            return Ok(());
        };
        for end in known..=log.len() {
            let Some(rest) = rest(&log[..end], &needed) else { continue };
            let input = |log| ContextInput::new(log, options).with_data_marks(marks);
            let messages = CompactedHistory.assemble(&input(&rest));
            prop_assert_eq!(messages, CompactedHistory.assemble(&input(&log[..end])));
        }
    }
}

fn summary(until: u64) -> ContextSummary {
    ContextSummary { content: "notes".to_owned(), until, ..ContextSummary::default() }
}

#[test]
fn summary_keeps_first_prompt_and_newest_turns() {
    let log = with_summary(talk(20, 40), summary(90));
    let needed = CompactedHistory.needed(&log).unwrap();
    // The answer to the last prompt that is replaced says that the prompt is not open.
    assert_eq!((&*needed.single, needed.from), (&[1, 86, 90][..], 91));
    assert_eq!(rest(&log, &needed).unwrap().len(), 3 + 11);
    assert_eq!(FullHistory.needed(&log), None);
    assert_eq!(CompactedHistory.needed(&talk(20, 40)), None);
}

#[test]
fn withdrawn_summary_needs_the_whole_log() {
    let log = with_summary(talk(20, 40), summary(90));
    let needed = CompactedHistory.needed(&log).unwrap();
    for until in [0, 80] {
        let log = with_summary(log.clone(), summary(until));
        assert_eq!(rest(&log, &needed), None);
    }
    let log = with_summary(log, summary(95));
    assert!(rest(&log, &needed).is_some());
}

#[test]
fn an_entry_of_a_replaced_turn_needs_everything() {
    let mut log = with_summary(talk(20, 40), summary(90));
    let needed = CompactedHistory.needed(&log).unwrap();
    let late = Event::Result(CallResult::success("a1", "file_read", "", "late"));
    log.push(Entry { turn: Some(3), ..late.into() });
    let log = numbered(log);
    assert_eq!(rest(&log, &needed), None);
    assert_eq!(CompactedHistory.needed(&log), None);
    let missing = [&log[..100], &log[101..]].concat();
    assert!(!needed.suffice_with(&missing[90..]));
}

#[test]
fn marks_after_summary_depend_on_it() {
    let marked = |content: &str, at| {
        let summary = Event::Summary(ContextSummary { content: content.to_owned(), ..summary(90) });
        let mut log = talk(20, 40);
        log.push(Entry { timestamp: Some(Timestamp::from_nanos(at)), ..summary.into() });
        let log = numbered(log);
        let input = ContextInput::new(&log, Dialect::Sigil).with_data_marks(true);
        let messages = CompactedHistory.assemble(&input);
        messages[messages.len() - 3].text().into_owned()
    };
    let mark = marked("notes", 0);
    assert!(mark.contains("[data k"), "{mark}");
    assert_eq!(mark, marked("notes", 0));
    assert_ne!(mark, marked("other notes", 0));
    assert_ne!(mark, marked("notes", 1));
}
