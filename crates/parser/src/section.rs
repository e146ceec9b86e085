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
//! Comment         Comment
//! ForgedResults   Stray
//! End             Done
//! ```
//!
//! In `sigil` the end of a call's body opens `Stray`, because only a delimiter may follow it; if
//! another body follows, that opens `List` again.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextKind};
use silcrow_lex::{BodyEnd, Delimiter, Dialect};

use crate::body_frame::BodyFrame;
use crate::call::CallForm;
use crate::diagnostic_text::DiagnosticText;
use crate::fence::Fence;
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
    /// Text that is dropped.
    Comment,
    /// After the end.
    Done,
}

/// The state between the tags of an action. Its opening tag is the parser's last one.
#[derive(Debug)]
pub(crate) struct OpenAction {
    /// The text around the body.
    pub(crate) around: BodyFrame,
    body: ActionBodyEnd,
    /// Whether the action is inside a thought, which continues after it.
    in_thought: bool,
}

/// The progress of an action's body.
#[derive(Clone, Copy, Debug)]
enum ActionBodyEnd {
    /// It is written, or has not begun.
    Open,
    /// It ended in this way at this position, and is a call at the closing tag.
    Ended(BodyEnd, u64),
    /// It is a call, and the current body is another one (P-20).
    Another,
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
    /// A comment begins.
    Comment,
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

    /// Opens a thought in the form of reasoning models, which has no fences (P-38).
    pub(crate) fn open_native_thought(&mut self) {
        let part = self.parts + 1;
        self.section = Section::Text(SectionText::new(TextKind::Think, part, None));
    }

    /// Closes the section, and opens the one that the dialect decides.
    pub(crate) fn delimiter(&mut self, delimiter: Delimiter, sink: &mut FragmentSink<'_>) {
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
                Section::Text(self.section_text(kind))
            }
            DelimiterEffect::Call if has_tag => {
                let (around, body) = (BodyFrame::new(false), ActionBodyEnd::Open);
                Section::Action(OpenAction { around, body, in_thought })
            }
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
            DelimiterEffect::Outside => Section::Outside(self.section_text(DEFAULT)),
            DelimiterEffect::Comment => Section::Comment,
            DelimiterEffect::ForgedResults => {
                // Where the model of an action expects results, it waits for them (P-10).
                if self.options.dialect == Dialect::Action && self.calls.execute() {
                    sink(Fragment::Execute);
                }
                Section::Stray(DiagnosticText::new(DiagnosticKind::ForgedResult, false))
            }
            DelimiterEffect::End => {
                self.execute_rest(sink);
                sink(Fragment::End);
                Section::Done
            }
        };
    }

    /// Begins a body, or an item of a list.
    pub(crate) fn begin_body(&mut self, sink: &mut FragmentSink<'_>) {
        match &mut self.section {
            Section::List(list) => list.item(self.at, sink),
            Section::Stray(stray) => {
                let fenced = stray.fenced;
                let what = "a call without a delimiter of its own was read as one";
                report(DiagnosticKind::Repaired, what, self.at, sink);
                self.section = Section::List(BodyFrame::new(fenced));
            }
            Section::Action(action) if let ActionBodyEnd::Ended(close, at) = action.body => {
                action.body = ActionBodyEnd::Another;
                self.close_action(close, at, sink);
            }
            _ => {}
        }
    }

    /// Ends a body, or an item of a list.
    pub(crate) fn close_body(&mut self, close: BodyEnd, sink: &mut FragmentSink<'_>) {
        let form = match &mut self.section {
            Section::Action(action) => {
                action.around.complete();
                if let ActionBodyEnd::Open = action.body {
                    // The action itself ends at its closing tag.
                    action.body = ActionBodyEnd::Ended(close, self.at);
                    self.calls.complete();
                    return;
                }
                CallForm::Another
            }
            _ => CallForm::Plain,
        };
        if self.calls.close(close, self.at, form, self.parts + 1, sink) {
            self.parts += 1;
        }
        if let (Section::List(list), Dialect::Sigil) = (&self.section, self.options.dialect) {
            self.section =
                Section::Stray(DiagnosticText::new(DiagnosticKind::StrayText, list.fenced));
        }
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
        if let Some(held) = &held {
            self.at = held.end();
        }
        if self.options.dialect != Dialect::Action {
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
            Section::Outside(piece) => {
                if self.outside.close(piece, sink) {
                    self.parts += 1;
                }
                self.hidden.report(sink);
            }
            Section::Action(OpenAction { around, body, .. }) => {
                match body {
                    ActionBodyEnd::Ended(close, at) => self.close_action(close, at, sink),
                    ActionBodyEnd::Open => self.close_action(BodyEnd::Truncated, self.at, sink),
                    ActionBodyEnd::Another => {}
                }
                around.close(at_end, self.at, sink);
            }
            Section::List(list) => list.close(at_end, self.at, sink),
            Section::Stray(stray) => {
                stray.close(sink);
            }
            Section::Comment | Section::Done => {}
        }
    }

    /// Ends the body of an action, which is a call from now on.
    fn close_action(&mut self, close: BodyEnd, at: u64, sink: &mut FragmentSink<'_>) {
        if self.calls.close(close, at, CallForm::Action(&self.tag), self.parts + 1, sink) {
            self.parts += 1;
        }
        // Beside an action, even one that cannot run, other text is no answer (P-21).
        self.outside.make_stray(sink);
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
            (Section::Comment, _) => Some("a comment"),
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

fn report(kind: DiagnosticKind, content: &str, at: u64, sink: &mut FragmentSink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic { kind, content: content.to_owned(), at: Some(at) }));
}
