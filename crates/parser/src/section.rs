use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextKind};
use silcrow_lex::{BodyEnd, Delimiter, Dialect};

use crate::aside::Aside;
use crate::call::Gave;
use crate::flow::{Flow, Sink};
use crate::list::List;
use crate::parser::Parser;
use crate::{action, phase, sigil};

/// What the text at hand is.
#[derive(Debug)]
pub(crate) enum Section {
    /// A thought or an answer.
    Text(Flow),
    /// A piece of what is outside sections (P-21).
    Outside(Flow),
    /// A call body, or a list of them.
    List(List),
    /// An action.
    Action(Action),
    /// Text that becomes a note.
    Aside(Aside),
    /// Text that is dropped.
    Comment,
    /// After the end.
    Done,
}

/// What stands between the tags of an action. The first of them is the parser's last one.
#[derive(Debug)]
pub(crate) struct Action {
    /// What stands around the body.
    pub(crate) around: List,
    /// How the body ended, and where; torn until then.
    close: (BodyEnd, u64),
    /// It stands in a thought, which goes on behind it.
    in_thought: bool,
}

/// What a delimiter does to the turn; each dialect says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A section of text begins.
    Say(TextKind),
    /// A call body, a list of them, or an action begins.
    Call,
    /// The execution point.
    Execute,
    /// What follows is outside sections (P-21).
    Outside,
    /// A comment begins.
    Comment,
    /// What claims to be results begins.
    Forged,
    /// The model is done.
    End,
}

/// The section that needs no delimiter (P-5), and what text outside sections may become (P-21).
pub(crate) const DEFAULT: TextKind = TextKind::Respond { last: true };

impl Parser {
    /// Opens what stands before the first delimiter.
    pub(crate) fn begin(&mut self) {
        self.section = match self.options.dialect {
            Dialect::Sigil | Dialect::Phase => Section::Text(self.flow(DEFAULT)),
            Dialect::Action => Section::Outside(self.flow(DEFAULT)),
        };
    }

    pub(crate) fn delimiter(&mut self, marker: Delimiter, sink: &mut Sink<'_>) {
        let has_tag = self.tag.end();
        let in_thought = self.in_thought();
        let turn = match self.options.dialect {
            Dialect::Sigil => sigil::turn(marker),
            Dialect::Phase => phase::turn(marker),
            Dialect::Action => action::turn(marker, has_tag.then_some(&self.tag), in_thought),
        };
        self.close(false, sink);
        self.section = match turn {
            Turn::Say(voice) => {
                if has_tag && in_thought {
                    // Only an answer has a tag that closes a forgotten thought (P-19).
                    report(DiagnosticKind::Unclosed, "a thought was still open", self.tag.at, sink);
                }
                Section::Text(self.flow(voice))
            }
            Turn::Call if has_tag => {
                let close = (BodyEnd::Torn, self.at);
                Section::Action(Action { around: List::new(), close, in_thought })
            }
            Turn::Call => Section::List(List::new()),
            Turn::Execute => {
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
                    Section::Aside(Aside::new(DiagnosticKind::ForgedResult, false))
                } else {
                    Section::Text(self.flow(DEFAULT))
                }
            }
            Turn::Outside => Section::Outside(self.flow(DEFAULT)),
            Turn::Comment => Section::Comment,
            Turn::Forged => Section::Aside(Aside::new(DiagnosticKind::ForgedResult, false)),
            Turn::End => {
                self.execute_rest(sink);
                sink(Fragment::End);
                Section::Done
            }
        };
    }

    /// A body, or an item of a list, is over.
    pub(crate) fn close_body(&mut self, close: BodyEnd, sink: &mut Sink<'_>) {
        if let Section::Action(action) = &mut self.section {
            // The action itself is over at its closing tag.
            action.close = (close, self.at);
            action.around.end();
            return;
        }
        if self.calls.close(close, self.at, None, self.parts + 1, sink) == Gave::Text {
            self.parts += 1;
        }
        if let (Section::List(list), Dialect::Sigil) = (&self.section, self.options.dialect) {
            self.section = Section::Aside(Aside::new(DiagnosticKind::StrayText, list.fenced));
        }
    }

    /// The end of the input.
    pub(crate) fn end(&mut self, sink: &mut Sink<'_>) {
        let open_fence = match &self.section {
            Section::Text(flow) | Section::Outside(flow) => flow.fence_stays_open(),
            _ => false,
        };
        let unclosed = self.unclosed();
        self.close(true, sink);
        self.outside.finish(self.parts + 1, sink);
        if open_fence {
            report(DiagnosticKind::OpenFence, "a code fence was still open", self.at, sink);
        }
        if let Some(what) = unclosed {
            report(DiagnosticKind::Unclosed, &format!("{what} was still open"), self.at, sink);
        }
        if self.options.dialect != Dialect::Action {
            self.execute_rest(sink);
        }
    }

    /// Ends the section at hand, before a delimiter or at the end of the input.
    fn close(&mut self, at_end: bool, sink: &mut Sink<'_>) {
        match std::mem::replace(&mut self.section, Section::Done) {
            Section::Text(mut flow) => {
                if flow.close(sink) {
                    self.parts += 1;
                    if flow.voice() != TextKind::Think {
                        self.outside.is_stray(sink);
                    }
                }
            }
            Section::Outside(piece) => {
                if self.outside.close(piece, sink) {
                    self.parts += 1;
                }
            }
            Section::Action(Action { around, close: (close, at), .. }) => {
                match self.calls.close(close, at, Some(&self.tag), self.parts + 1, sink) {
                    Gave::Call => self.outside.is_stray(sink),
                    Gave::Text => self.parts += 1,
                    Gave::Nothing => {}
                }
                around.close(at_end, self.at, sink);
            }
            Section::List(list) => list.close(at_end, self.at, sink),
            Section::Aside(aside) => aside.close(sink),
            Section::Comment | Section::Done => {}
        }
    }

    /// What only the end of the input closes (P-6). A `§` section needs no closing.
    fn unclosed(&self) -> Option<&'static str> {
        match (&self.section, self.options.dialect) {
            (_, Dialect::Sigil) => None,
            (Section::Text(flow), _) if flow.voice() == TextKind::Think => Some("a thought"),
            (Section::Text(_), Dialect::Action) => Some("an answer"),
            (Section::List(_), _) => Some("a list of calls"),
            (Section::Action(_), _) => Some("an action"),
            (Section::Aside(_), _) => Some("a section of results"),
            (Section::Comment, _) => Some("a comment"),
            (Section::Text(_) | Section::Outside(_) | Section::Done, _) => None,
        }
    }

    /// Whether a thought is open, around an action too.
    fn in_thought(&self) -> bool {
        match &self.section {
            Section::Text(flow) => flow.voice() == TextKind::Think,
            Section::Action(action) => action.in_thought,
            _ => false,
        }
    }

    /// Calls that no execution point followed are run all the same (P-14).
    fn execute_rest(&mut self, sink: &mut Sink<'_>) {
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

    fn flow(&self, voice: TextKind) -> Flow {
        Flow::new(voice, self.parts + 1, self.options.dialect.first())
    }
}

fn report(oddity: DiagnosticKind, content: &str, at: u64, sink: &mut Sink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic { kind: oddity, content: content.to_owned(), at }));
}
