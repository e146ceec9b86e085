//! The memory of a context is proportional to its request, even if most of the log is summarized.

use std::alloc::System;

use silcrow_context::{CompactedHistory, ContextAssembler as _, ContextInput};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event};
use silcrow_parser::Dialect;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// This is the only test of its program, because the count is for the whole process. The thread of
/// the test harness allocates, too, so the smallest count of several passes is compared.
#[test]
fn context_memory_is_proportional_to_the_request() {
    let whole = talk(400);
    let until = whole.len() as u64 - 15;
    let mut short = whole.clone();
    let content = "Notes.".to_owned();
    let summary = ContextSummary { content, until, shortened: until, ..Default::default() };
    short.push(Event::Summary(summary).into());

    let [(sent, held), (little, few)] = [&whole, &short].map(|log| least(log));
    assert!(little * 50 < sent, "{little} of {sent}");
    // The context has the messages of closed turns, and the request is a copy of them.
    for (sent, held) in [(sent, held), (little, few)] {
        assert!(held < 4 * sent + 4096, "{held} for {sent}");
    }
}

/// Returns the number of bytes of the messages, and of the memory that the context keeps.
fn least(log: &[Entry]) -> (usize, usize) {
    let pass = |_| {
        let input = ContextInput::new(log, Dialect::Sigil);
        let region = Region::new(ALLOCATOR);
        let mut context = CompactedHistory.begin();
        let messages = context.assemble(&input);
        let change = region.change();
        let sent = messages.iter().map(|message| message.text().len()).sum();
        (sent, change.bytes_allocated - change.bytes_deallocated)
    };
    (0..3).map(pass).min().expect("there are passes")
}

/// Returns a conversation whose turns call a tool and answer, five events each.
fn talk(turns: u32) -> Vec<Entry> {
    let mut log = Vec::new();
    for turn in (1..).step_by(2).take(turns as usize) {
        let call = r#"{"name": "file_read", "args": {"file": "a"}}"#;
        let result = CallResult::success("a1", "file_read", "1 line", "walrus ".repeat(100));
        for (turn, event) in [
            (turn, Event::user(format!("prompt {turn}"))),
            (turn, Event::think("Read it.")),
            (turn, Event::Call(Call::parse("a1", call).unwrap())),
            (turn, Event::Result(result)),
            (turn + 1, Event::respond("It is about walruses.")),
        ] {
            let seq = Some(log.len() as u64 + 1);
            log.push(Entry { seq, turn: Some(turn), ..event.into() });
        }
    }
    log
}
