//! The time and the memory of assembling a conversation, by its number of events: a whole log, one
//! with a summary, one more step of a run, and the decision of a compaction.
//!
//! `cargo bench -p silcrow-context`; `docs/records/2026-11-27-long-runs.md` has the bars.

use std::alloc::System;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Duration;

use silcrow_context::{
    CompactedHistory, CompactionOptions, ContextAssembler, ContextInput, ModelLimits,
};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event, Message};
use silcrow_parser::Dialect;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> io::Result<()> {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let logs = SIZES.map(|events| (talk(events), summarized(talk(events))));
    let mut out = io::stdout().lock();
    write!(out, "{:<24}", "ms by events")?;
    SIZES.iter().try_for_each(|size| write!(out, " {size:>9}"))?;
    writeln!(out, "\n{:<24} {:>9}", "", "(and \u{b5}s an event)")?;
    let rows = [
        ("whole log", whole as fn(&[Entry]) -> Duration, false),
        ("with a summary", whole, true),
        ("one more step", step, false),
        ("one more with a summary", step, true),
        ("compaction", compaction, false),
    ];
    for (name, time, has_summary) in rows {
        write!(out, "{name:<24}")?;
        let times = logs
            .each_ref()
            .map(|(log, short)| time(if has_summary { short } else { log }).as_secs_f64() * 1e3);
        times.iter().try_for_each(|time| write!(out, " {time:>9.3}"))?;
        write!(out, "\n{:<24}", "")?;
        for (time, events) in times.iter().zip(SIZES) {
            write!(out, " {:>9.3}", time * 1e3 / events as f64)?;
        }
        writeln!(out)?;
    }
    let (log, short) = &logs[SIZES.iter().position(|size| *size == 10_000).unwrap_or_default()];
    writeln!(out, "\n{:<24} {:>9} {:>9} {:>9}", "KiB", "sent", "held", "allocated")?;
    for (name, log) in [("whole log", log), ("with a summary", short)] {
        let [sent, held, all] = memory(log).map(|bytes| bytes / 1024);
        writeln!(out, "{name:<24} {sent:>9} {held:>9} {all:>9}")?;
    }
    Ok(())
}

/// Returns the time to assemble a log from its beginning.
fn whole(log: &[Entry]) -> Duration {
    best(log, || CompactedHistory.assemble(&input(log)))
}

/// Returns the time of a request after one more call, in a run that has assembled the log before.
fn step(log: &[Entry]) -> Duration {
    let mut context = CompactedHistory.begin();
    let longer = [log, &talk(4)].concat();
    context.assemble(&input(log));
    best(log, || context.assemble(&input(&longer)))
}

/// Returns the time to choose the entries that a summary is to replace.
fn compaction(log: &[Entry]) -> Duration {
    let limits = ModelLimits::default().with_context(tokens(&messages(log)));
    let input = input(log).with_limits(limits);
    best(log, || CompactedHistory.compact(&input, CompactionOptions::default(), &tokens))
}

/// Returns the bytes of a request, those that a run holds after it, and all that were allocated.
fn memory(log: &[Entry]) -> [usize; 3] {
    let input = input(log);
    let region = Region::new(ALLOCATOR);
    let mut context = CompactedHistory.begin();
    let messages = context.assemble(&input);
    let change = region.change();
    let sent = messages.iter().map(|message| message.text().len()).sum();
    [sent, change.bytes_allocated - change.bytes_deallocated, change.bytes_allocated]
}

/// Returns the least processor time of the work in several rounds. A round repeats it, because the
/// time is counted in steps of about a millisecond.
fn best<T>(log: &[Entry], mut work: impl FnMut() -> T) -> Duration {
    let times = (EVENTS / log.len()).max(1);
    let rounds = (0..ROUNDS).map(|_| {
        let begun = on_processor();
        for _ in 0..times {
            black_box(work());
        }
        (on_processor() - begun) / times as u32
    });
    rounds.min().unwrap_or_default()
}

/// Returns how long this thread has been on a processor.
fn on_processor() -> Duration {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("it is Linux");
    let time = times.split(' ').next().and_then(|time| time.parse().ok());
    Duration::from_nanos(time.expect("it is a number"))
}

fn input(log: &[Entry]) -> ContextInput<'_> {
    ContextInput::new(log, Dialect::Sigil).with_data_marks(true)
}

fn messages(log: &[Entry]) -> Vec<Message> {
    CompactedHistory.assemble(&input(log))
}

/// About four bytes are a token.
fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(|message| message.text().len() as u64 / 4).sum()
}

/// Returns a conversation in which the model calls a tool and answers, over and over.
fn talk(events: usize) -> Vec<Entry> {
    let mut log = Vec::new();
    for turn in (1..).step_by(2).take(events.div_ceil(5)) {
        let args = format!(r#"{{"name": "file_read", "args": {{"file": "f{turn}.txt"}}}}"#);
        let call = Call::parse("a1", &args).expect("it is a call");
        let result = CallResult::success("a1", "file_read", "8 lines", LINE.repeat(8));
        for (turn, event) in [
            (turn, Event::user(format!("Please read file {turn}."))),
            (turn, Event::think("The file has to be read first.")),
            (turn, Event::Call(call)),
            (turn, Event::Result(result)),
            (turn + 1, Event::respond(format!("File {turn} has eight lines, all the same."))),
        ] {
            let seq = Some(log.len() as u64 + 1);
            log.push(Entry { seq, turn: Some(turn), ..event.into() });
        }
    }
    log.truncate(events);
    log
}

/// Returns a log with a summary of all but the last fifth.
fn summarized(mut log: Vec<Entry>) -> Vec<Entry> {
    let until = log.len() as u64 / 5 * 4;
    let content = LINE.repeat(40);
    let summary = ContextSummary { content, until, shortened: until, ..ContextSummary::default() };
    log.push(Event::Summary(summary).into());
    log
}

const SIZES: [usize; 6] = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000];

const ROUNDS: usize = 3;

/// The number of events that a round reads.
const EVENTS: usize = 400_000;

const LINE: &str =
    "A line of about eighty characters, as one finds them in the middle of a file.\n";
