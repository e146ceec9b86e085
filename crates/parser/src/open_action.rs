//! The bodies of calls in their sections: their beginnings and ends.
//!
//! The body of an action is a call at the closing tag; any other body is a call where it ends.
//! Other modules read the body's contents.

use silcrow_event::DiagnosticKind;
use silcrow_lex::{BodyEnd, Dialect};

use crate::body_frame::BodyFrame;
use crate::call::CallForm;
use crate::diagnostic_text::DiagnosticText;
use crate::parser::Parser;
use crate::section::{Section, report};
use crate::section_text::FragmentSink;

/// The state between the tags of an action. Its opening tag is the parser's last one.
#[derive(Debug)]
pub(crate) struct OpenAction {
    /// The text around the body.
    pub(crate) around: BodyFrame,
    body: ActionBodyStage,
    /// Whether the action is inside a thought, which continues after it.
    pub(crate) in_thought: bool,
}

/// The progress of an action's body.
#[derive(Clone, Copy, Debug)]
enum ActionBodyStage {
    /// It is written, or has not begun.
    Open,
    /// It ended in this way at this position, and is a call at the closing tag.
    Ended(BodyEnd, u64),
    /// It is a call, and the current body is a second one (P-20).
    Another,
}

impl OpenAction {
    pub(crate) const fn new(in_thought: bool) -> Self {
        Self { around: BodyFrame::new(false), body: ActionBodyStage::Open, in_thought }
    }
}

impl Parser {
    /// Begins a body, or an item of a list.
    pub(crate) fn begin_body(&mut self, sink: &mut FragmentSink<'_>) {
        match &mut self.section {
            Section::List(list) => list.item(self.at, sink),
            Section::Stray(stray) => {
                let fenced = stray.fenced;
                let what = "a call without its own delimiter was accepted";
                report(DiagnosticKind::Repaired, what, self.at, sink);
                self.section = Section::List(BodyFrame::new(fenced));
            }
            Section::Action(action) if let ActionBodyStage::Ended(close, at) = action.body => {
                action.body = ActionBodyStage::Another;
                self.close_action_body(close, at, sink);
            }
            _ => {}
        }
    }

    /// Ends a body, or an item of a list.
    pub(crate) fn close_body(&mut self, close: BodyEnd, sink: &mut FragmentSink<'_>) {
        let form = match &mut self.section {
            Section::Action(action) => {
                action.around.complete();
                if let ActionBodyStage::Open = action.body {
                    // The action itself ends at its closing tag.
                    action.body = ActionBodyStage::Ended(close, self.at);
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

    /// Ends an action at its closing tag, or at the end of the input.
    pub(crate) fn close_action(
        &mut self,
        action: OpenAction,
        at_end: bool,
        sink: &mut FragmentSink<'_>,
    ) {
        match action.body {
            ActionBodyStage::Open => self.close_action_body(BodyEnd::Truncated, self.at, sink),
            ActionBodyStage::Ended(close, at) => self.close_action_body(close, at, sink),
            ActionBodyStage::Another => {}
        }
        action.around.close(at_end, self.at, sink);
    }

    /// Ends the body of an action, which is a call from now on.
    fn close_action_body(&mut self, close: BodyEnd, at: u64, sink: &mut FragmentSink<'_>) {
        let inside = self.outside.blocks.obstacle();
        let form = CallForm::Action { tag: &self.tag, inside };
        if self.calls.close(close, at, form, self.parts + 1, sink) {
            self.parts += 1;
        }
        // Next to an action, even one that cannot run, other text is not an answer (P-21).
        self.outside.make_stray(sink);
    }
}
