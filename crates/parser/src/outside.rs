use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextFragment};

use crate::aside::Aside;
use crate::flow::{Flow, Sink, is_space};
use crate::section::DEFAULT;

/// The text outside sections of the action dialect (P-21).
///
/// It is the answer if the turn holds no call and no answer, else each piece of it is a note. Until
/// that is known it is held, up to 64 KiB; beyond, it is an answer as it comes. Since it may become
/// one, code fences count in it (P-34).
#[derive(Debug)]
pub(crate) struct Outside {
    state: State,
    /// Where the piece at hand begins in the wire text.
    at: u64,
}

#[derive(Debug)]
enum State {
    /// Pieces whose meaning is open.
    Held(Held),
    /// Too much to hold.
    Answer,
    /// The turn holds a call or an answer; text of the piece at hand.
    Stray(Aside),
}

/// Pieces joined by line breaks.
#[derive(Debug, Default)]
struct Held {
    text: String,
    /// Where each begins in the wire text, and in `text`.
    pieces: Vec<(u64, usize)>,
}

/// How much text outside sections is held, in bytes.
const MAX_HELD: usize = 64 << 10;

impl Outside {
    pub(crate) fn new() -> Self {
        Self { state: State::Held(Held::default()), at: 0 }
    }

    /// Takes text of a piece that stands at `at` of the wire text.
    pub(crate) fn push(&mut self, piece: &mut Flow, text: &str, at: u64, sink: &mut Sink<'_>) {
        if !piece.is_open() {
            let content = text.trim_start_matches(is_space);
            if content.is_empty() {
                return;
            }
            self.at = at + (text.len() - content.len()) as u64;
            if let State::Held(held) = &mut self.state {
                held.begin(self.at);
            }
        }
        piece.push(text, &mut |fragment| self.take(fragment, sink));
    }

    /// Ends a piece. Says whether it was given out as an answer.
    pub(crate) fn close(&mut self, mut piece: Flow, sink: &mut Sink<'_>) -> bool {
        let open = piece.close(&mut |fragment| self.take(fragment, sink));
        match &mut self.state {
            State::Held(_) => false,
            State::Answer => open,
            State::Stray(aside) => {
                std::mem::replace(aside, STRAY).close(sink);
                false
            }
        }
    }

    /// The turn holds a call or an answer: what is outside its sections is none.
    pub(crate) fn is_stray(&mut self, sink: &mut Sink<'_>) {
        if let State::Held(held) = std::mem::replace(&mut self.state, State::Stray(STRAY)) {
            held.into_diagnostics(sink);
        }
    }

    /// The end of the turn: what is held is the answer, which is section number `part`.
    pub(crate) fn finish(&self, part: u32, sink: &mut Sink<'_>) {
        if let State::Held(held) = &self.state
            && !held.text.is_empty()
        {
            sink(Fragment::Text(TextFragment { voice: DEFAULT, part, text: &held.text }));
            sink(Fragment::Close { part });
        }
    }

    /// Text of a piece on its way out.
    fn take(&mut self, fragment: Fragment<'_>, sink: &mut Sink<'_>) {
        match (&mut self.state, fragment) {
            (State::Answer, fragment) => sink(fragment),
            (State::Stray(aside), Fragment::Text(text)) => aside.push(text.text, self.at),
            (State::Held(held), Fragment::Text(text)) => {
                held.text.push_str(text.text);
                if held.text.len() > MAX_HELD {
                    sink(Fragment::Text(TextFragment { text: &held.text, ..text }));
                    self.state = State::Answer;
                }
            }
            _ => {}
        }
    }
}

const STRAY: Aside = Aside::new(DiagnosticKind::StrayText, false);

impl Held {
    fn begin(&mut self, at: u64) {
        if !self.pieces.is_empty() {
            self.text.push('\n');
        }
        self.pieces.push((at, self.text.len()));
    }

    fn into_diagnostics(self, sink: &mut Sink<'_>) {
        let mut end = self.text.len();
        let mut notes = Vec::with_capacity(self.pieces.len());
        for &(at, start) in self.pieces.iter().rev() {
            notes.push((at, self.text[start..end].trim_end_matches(is_space)));
            end = start;
        }
        for (at, content) in notes.into_iter().rev() {
            let content = content.to_owned();
            sink(Fragment::Diagnostic(Diagnostic { kind: DiagnosticKind::StrayText, content, at }));
        }
    }
}
