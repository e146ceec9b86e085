//! `silcrow dev parse`, which reads wire text and prints its events, one JSON object a line.

use std::io::{self, BufWriter, Write};
use std::time::SystemTime;

use silcrow_accumulate::{AnswerCap, AnswerLimits, TextJoiner};
use silcrow_console::printer::write_json;
use silcrow_event::{Diagnostic, DiagnosticKind, Entry, Fragment, LogPosition};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_parser::{Options, Parser};

use crate::args::{Chunks, ParseArgs, ParseOutput};
use crate::failure::{Failure, written};
use crate::input::Input;

/// Parses wire text and prints its events.
pub(crate) fn parse(args: &ParseArgs) -> Result<(), Failure> {
    if args.call_text && args.stream != ParseOutput::Token {
        return Err(Failure::given("--call-text gives pieces; add --stream token"));
    }
    let mut input = Input::open(&args.file)?;
    let parser = Parser::new(Options::new(args.dialect).with_inline(args.inline));
    let parser = if args.call_text { parser.with_call_text() } else { parser };
    let mut reader = WireReader {
        parser,
        utf8: Utf8Decoder::new(),
        at: 0,
        cap: AnswerCap::new(AnswerLimits::default()),
        lines: FragmentLines {
            out: BufWriter::new(io::stdout().lock()),
            joiner: TextJoiner::new(),
            pieces: args.stream,
            notes: args.notes,
            timestamps: args.timestamps,
            failed: None,
        },
    };
    match args.chunks {
        None => {
            let mut buffer = vec![0; 64 << 10];
            loop {
                let bytes = input.next(&mut buffer)?;
                if bytes.is_empty() || !reader.push(bytes) {
                    break;
                }
                // Output is flushed after each read, for a person who watches it.
                reader.lines.flush();
            }
        }
        Some(chunks) => {
            let bytes = input.all()?;
            let mut rest = &*bytes;
            let mut random = ChunkSizes::new(chunks);
            while !rest.is_empty() {
                let (piece, more) = rest.split_at(random.next(rest.len()));
                if !reader.push(piece) {
                    break;
                }
                rest = more;
            }
        }
    }
    written(reader.finish())
}

/// Turns bytes of wire text into lines of JSON.
struct WireReader<W: Write> {
    parser: Parser,
    utf8: Utf8Decoder,
    /// The number of bytes of text that were passed to the parser.
    at: u64,
    /// The cap on the text. Input beyond it is read and dropped, so that its writer can continue
    /// (P-9).
    cap: AnswerCap,
    lines: FragmentLines<W>,
}

impl<W: Write> WireReader<W> {
    /// Takes bytes, and returns whether the output is still open.
    fn push(&mut self, bytes: &[u8]) -> bool {
        let Self { parser, utf8, at, cap, lines } = self;
        utf8.push(bytes, &mut |piece| read(piece, at, parser, cap, lines));
        self.lines.failed.is_none()
    }

    fn finish(mut self) -> io::Result<()> {
        let Self { mut parser, mut utf8, mut at, ref mut cap, ref mut lines } = self;
        utf8.finish(&mut |piece| read(piece, &mut at, &mut parser, cap, lines));
        parser.finish(&mut |fragment| cap.push(fragment, |passed| lines.take(passed)));
        self.lines.flush();
        self.lines.failed.map_or(Ok(()), Err)
    }
}

/// Passes a piece of text to the parser, up to the cap (P-9).
fn read<W: Write>(
    piece: DecodedText<'_>,
    at: &mut u64,
    parser: &mut Parser,
    cap: &mut AnswerCap,
    lines: &mut FragmentLines<W>,
) {
    let mut take = |cap: &mut AnswerCap, fragment: Fragment<'_>| {
        cap.push(fragment, |passed| lines.take(passed));
    };
    if piece.invalid > 0 {
        take(cap, Fragment::Diagnostic(invalid(*at, piece.invalid)));
    }
    *at += piece.text.len() as u64;
    let admitted = cap.admit(piece.text);
    parser.push(admitted, &mut |fragment| take(cap, fragment));
    if admitted.len() < piece.text.len() {
        cap.end(|passed| lines.take(passed));
    }
}

fn invalid(at: u64, bytes: u8) -> Diagnostic {
    let content = format!("{bytes} bytes of invalid UTF-8 were replaced");
    Diagnostic { kind: DiagnosticKind::InvalidUtf8, content, at: Some(at) }
}

/// Turns fragments into lines of JSON.
struct FragmentLines<W: Write> {
    out: W,
    joiner: TextJoiner,
    pieces: ParseOutput,
    notes: bool,
    /// Whether each line has the time.
    timestamps: bool,
    failed: Option<io::Error>,
}

impl<W: Write> FragmentLines<W> {
    fn take(&mut self, fragment: Fragment<'_>) {
        let is_note = matches!(fragment, Fragment::Diagnostic(_));
        if is_note && !self.notes {
            return;
        }
        if self.pieces == ParseOutput::Token {
            match fragment {
                Fragment::Text(text) => return self.line(&text.to_json(&self.place())),
                Fragment::CallText(text) => return self.line(&text.to_json(&self.place())),
                Fragment::Close { .. } => return,
                _ => {}
            }
        }
        if let Some(event) = self.joiner.push(fragment) {
            let entry = Entry { timestamp: self.place().timestamp, ..Entry::from(event) };
            self.line(&entry.to_json());
        }
    }

    fn place(&self) -> LogPosition {
        let timestamp = self.timestamps.then(|| SystemTime::now().into());
        LogPosition { timestamp, ..LogPosition::default() }
    }

    fn line(&mut self, line: &str) {
        if self.failed.is_none() {
            self.failed = write_json(&mut self.out, line).err();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
    }
}

/// The sizes of the pieces that input is cut into.
struct ChunkSizes {
    chunks: Chunks,
    state: u64,
}

impl ChunkSizes {
    fn new(chunks: Chunks) -> Self {
        let state = match chunks {
            Chunks::Random(seed) => seed,
            Chunks::Whole | Chunks::Bytes(_) => 0,
        };
        Self { chunks, state }
    }

    /// Returns the size of the next piece, from 1 to `most`. Random pieces have 1 to 16 bytes
    /// (SplitMix64).
    fn next(&mut self, most: usize) -> usize {
        let size = match self.chunks {
            Chunks::Whole => most,
            Chunks::Bytes(bytes) => bytes.get(),
            Chunks::Random(_) => {
                self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = self.state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ (z >> 31)) as usize % 16 + 1
            }
        };
        size.min(most)
    }
}
