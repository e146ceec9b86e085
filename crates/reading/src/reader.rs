//! The reader: bytes in, events out.

use silcrow_accumulate::TextJoiner;
use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_native::NativeParser;
use silcrow_parser::Parser;

use crate::options::{ReaderOptions, WireForm};
use crate::read_event::ReadEvent;

/// A reader of one answer of a model. [`push`](Self::push) takes its chunks, and
/// [`finish`](Self::finish) its end.
#[derive(Debug)]
pub struct FormReader {
    parser: FormParser,
    utf8: Utf8Decoder,
    /// `None` if texts come in pieces.
    joiner: Option<TextJoiner>,
    /// The number of bytes of decoded text.
    at: u64,
}

/// The parser of a form.
#[derive(Debug)]
enum FormParser {
    Dialect(Box<Parser>),
    Native(Box<NativeParser>),
}

impl FormReader {
    /// Creates a reader at the beginning of an answer.
    ///
    /// ```
    /// use silcrow_reading::{FormReader, ReadEvent, ReaderOptions, WireForm};
    ///
    /// let mut options = ReaderOptions::new(WireForm::named("hermes")?);
    /// options.chunks = true;
    /// let mut reader = FormReader::new(options);
    /// let mut pieces = Vec::new();
    /// for chunk in ["Let me", " see."] {
    ///     reader.push(chunk.as_bytes(), &mut |event: ReadEvent<'_>| pieces.push(event.to_json()));
    /// }
    /// assert_eq!(pieces[0], r#"{"type":"respond","content":"Let me","part":1}"#);
    /// # Ok::<(), silcrow_reading::WrongOptions>(())
    /// ```
    pub fn new(options: ReaderOptions) -> Self {
        let ReaderOptions { form, chunks, call_text, open_thought, tools } = options;
        let parser = match form {
            WireForm::Dialect(options) => {
                let parser = Parser::new(options);
                let parser = if call_text { parser.with_call_text() } else { parser };
                let parser = if open_thought { parser.with_open_thought() } else { parser };
                FormParser::Dialect(Box::new(parser))
            }
            WireForm::Native(families) => {
                let parser = NativeParser::for_families(&families);
                let parser = if call_text { parser.with_call_text() } else { parser };
                let parser = if open_thought { parser.with_open_thought() } else { parser };
                let parser = tools.into_iter().fold(parser, NativeParser::with_tools);
                FormParser::Native(Box::new(parser))
            }
        };
        let joiner = (!chunks).then(TextJoiner::new);
        Self { parser, utf8: Utf8Decoder::new(), joiner, at: 0 }
    }

    /// Reads a chunk of UTF-8, which may be cut within a character, and emits the certain events.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(ReadEvent<'_>)) {
        let Self { parser, utf8, joiner, at } = self;
        utf8.push(bytes, &mut |piece| take(parser, joiner, at, piece, sink));
    }

    /// Ends the answer: emits the pending text, and closes open sections (P-6).
    pub fn finish(self, sink: &mut dyn FnMut(ReadEvent<'_>)) {
        let Self { mut parser, mut utf8, mut joiner, mut at } = self;
        utf8.finish(&mut |piece| take(&mut parser, &mut joiner, &mut at, piece, sink));
        let mut emit = |fragment: Fragment<'_>| step(&mut joiner, fragment, sink);
        match parser {
            FormParser::Dialect(parser) => parser.finish(&mut emit),
            FormParser::Native(parser) => parser.finish(&mut emit),
        }
    }
}

/// Parses a piece of decoded text.
fn take(
    parser: &mut FormParser,
    joiner: &mut Option<TextJoiner>,
    at: &mut u64,
    piece: DecodedText<'_>,
    sink: &mut dyn FnMut(ReadEvent<'_>),
) {
    let mut emit = |fragment: Fragment<'_>| step(joiner, fragment, sink);
    if piece.invalid > 0 {
        let content = format!("{} bytes of invalid UTF-8 were replaced", piece.invalid);
        emit(Fragment::Diagnostic(Diagnostic {
            kind: DiagnosticKind::InvalidUtf8,
            content,
            at: Some(*at),
        }));
    }
    *at += piece.text.len() as u64;
    match parser {
        FormParser::Dialect(parser) => parser.push(piece.text, &mut emit),
        FormParser::Native(parser) => parser.push(piece.text, &mut emit),
    }
}

/// Emits a fragment, or the event that it completes. Each piece of a text passes through here, so
/// it is handled in place.
#[inline]
fn step(
    joiner: &mut Option<TextJoiner>,
    fragment: Fragment<'_>,
    sink: &mut dyn FnMut(ReadEvent<'_>),
) {
    if let Fragment::CallText(piece) = fragment {
        return sink(ReadEvent::CallText(piece));
    }
    if let Some(joiner) = joiner {
        return joiner.push(fragment).into_iter().for_each(|event| sink(ReadEvent::Whole(event)));
    }
    match fragment {
        Fragment::Text(text) => sink(ReadEvent::Text(text)),
        // The pieces of its text have its id.
        Fragment::Close { .. } | Fragment::InvalidCall(_) => {}
        other => {
            let event = TextJoiner::new().push(other);
            event.into_iter().for_each(|event| sink(ReadEvent::Whole(event)));
        }
    }
}
