//! A piece of text takes no allocation in any protocol.

use std::alloc::System;

use silcrow_event::{LogPosition, RunEventRef, TextFragment, TextKind};
use silcrow_front::{
    AgUiEncoder, AgUiRequest, AiSdkEncoder, AiSdkTarget, ChatCompletionsEncoder, CompletionHead,
    NativeEncoder, ResponseHead, ResponsesEncoder, RunEncoder,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// This is the only test of its program, because the count is for the whole process. The thread of
/// the test harness allocates, too, so the smallest count of several passes is compared.
#[test]
fn encoding_a_piece_allocates_nothing() {
    let body = br#"{"threadId":"sums","runId":"1","protocolVersion":"1.0","messages":[]}"#;
    let request = AgUiRequest::parse(body).unwrap();
    let head = || CompletionHead::new("chatcmpl-1", "silcrow", 1);
    let response = || ResponseHead::new("resp-1", "silcrow", 1);
    let counts = [
        ("native", least(NativeEncoder::new)),
        ("Chat Completions", least(|| ChatCompletionsEncoder::new("sums", head()))),
        ("Responses", least(|| ResponsesEncoder::new("sums", response()))),
        ("AG-UI", least(|| AgUiEncoder::new("sums", &request))),
        ("AI SDK", least(|| AiSdkEncoder::new(AiSdkTarget::V6, "sums"))),
    ];
    for (name, count) in counts {
        // The texts that an encoder keeps grow a few times.
        assert!(count <= 20, "{name}: {count} allocations for {PIECES} pieces");
    }
}

/// Returns the number of allocations for the pieces of one text.
fn least<E: RunEncoder>(encoder: impl Fn() -> E) -> usize {
    let pass = |_| {
        let (mut encoder, mut out) = (encoder(), String::new());
        encoder.begin(&mut out);
        // The beginnings that the first piece writes are not counted.
        encoder.encode(piece(), &mut out);
        let region = Region::new(ALLOCATOR);
        for _ in 0..PIECES {
            out.clear();
            encoder.encode(piece(), &mut out);
        }
        assert!(out.contains(TEXT.trim_end()));
        let change = region.change();
        change.allocations + change.reallocations
    };
    (0..3).map(pass).min().expect("there are passes")
}

fn piece() -> RunEventRef<'static> {
    let kind = TextKind::Respond { last: true };
    let text = TextFragment { kind, part: 1, id: None, text: TEXT };
    RunEventRef::Text(text, LogPosition { turn: Some(1), ..LogPosition::default() })
}

const PIECES: usize = 1_000;

/// A piece with white space at its end, which some protocols hold back.
const TEXT: &str = "sixteen bytes,\u{20}";
