//! The time of a piece of 16 bytes in each protocol, beside the plain JSON of the piece.
//!
//! `cargo bench -p silcrow-front`; `--only NAME` measures one, and `--rounds N` sets how often the
//! pieces are encoded. `docs/records/2026-11-29-encoders.md` has the figures.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::Instant;

use silcrow_event::{LogPosition, RunEventRef, TextFragment, TextKind};
use silcrow_front::{
    AgUiEncoder, AgUiRequest, AiSdkEncoder, AiSdkTarget, ChatCompletionsEncoder, CompletionHead,
    NativeEncoder, ResponseHead, ResponsesEncoder, RunEncoder,
};

fn main() -> io::Result<()> {
    let args: Vec<_> = std::env::args().collect();
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !args.iter().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let value = |name: &str| args.iter().skip_while(|arg| *arg != name).nth(1);
    let rounds = value("--rounds").map_or(20, |rounds| rounds.parse().expect("a number"));
    let only = value("--only");
    for (name, run) in ENCODERS {
        if only.is_none_or(|only| only == name) {
            let least = (0..rounds).map(|_| nanoseconds(*run)).min().unwrap_or_default();
            let each = least as f64 / PIECES as f64;
            writeln!(io::stdout(), "{name:<20} {each:>8.1} ns a piece, {PIECES} pieces")?;
        }
    }
    Ok(())
}

/// Encodes all pieces, and returns the number of bytes.
type Run = fn() -> usize;

const ENCODERS: &[(&str, Run)] = &[
    ("json", json),
    ("native", || encoded(NativeEncoder::new())),
    ("chat-completions", || {
        encoded(ChatCompletionsEncoder::new("c", CompletionHead::new("chatcmpl-1", "silcrow", 1)))
    }),
    ("responses", || {
        encoded(ResponsesEncoder::new("c", ResponseHead::new("resp-1", "silcrow", 1)))
    }),
    ("ag-ui", || {
        let body = br#"{"threadId":"c","runId":"1","protocolVersion":"1.0","messages":[]}"#;
        encoded(AgUiEncoder::new("c", &AgUiRequest::parse(body).expect("the body is valid")))
    }),
    ("ai-sdk", || encoded(AiSdkEncoder::new(AiSdkTarget::V6, "c"))),
];

fn nanoseconds(run: Run) -> u128 {
    let begun = Instant::now();
    black_box(run());
    begun.elapsed().as_nanos()
}

fn encoded(mut encoder: impl RunEncoder) -> usize {
    let (mut out, mut bytes) = (String::new(), 0);
    encoder.begin(&mut out);
    encoder.encode(piece(), &mut out);
    measured(&mut || {
        out.clear();
        encoder.encode(piece(), &mut out);
        bytes += out.len();
    });
    bytes
}

fn json() -> usize {
    let (mut out, mut bytes) = (String::new(), 0);
    measured(&mut || {
        out.clear();
        if let RunEventRef::Text(text, place) = piece() {
            text.write_json(&place, &mut out);
        }
        bytes += out.len();
    });
    bytes
}

/// The part whose instructions are counted.
#[inline(never)]
fn measured(push: &mut dyn FnMut()) {
    for _ in 0..PIECES {
        push();
    }
}

fn piece() -> RunEventRef<'static> {
    let kind = TextKind::Respond { last: true };
    let text = TextFragment { kind, part: 1, id: None, text: black_box(" sixteen bytes, ") };
    RunEventRef::Text(text, LogPosition { turn: Some(1), ..LogPosition::default() })
}

const PIECES: usize = 10_000;
