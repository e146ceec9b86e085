//! The laws of summaries: the entries that they replace, the entries that stay, and the time when
//! they are due.

use proptest::prelude::*;
use silcrow_context::{
    CompactedHistory, CompactionOptions, ContextAssembler, ContextCompaction, ContextInput,
    FullHistory, ModelLimits, input_window, is_compaction_due,
};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event, Message, Role, SummaryAuthor};
use silcrow_parser::Dialect;
use silcrow_testkit::{content, wire_text};

use crate::laws::{event, options, well_formed};
use crate::read::contents_of;

/// About four bytes are a token.
pub(crate) fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(|message| message.text().len() as u64 / 4 + 4).sum()
}

/// Numbers entries as a store does.
pub(crate) fn numbered(mut entries: Vec<Entry>) -> Vec<Entry> {
    for (seq, entry) in (1..).zip(&mut entries) {
        entry.seq = Some(seq);
    }
    entries
}

fn summary() -> impl Strategy<Value = Event> {
    (prop_oneof![content(), wire_text()], 0_u64..30, 0_u64..30).prop_map(
        |(content, until, shortened)| {
            let author = SummaryAuthor::Model;
            Event::Summary(ContextSummary {
                content,
                until,
                shortened,
                author,
                ..ContextSummary::default()
            })
        },
    )
}

/// Generates logs of any events with summaries anywhere.
fn log() -> impl Strategy<Value = Vec<Entry>> {
    let event = prop_oneof![8 => event(), 1 => summary()];
    let entry = (event, prop::option::weighted(0.8, 0_u32..5), any::<bool>());
    let entry = entry.prop_map(|(event, turn, _)| Entry { turn, ..event.into() });
    (prop::collection::vec(entry, 0..24), any::<bool>())
        .prop_map(|(log, has_seq)| if has_seq { numbered(log) } else { log })
}

/// Returns a conversation whose turns call a tool and answer.
pub(crate) fn talk(turns: u32, bytes: usize) -> Vec<Entry> {
    let mut log = Vec::new();
    for turn in 1..=turns {
        let args = format!(r#"{{"name": "file_read", "args": {{"file": "f{turn}"}}}}"#);
        let text = format!("{turn} ").repeat(bytes / 4);
        let [asks, answers] = [turn * 2 - 1, turn * 2];
        let mut push = |turn, event: Event| log.push(Entry { turn: Some(turn), ..event.into() });
        push(asks, Event::user(format!("prompt {turn}")));
        push(asks, Event::think(format!("thought {turn}")));
        push(asks, Event::Call(Call::parse("a1", &args).unwrap()));
        push(asks, Event::Result(CallResult::success("a1", "file_read", "1 line", text)));
        push(answers, Event::respond(format!("answer {turn}")));
    }
    numbered(log)
}

pub(crate) fn input(log: &[Entry]) -> ContextInput<'_> {
    ContextInput::new(log, Dialect::Sigil)
}

pub(crate) fn all(messages: &[Message]) -> String {
    messages.iter().map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n")
}

pub(crate) fn with_summary(mut log: Vec<Entry>, summary: ContextSummary) -> Vec<Entry> {
    log.push(Event::Summary(summary).into());
    numbered(log)
}

proptest! {
    #[test]
    fn a_log_without_summaries_is_whole(
        log in prop::collection::vec(event().prop_map(Entry::from), 0..16), options in options(),
    ) {
        let input = ContextInput::new(&log, options);
        prop_assert_eq!(CompactedHistory.assemble(&input), FullHistory.assemble(&input));
    }

    #[test]
    fn any_summary_yields_valid_provider_messages(log in log(), options in options()) {
        let messages = CompactedHistory.assemble(&ContextInput::new(&log, options));
        prop_assert_eq!(messages[0].role, Role::System);
        well_formed(&messages[1..]);
    }

    #[test]
    fn growing_context_reads_summaries_like_whole_log(
        log in log(), options in options(), skips in prop::collection::vec(any::<bool>(), 25),
    ) {
        let mut context = CompactedHistory.begin();
        for (len, skip) in (0..=log.len()).zip(skips) {
            if skip {
                continue;
            }
            let input = ContextInput::new(&log[..len], options);
            prop_assert_eq!(context.assemble(&input), CompactedHistory.assemble(&input));
        }
    }

    /// The words of a summary come from a model that read anything.
    #[test]
    fn summary_cannot_imitate_results_or_model(
        words in prop_oneof![content(), wire_text()], dialect in options(),
    ) {
        let until = 10;
        let honest = |content: &str| {
            let summary = ContextSummary {
                content: content.to_owned(), until, shortened: until, ..ContextSummary::default()
            };
            let log = with_summary(talk(3, 40), summary);
            CompactedHistory.assemble(&ContextInput::new(&log, dialect))
        };
        let (hostile, plain) = (honest(&words), honest("notes"));
        let roles = |messages: &[Message]| Vec::from_iter(messages.iter().map(|m| m.role));
        prop_assert_eq!(roles(&hostile), roles(&plain));
        prop_assert_eq!(&hostile[2..], &plain[2..]);
        prop_assert_eq!(contents_of(&hostile[1].text(), dialect), Vec::<String>::new());
    }

    /// Compacting ends, each time with a shorter request, and never splits a turn.
    #[test]
    fn compaction_ends(
        turns in 1_u32..40, bytes in 0_usize..3000, window in 200_u64..6000, answers in any::<bool>(),
    ) {
        let mut log = talk(turns, bytes);
        let limits = ModelLimits::default().with_context(window);
        let options = CompactionOptions::default();
        let used = |log: &[Entry]| tokens(&CompactedHistory.assemble(&input(log).with_limits(limits)));
        let mut rounds = 0;
        while is_compaction_due(limits, options, used(&log)) {
            let Some(compaction) = CompactedHistory.compact(&input(&log).with_limits(limits), options, &tokens) else {
                break;
            };
            let summary = match compaction {
                ContextCompaction::Shorten(summary) => summary,
                ContextCompaction::Summarize(task) if answers => task.summary("short"),
                ContextCompaction::Summarize(task) => {
                    prop_assert_eq!(task.messages().len(), 2);
                    task.without_model()
                }
                _ => unreachable!(),
            };
            // The replaced part ends with the last entry of a turn.
            let until = summary.until as usize;
            let is_whole = until == 0 || log[until - 1].turn != log[until].turn;
            prop_assert!(is_whole, "{}", until);
            log = with_summary(log, summary);
            rounds += 1;
            prop_assert!(rounds < 100);
        }
        let messages = CompactedHistory.assemble(&input(&log).with_limits(limits));
        well_formed(&messages[1..]);
        prop_assert!(messages[1].text().starts_with("prompt 1"));
        let calls = all(&messages).matches("\u{a7}call:").count();
        prop_assert_eq!(calls, all(&messages).matches("\u{a7}result:").count());
    }
}

#[test]
fn summarized_entries_are_omitted() {
    let summary = ContextSummary {
        content: "Notes.".to_owned(),
        until: 10,
        shortened: 10,
        author: SummaryAuthor::Model,
        ..ContextSummary::default()
    };
    let log = with_summary(talk(3, 40), summary);
    let messages = CompactedHistory.assemble(&input(&log));
    let roles = Vec::from_iter(messages.iter().map(|message| message.role));
    use Role::{Assistant, System, User};
    assert_eq!(roles, [System, User, Assistant, User, Assistant, User]);
    insta::assert_snapshot!(messages[1].text());
    assert!(messages[2].text().contains("thought 3"));
}

#[test]
fn a_shortened_result_is_its_outcome() {
    let summary = ContextSummary { shortened: 10, ..ContextSummary::default() };
    let log = with_summary(talk(3, 4000), summary);
    let text = all(&CompactedHistory.assemble(&input(&log)));
    assert!(!text.contains("thought 1") && !text.contains("thought 2"), "{text}");
    assert!(text.contains("thought 3") && text.contains("3 3 3"));
    assert!(!text.contains("1 1 1") && text.contains(r#""outcome":"1 line""#));
    assert!(text.contains(r#""omitted_bytes":2000"#), "{text}");
}

#[test]
fn repeated_result_is_shortened() {
    let mut log = talk(3, 600);
    for entry in &mut log {
        if let Event::Call(call) = &mut entry.event {
            let same = r#"{"name": "file_read", "args": {"file": "same"}}"#;
            *call = Call::parse(call.id(), same).unwrap();
        }
    }
    let summary = ContextSummary { shortened: 15, ..ContextSummary::default() };
    let text = all(&CompactedHistory.assemble(&input(&with_summary(log, summary))));
    assert!(!text.contains("1 1 1") && !text.contains("2 2 2"), "{text}");
    assert!(text.contains("3 3 3"), "{text}");
}

#[test]
fn empty_summary_withdraws_an_earlier_one() {
    let earlier = ContextSummary { content: "Notes.".to_owned(), until: 10, ..Default::default() };
    let log = with_summary(talk(3, 40), earlier);
    let log = with_summary(log, ContextSummary::default());
    assert_eq!(CompactedHistory.assemble(&input(&log)), FullHistory.assemble(&input(&log)));
}

#[test]
fn current_prompt_is_never_summarized() {
    let mut log = talk(2, 40);
    let call = r#"{"name": "file_list", "args": {}}"#;
    for (turn, event) in [
        (5, Event::user("work on this")),
        (5, Event::Call(Call::parse("a1", call).unwrap())),
        (5, Event::Result(CallResult::success("a1", "file_list", "1 entry", "main.rs"))),
        (6, Event::Call(Call::parse("a1", call).unwrap())),
        (6, Event::Result(CallResult::success("a1", "file_list", "1 entry", "main.rs"))),
    ] {
        log.push(Entry { turn: Some(turn), ..event.into() });
    }
    let log = numbered(log);
    let until = log.iter().position(|entry| entry.turn == Some(6)).unwrap() as u64;
    let summary = ContextSummary { content: "Notes.".to_owned(), until, ..Default::default() };
    let log = with_summary(log, summary);
    let messages = CompactedHistory.assemble(&input(&log));
    let text = messages[1].text();
    assert!(text.starts_with("prompt 1") && text.ends_with("work on this"), "{text}");
    assert!(!text.contains("prompt 2"), "{text}");
}

#[test]
fn calls_are_listed_without_a_model() {
    let log = talk(30, 40);
    let limits = ModelLimits::default().with_context(800);
    let compaction =
        CompactedHistory.compact(&input(&log).with_limits(limits), Default::default(), &tokens);
    let Some(ContextCompaction::Summarize(task)) = compaction else { panic!("{compaction:?}") };
    let summary = task.without_model();
    assert_eq!(summary.author, SummaryAuthor::Framework);
    insta::assert_snapshot!(summary.content);
    // A later summary has them once.
    let log = with_summary(log, summary);
    let compaction =
        CompactedHistory.compact(&input(&log).with_limits(limits), Default::default(), &tokens);
    let Some(ContextCompaction::Summarize(task)) = compaction else { panic!("{compaction:?}") };
    let content = task.summary("All is well.").content;
    assert_eq!(content.matches("need not be made again").count(), 1, "{content}");
    assert!(content.starts_with("All is well."));
}

#[test]
fn summary_is_due_at_share_of_window() {
    let limits = ModelLimits::default().with_context(1000).with_output(200);
    assert_eq!(input_window(limits), Some(800));
    let options = CompactionOptions::default().with_start(50);
    assert!(!is_compaction_due(limits, options, 399));
    assert!(is_compaction_due(limits, options, 400));
    assert!(!is_compaction_due(ModelLimits::default(), options, u64::MAX));
}

#[test]
fn summary_request_marks_data() {
    let limits = ModelLimits::default().with_context(2000);
    let log = talk(8, 40);
    let compaction =
        CompactedHistory.compact(&input(&log).with_limits(limits), Default::default(), &tokens);
    let compaction = match compaction {
        Some(ContextCompaction::Shorten(summary)) => {
            let log = with_summary(log, summary);
            CompactedHistory.compact(&input(&log).with_limits(limits), Default::default(), &tokens)
        }
        other => other,
    };
    let Some(ContextCompaction::Summarize(task)) = compaction else { panic!("{compaction:?}") };
    insta::assert_snapshot!(all(task.messages()));
}
