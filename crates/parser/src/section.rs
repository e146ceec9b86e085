//! The sections of a turn, and the effects of delimiters on them.
//!
//! A parser is in one [`Section`]. A delimiter closes it and opens another: the module of the
//! dialect decides which, with a [`DelimiterEffect`], and this module carries the effect out. A new
//! dialect is a module with the functions `effect` and `write`, as `sigil` is.
//!
//! ```text
//! effect          next section
//! Text            Text
//! Call            List, or Action after a tag
//! Execute         Stray in `sigil`, otherwise Text
//! Outside         Outside
//! ForgedResults   Stray
//! End             Done
//! ```
//!
//! A comment is a part of `Outside`. In `sigil` the end of a call's body opens `Stray`, because only
//! a delimiter may follow it; if another body follows, that opens `List` again.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextKind};
use silcrow_lex::{Delimiter, Dialect};

use crate::body_frame::BodyFrame;
use crate::diagnostic_text::DiagnosticText;
use crate::fence::Fence;
use crate::open_action::OpenAction;
use crate::parser::Parser;
use crate::section_text::{FragmentSink, SectionText};
use crate::{action, phase, sigil};

/// The section of the current text.
#[derive(Debug)]
pub(crate) enum Section {
    /// A thought or an answer.
    Text(SectionText),
    /// A piece of the text outside of all sections (P-21).
    Outside(SectionText),
    /// A call's body, or a list of them.
    List(BodyFrame),
    /// An action.
    Action(OpenAction),
    /// Text that becomes a diagnostic.
    Stray(DiagnosticText),
    /// A comment in such a piece.
    Comment(SectionText),
    /// After the end.
    Done,
}

/// The effect of a delimiter on the turn, which the dialect decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DelimiterEffect {
    /// A section of text begins.
    Text(TextKind),
    /// A call's body, a list of them, or an action begins.
    Call,
    /// The execution point.
    Execute,
    /// Text outside of all sections begins (P-21).
    Outside,
    /// Text begins that claims to be results (P-10).
    ForgedResults,
    /// The model is done.
    End,
}

/// The kind of a section without a delimiter (P-5), and of text outside of all sections (P-21).
pub(crate) const DEFAULT: TextKind = TextKind::Respond { last: true };

impl Parser {
    /// Opens the section before the first delimiter.
    pub(crate) fn begin(&mut self) {
        self.section = match self.options.dialect {
            Dialect::Sigil | Dialect::Phase => Section::Text(self.section_text(DEFAULT)),
            Dialect::Action => Section::Outside(self.section_text(DEFAULT)),
        };
    }

    /// Opens a piece of the text outside of all sections.
    pub(crate) fn open_outside(&mut self) {
        self.section = Section::Outside(self.section_text(DEFAULT));
    }

    /// Opens a thought in the form of reasoning models, which has no fences (P-38).
    pub(crate) fn open_native_thought(&mut self) {
        let part = self.parts + 1;
        self.section = Section::Text(SectionText::new(TextKind::Think, part, None));
    }

    /// Closes the section, and opens the next one, which the dialect decides.
    pub(crate) fn delimiter(&mut self, delimiter: Delimiter, sink: &mut FragmentSink<'_>) {
        if let Delimiter::Comment | Delimiter::CommentEnd = delimiter {
            self.comment(delimiter, sink);
            return;
        }
        if std::mem::take(&mut self.is_plain) {
            self.has_plain_answer = matches!(&self.section, Section::Text(text) if text.is_open());
        }
        if delimiter.is_block() {
            self.block(delimiter, sink);
            return;
        }
        let has_tag = self.tag.end();
        let in_thought = self.in_thought();
        let effect = match self.options.dialect {
            Dialect::Sigil => sigil::effect(delimiter),
            Dialect::Phase => phase::effect(delimiter),
            Dialect::Action => action::effect(delimiter, has_tag.then_some(&self.tag), in_thought),
        };
        self.close(false, sink);
        self.section = match effect {
            DelimiterEffect::Text(kind) => {
                if has_tag && in_thought {
                    // Only the tag of an answer closes a forgotten thought (P-19).
                    report(DiagnosticKind::Unclosed, "a thought was still open", self.tag.at, sink);
                }
                if kind != TextKind::Think
                    && let Some(name) = self.outside.blocks.innermost()
                {
                    let what = format!("a response is inside `<{name}>`");
                    report(DiagnosticKind::UnknownBlock, &what, self.tag.at, sink);
                }
                Section::Text(self.section_text(kind))
            }
            DelimiterEffect::Call if has_tag => Section::Action(OpenAction::new(in_thought)),
            DelimiterEffect::Call => Section::List(BodyFrame::new(false)),
            DelimiterEffect::Execute => {
                if self.calls.execute() {
                    sink(Fragment::Execute);
                } else {
                    report(
                        DiagnosticKind::NothingToExecute,
                        "no call is waiting to be run",
                        self.at,
                        sink,
                    );
                }
                if self.options.dialect == Dialect::Sigil {
                    Section::Stray(DiagnosticText::new(DiagnosticKind::ForgedResult, false))
                } else {
                    Section::Text(self.section_text(DEFAULT))
                }
            }
            DelimiterEffect::Outside => return self.open_outside(),
            DelimiterEffect::ForgedResults => {
                // If the model of an action expects results, it waits for them (P-10).
                if self.options.dialect == Dialect::Action && self.calls.execute() {
                    sink(Fragment::Execute);
                }
                Section::Stray(DiagnosticText::new(DiagnosticKind::ForgedResult, false))
            }
            DelimiterEffect::End => {
                self.execute_rest(sink);
                self.ended_at.get_or_insert(self.at);
                sink(Fragment::End);
                Section::Done
            }
        };
    }

    /// Returns the number of bytes of wire text up to the text after its end delimiter, once the
    /// delimiter has taken effect. Text after it is ignored, and may say why the delimiter was
    /// written.
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil);
    /// let text = "§respond: It is 4.\n§end\nas asked";
    /// parser.push(text, &mut |_| {});
    /// let rest = parser.ended_at().map(|end| &text[end as usize..]);
    /// assert!(rest.is_some_and(|rest| rest.ends_with("as asked")));
    /// ```
    pub const fn ended_at(&self) -> Option<u64> {
        self.ended_at
    }

    /// Ends the turn at the end of the input.
    pub(crate) fn end(&mut self, sink: &mut FragmentSink<'_>) {
        let open_fence = match &self.section {
            Section::Text(text) | Section::Outside(text) => text.has_open_fence(),
            _ => false,
        };
        let held = self.held.take();
        let unclosed = self.unclosed().filter(|_| held.is_none());
        self.close(true, sink);
        self.outside.finish(self.parts + 1, sink);
        if open_fence {
            report(DiagnosticKind::OpenFence, "a code fence was still open", self.at, sink);
        }
        if let Some(what) = unclosed {
            report(DiagnosticKind::Unclosed, &format!("{what} was still open"), self.at, sink);
        }
        self.report_open_blocks(sink);
        if let Some(held) = &held {
            self.at = held.end();
        }
        if self.options.dialect != Dialect::Action && !self.is_cut {
            self.execute_rest(sink);
        }
        if held.is_some_and(|held| held.delimiter == Delimiter::End) {
            sink(Fragment::End);
        }
    }

    /// Ends the current section, before a delimiter or at the end of the input.
    pub(crate) fn close(&mut self, at_end: bool, sink: &mut FragmentSink<'_>) {
        match std::mem::replace(&mut self.section, Section::Done) {
            Section::Text(mut text) => {
                if text.close(sink) {
                    self.parts += 1;
                    if text.kind() != TextKind::Think {
                        self.outside.make_stray(sink);
                    }
                    if text.kind() == DEFAULT
                        && self.options.dialect == Dialect::Action
                        && self.outside.answer()
                    {
                        let what = "the turn already has a final response";
                        report(DiagnosticKind::SecondResponse, what, self.tag.at, sink);
                    }
                }
                self.hidden.report(sink);
            }
            Section::Outside(piece) | Section::Comment(piece) => {
                if self.outside.close(piece, sink) {
                    self.parts += 1;
                }
                self.hidden.report(sink);
            }
            Section::Action(action) => self.close_action(action, at_end, sink),
            Section::List(list) => list.close(at_end, self.at, sink),
            Section::Stray(stray) => {
                stray.close(sink);
            }
            Section::Done => {}
        }
    }

    /// Returns a name for a section that only the end of the input closes (P-6). The sections of
    /// `sigil` need no closing delimiter.
    fn unclosed(&self) -> Option<&'static str> {
        match (&self.section, self.options.dialect) {
            (Section::Text(_), _) if self.beginning.is_thought() => Some("a thought"),
            (_, Dialect::Sigil) => None,
            (Section::Text(text), _) if text.kind() == TextKind::Think => Some("a thought"),
            (Section::Text(_), Dialect::Action) => Some("an answer"),
            (Section::List(_), _) => Some("a list of calls"),
            (Section::Action(_), _) => Some("an action"),
            (Section::Stray(_), _) => Some("a section of results"),
            (Section::Comment(_), _) => Some("a comment"),
            (Section::Text(_) | Section::Outside(_) | Section::Done, _) => None,
        }
    }

    /// Returns whether a thought is open, possibly around an action.
    fn in_thought(&self) -> bool {
        match &self.section {
            Section::Text(text) => text.kind() == TextKind::Think,
            Section::Action(action) => action.in_thought,
            _ => false,
        }
    }

    /// Emits the execution point that the model left out, if calls wait for one (P-14).
    fn execute_rest(&mut self, sink: &mut FragmentSink<'_>) {
        if self.calls.execute() {
            report(
                DiagnosticKind::MissingExecute,
                "calls were waiting without an end",
                self.at,
                sink,
            );
            sink(Fragment::Execute);
        }
    }

    fn section_text(&self, kind: TextKind) -> SectionText {
        let fence = Fence::new(self.options.dialect.first_char());
        SectionText::new(kind, self.parts + 1, Some(fence))
    }
}

pub(crate) fn report(kind: DiagnosticKind, content: &str, at: u64, sink: &mut FragmentSink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic { kind, content: content.to_owned(), at: Some(at) }));
}
