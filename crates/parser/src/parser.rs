use silcrow_event::{Fragment, Note, Oddity, Voice};
use silcrow_lex::{Dialect, Lexer, Marker, Token};

use crate::aside::Aside;
use crate::call::Calls;
use crate::flow::{Flow, Sink};
use crate::list::List;
use crate::options::Options;
use crate::{phase, sigil};

/// Turns wire text into fragments as it comes.
#[derive(Debug)]
pub struct Parser {
    options: Options,
    lexer: Lexer,
    /// Bytes before the token at hand.
    at: u64,
    section: Section,
    /// Sections that gave text so far.
    parts: u32,
    calls: Calls,
}

/// What the text at hand is.
#[derive(Debug)]
enum Section {
    /// A thought or an answer.
    Text(Flow),
    /// A call body, or a list of them.
    Body(List),
    /// Text that becomes a note.
    Aside(Aside),
    /// After the end.
    Done,
}

/// What a marker does to the turn; each dialect says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A section of text begins.
    Say(Voice),
    /// A call body, or a list of them, begins.
    Call,
    /// The execution point.
    Execute,
    /// What claims to be results begins.
    Forged,
    /// The model is done.
    End,
}

impl Parser {
    /// At the start of a turn.
    pub fn new(options: impl Into<Options>) -> Self {
        let options = options.into();
        let mut parser = Self {
            options,
            lexer: options.lexer(),
            at: 0,
            section: Section::Done,
            parts: 0,
            calls: Calls::default(),
        };
        parser.say(DEFAULT);
        parser
    }

    /// Takes a chunk and gives out all that is certain.
    pub fn push(&mut self, text: &str, sink: &mut dyn FnMut(Fragment<'_>)) {
        let mut rest = text;
        loop {
            let reach = self.reach(rest);
            let mut near = &rest[..reach];
            let token = self.lexer.next(&mut near);
            rest = &rest[reach - near.len()..];
            match token {
                Some(token) => self.token(token, sink),
                None if rest.is_empty() => return,
                None => {}
            }
        }
    }

    /// The end of the input: gives out what is withheld and closes what is open (P-6).
    pub fn finish(mut self, sink: &mut dyn FnMut(Fragment<'_>)) {
        while let Some(token) = self.lexer.finish() {
            self.token(token, sink);
        }
        match &self.section {
            Section::Done => return,
            Section::Text(flow) => {
                let open_fence = !flow.marker_counts();
                let unclosed = self.has_tags() && flow.voice() == Voice::Think;
                self.close(sink);
                if open_fence {
                    self.note(Oddity::OpenFence, "a code fence was still open", sink);
                }
                if unclosed {
                    self.note(Oddity::Unclosed, "a thought was still open", sink);
                }
            }
            Section::Body(_) => {
                // A missing bracket is no repair here: the whole section is unclosed.
                self.note(Oddity::Unclosed, "a list of calls was still open", sink);
            }
            Section::Aside(_) => {
                self.close(sink);
                if self.has_tags() {
                    self.note(Oddity::Unclosed, "a section of results was still open", sink);
                }
            }
        }
        self.execute_rest(sink);
    }

    /// How much of the text the lexer may see at once: a body that is too long must be given up at
    /// the same byte however the input is cut.
    fn reach(&self, text: &str) -> usize {
        if !matches!(self.section, Section::Body(_)) {
            return text.len();
        }
        let room = self.calls.room();
        let first = text.chars().next().map_or(0, char::len_utf8);
        text.floor_char_boundary(room).max(first)
    }

    fn token(&mut self, token: Token<'_>, sink: &mut Sink<'_>) {
        match token {
            Token::Text(text) => {
                self.text(text, sink);
                self.at += text.len() as u64;
            }
            Token::Escape(first) => {
                if !self.marker_counts() {
                    self.text(first, sink);
                }
                self.at += first.len() as u64;
            }
            Token::Marker(marker, literal) => {
                if self.marker_counts() {
                    self.at += literal.len() as u64;
                    self.marker(marker, sink);
                } else {
                    self.lexer.dismiss();
                    self.text(literal, sink);
                    self.at += literal.len() as u64;
                }
            }
            Token::Body(text) => {
                if self.calls.push(text, self.at) {
                    self.lexer.abandon_body();
                }
                self.at += text.len() as u64;
            }
            Token::Glue(text) => {
                if let Section::Body(list) = &mut self.section {
                    list.push(text, self.at, &mut |what, at| repaired(what, at, sink));
                }
                self.at += text.len() as u64;
            }
            Token::Close(close) => {
                if self.calls.close(close, self.at, self.parts + 1, sink) {
                    self.parts += 1;
                }
                if let Section::Body(list) = &mut self.section {
                    if self.options.dialect == Dialect::Sigil {
                        let stray = Aside::new(Oddity::StrayText, list.fenced);
                        self.section = Section::Aside(stray);
                    } else {
                        list.item(self.at, &mut |what, at| repaired(what, at, sink));
                    }
                }
            }
            _ => {}
        }
    }

    fn marker_counts(&self) -> bool {
        match &self.section {
            Section::Text(flow) => flow.marker_counts(),
            _ => true,
        }
    }

    fn text(&mut self, text: &str, sink: &mut Sink<'_>) {
        let at = self.at;
        match &mut self.section {
            Section::Text(flow) => flow.push(text, sink),
            Section::Aside(aside) => aside.push(text, at),
            Section::Body(_) | Section::Done => {}
        }
    }

    fn marker(&mut self, marker: Marker, sink: &mut Sink<'_>) {
        self.close(sink);
        let turn = match self.options.dialect {
            Dialect::Sigil => sigil::turn(marker),
            Dialect::Phase | Dialect::Action => phase::turn(marker),
        };
        match turn {
            Turn::Say(voice) => self.say(voice),
            Turn::Call => self.section = Section::Body(List::new()),
            Turn::Execute => {
                if self.calls.execute() {
                    sink(Fragment::Execute);
                } else {
                    self.note(Oddity::NothingToExecute, "no call is waiting to be run", sink);
                }
                if self.has_tags() {
                    self.say(DEFAULT);
                } else {
                    self.forged();
                }
            }
            Turn::Forged => self.forged(),
            Turn::End => {
                self.execute_rest(sink);
                self.section = Section::Done;
                sink(Fragment::End);
            }
        }
    }

    /// Ends the section at hand.
    fn close(&mut self, sink: &mut Sink<'_>) {
        match std::mem::replace(&mut self.section, Section::Done) {
            Section::Text(mut flow) => {
                if flow.close(sink) {
                    self.parts += 1;
                }
            }
            Section::Body(list) => {
                let (unclosed, behind) = list.finish();
                if unclosed {
                    repaired("the closing bracket of the list was missing", self.at, sink);
                }
                if let Some(note) = behind.and_then(Aside::into_note) {
                    sink(Fragment::Note(note));
                }
            }
            Section::Aside(aside) => {
                if let Some(note) = aside.into_note() {
                    sink(Fragment::Note(note));
                }
            }
            Section::Done => {}
        }
    }

    /// Calls that no execution point followed are run all the same (P-14).
    fn execute_rest(&mut self, sink: &mut Sink<'_>) {
        if self.calls.execute() {
            self.note(Oddity::MissingExecute, "calls were waiting without an end", sink);
            sink(Fragment::Execute);
        }
    }

    fn say(&mut self, voice: Voice) {
        let first = self.options.dialect.first();
        self.section = Section::Text(Flow::new(voice, self.parts + 1, first));
    }

    fn forged(&mut self) {
        self.section = Section::Aside(Aside::new(Oddity::ForgedResult, false));
    }

    fn has_tags(&self) -> bool {
        self.options.dialect != Dialect::Sigil
    }

    fn note(&self, oddity: Oddity, content: impl Into<String>, sink: &mut Sink<'_>) {
        sink(Fragment::Note(Note { oddity, content: content.into(), at: self.at }));
    }
}

/// The section that needs no marker (P-5).
const DEFAULT: Voice = Voice::Respond { last: true };

fn repaired(what: &str, at: u64, sink: &mut Sink<'_>) {
    sink(Fragment::Note(Note { oddity: Oddity::Repaired, content: what.to_owned(), at }));
}
