//! The law of a context that grows with its log: its messages equal those from the whole log.

use proptest::prelude::*;
use silcrow_context::{
    ContextAssembler, ContextInput, FullHistory, GrowingContext, ModelLimits, assemble,
};
use silcrow_event::{ActionAttributes, CallMode, Entry, Event, Message, MessageList, Timestamp};
use silcrow_parser::{Dialect, Options};

use crate::laws::{event, options};

/// Generates entries of any order and with any turns, some of whose calls run in the background.
fn log() -> impl Strategy<Value = Vec<Entry>> {
    let turn = prop::option::weighted(0.7, 0_u32..4);
    let time = prop::option::weighted(0.9, (0..9_i64).prop_map(Timestamp::from_nanos));
    let entry = (event(), turn, time, any::<bool>());
    let entry = entry.prop_map(|(event, turn, timestamp, is_forgotten)| {
        let event = match event {
            Event::Call(call) if is_forgotten => {
                let mode = CallMode::FireAndForget;
                Event::Call(call.with_action(ActionAttributes { mode, ..Default::default() }))
            }
            event => event,
        };
        Entry { turn, timestamp, ..event.into() }
    });
    prop::collection::vec(entry, 0..24)
}

/// A context that rewrites history: it shows the last entries only, as many as the limit says.
struct LastEntries;

impl ContextAssembler for LastEntries {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let limit = input.limits.context.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
        let first = input.entries.len().saturating_sub(limit);
        FullHistory.assemble(&input.with_entries(&input.entries[first..]))
    }
}

/// Returns an input with limits, and with examples and texts that differ from request to request.
fn input(entries: &[Entry], options: Options, seed: u64) -> ContextInput<'_> {
    let limit = (seed & 8 != 0).then_some(seed & 7);
    let limits = limit.map(|limit| ModelLimits::default().with_context(limit));
    let examples = if seed & 128 != 0 { &entries[..entries.len().min(3)] } else { &[] };
    ContextInput::new(entries, options)
        .with_examples(examples)
        .with_system("Add numbers.\n")
        .with_run_text((seed & 16 != 0).then_some("It is Monday."))
        .with_data_marks(seed & 256 != 0)
        .with_notice((seed & 32 != 0).then_some("[Hurry.]"))
        .with_limits(limits.unwrap_or_default())
}

proptest! {
    /// After every entry, and also if some requests are left out.
    #[test]
    fn growing_context_equals_whole_log(
        log in log(), options in options(), seeds in prop::collection::vec(any::<u64>(), 25),
    ) {
        let contexts: [&dyn ContextAssembler; 3] =
            [&FullHistory, &LastEntries, &Box::new(FullHistory)];
        for context in contexts {
            let mut each = context.begin();
            let mut some = context.begin();
            let mut before = MessageList::default();
            for (end, seed) in (0..=log.len()).zip(&seeds) {
                let input = input(&log[..end], options, *seed);
                let whole = context.assemble(&input);
                let messages = each.assemble(&input);
                prop_assert_eq!(&messages, &whole);
                let repeated = messages.repeated(&before.settled());
                prop_assert_eq!(&messages[..repeated], &before[..repeated]);
                before = messages;
                if seed & 64 != 0 {
                    prop_assert_eq!(&some.assemble(&input), &whole);
                }
            }
        }
    }

    /// The default context and the plain function read a log in the same way.
    #[test]
    fn the_default_context_is_the_plain_function(log in log(), options in options()) {
        let input = ContextInput::new(&log, options).with_notice(Some("[Hurry.]"));
        let plain = silcrow_context::assemble_with_notice(&log, options, "[Hurry.]");
        prop_assert_eq!(&FullHistory.assemble(&input)[1..], &plain[..]);
    }
}

/// A shorter log or another dialect is another conversation, which is read from its beginning.
#[test]
fn another_conversation_begins_anew() {
    let one = ["one", "two", "three"].map(|text| Entry::from(Event::user(text)));
    let other = [Entry::from(Event::user("another"))];
    let mut context = FullHistory.begin();
    let mut texts = |entries: &[Entry], dialect: Dialect| {
        let messages =
            GrowingContext::assemble(&mut *context, &ContextInput::new(entries, dialect));
        assert_eq!(messages[1..], assemble(entries, dialect));
    };
    texts(&one, Dialect::Sigil);
    texts(&other, Dialect::Sigil);
    texts(&one, Dialect::Phase);
}

#[test]
fn requests_share_closed_turns() {
    let mut log = vec![Entry::from(Event::user("Count."))];
    let mut context = FullHistory.begin();
    let mut before = MessageList::default();
    for number in 1..=200 {
        let messages = context.assemble(&ContextInput::new(&log, Dialect::Sigil));
        let address = |message: &Message| message.content.parts().as_ptr();
        let pairs = messages.iter().zip(&before);
        let shared = pairs.filter(|(new, old)| address(new) == address(old)).count();
        // The last turn was open, and the message before it may grow.
        assert!(shared + 2 >= before.len(), "{shared} of {}", before.len());
        before = messages;
        let turn = Some(number);
        log.push(Entry { turn, ..Event::respond(format!("It is {number}.")).into() });
        log.push(Event::user("And then?").into());
    }
}
