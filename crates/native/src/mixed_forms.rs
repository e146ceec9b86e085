//! Native calls in the answers that another parser finds.
//!
//! This module combines fragments, whatever the dialect of the other parser and the marks of the
//! families.

mod numbers;

use std::fmt;
use std::sync::Arc;

use silcrow_event::{
    ActionAttributes, Call, DiagnosticKind, Fragment, InvalidCall, TextFragment, TextKind,
};

use crate::call_sink::Emit;
use crate::native_family::NativeFamily;
use crate::native_parser::NativeParser;
use crate::tool_schemas::ToolSchemas;

use self::numbers::FragmentNumbers;

/// Reads the native forms of families in the answers of another parser's fragments, for a model that is
/// asked to write a dialect and writes calls as it was trained.
///
/// The fragments of the other parser pass through it. In the text of answers it searches for
/// thoughts and calls of the families; everything else stays as it is, except the numbers of
/// sections and calls, which count both. A native call is pending like one of the dialect, and runs
/// at the next execution point or at the end of the answer. Its id is the model's, if it is free,
/// and otherwise `n1`, `n2`, …
///
/// Text that [`NativeParser`] takes for quoted is never a call. A native call inside a thought of
/// the other parser is not a call either, and stays text.
///
/// ```
/// use silcrow_native::{Fragment, MixedForms, NativeFamily};
/// use silcrow_parser::{Dialect, Parser};
///
/// let family = NativeFamily::of_model("Qwen2.5-7B-Instruct").expect("its name is known");
/// let mut forms = MixedForms::new(&[family]);
/// let mut parser = Parser::new(Dialect::Sigil);
/// let mut seen = Vec::new();
/// let mut take = |fragment: Fragment<'_>| match fragment {
///     Fragment::Text(text) => seen.push(text.text.trim_end().to_owned()),
///     Fragment::Call(call) => seen.push(format!("{} {}", call.name(), call.args())),
///     Fragment::Execute => seen.push("execute".to_owned()),
///     _ => {}
/// };
/// let text = "I look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>";
/// parser.push(text, &mut |fragment| forms.push(fragment, &mut take));
/// parser.finish(&mut |fragment| forms.push(fragment, &mut take));
/// forms.finish(&mut take);
/// assert_eq!(seen, ["I look.", "ls {}", "execute"]);
/// ```
pub struct MixedForms {
    families: Vec<NativeFamily>,
    tools: Option<Arc<ToolSchemas>>,
    call_text: bool,
    /// Whether calls are actions, so that the rest of a section's text is held until its end.
    is_action: bool,
    is_over: bool,
    /// The answer that is open.
    open: Option<ScannedAnswer>,
    /// The held contents of the open section.
    held: Vec<HeldFragment>,
    numbers: FragmentNumbers,
    /// Whether a native call waits for an execution point.
    is_pending: bool,
}

/// An answer of the other parser, and its reader.
struct ScannedAnswer {
    parser: Box<NativeParser>,
    section: AnswerSection,
}

/// The number and the kind that the other parser gave an answer.
#[derive(Clone, Copy)]
struct AnswerSection {
    part: u32,
    kind: TextKind,
}

/// A fragment that is held until the end of its section.
enum HeldFragment {
    Text(TextKind, String),
    Other(Fragment<'static>),
}

impl MixedForms {
    /// Creates a reader of the forms of these families. If a text fits several, the first family
    /// counts.
    pub fn new(families: &[NativeFamily]) -> Self {
        Self {
            families: families.to_vec(),
            tools: None,
            call_text: false,
            is_action: false,
            is_over: false,
            open: None,
            held: Vec::new(),
            numbers: FragmentNumbers::default(),
            is_pending: false,
        }
    }

    /// Sets the schemas of the tools, which give types to arguments that have none in the text.
    #[must_use]
    pub fn with_tools(mut self, tools: Arc<ToolSchemas>) -> Self {
        self.tools = Some(tools);
        self
    }

    /// Makes it emit the arguments of native calls while they are written, as pieces of JSON.
    #[must_use]
    pub fn with_call_text(mut self) -> Self {
        self.call_text = true;
        self
    }

    /// Sets that the other parser reads the dialect `action`: a native call is a `sync` action, and
    /// text that [the end](Self::end_text) turns into an answer is not final if a call follows it.
    #[must_use]
    pub fn with_actions(mut self) -> Self {
        self.is_action = true;
        self
    }

    /// Takes a fragment of the other parser, and emits the certain ones.
    pub fn push(&mut self, fragment: Fragment<'_>, emit: &mut dyn FnMut(Fragment<'_>)) {
        match fragment {
            Fragment::Text(text) if text.kind.is_respond() => self.read(text, emit),
            Fragment::Text(text) => {
                self.close_answer(emit);
                self.numbers.text(text, emit);
            }
            Fragment::Thought { .. } => {
                // A call in it has ended it before.
                if let Some(ScannedAnswer { parser, section }) = self.open.take() {
                    parser.finish(&mut |fragment| self.take(fragment, section, emit));
                    self.release(section.part, emit);
                }
                self.numbers.make_thought(emit);
            }
            Fragment::Close { .. } => self.close(emit),
            Fragment::CallText(mut piece) => {
                self.close(emit);
                let id = piece.id.map(|id| self.numbers.own_id(id));
                piece.id = id.as_deref();
                self.numbers.call_text(piece, emit);
            }
            Fragment::Call(call) => {
                self.close(emit);
                let id = self.numbers.own_id(call.id());
                self.numbers.call(call, id, emit);
            }
            Fragment::InvalidCall(mut call) => {
                self.close(emit);
                call.id = self.numbers.own_id(&call.id);
                self.numbers.invalid_call(call, emit);
            }
            Fragment::Execute => {
                self.close(emit);
                self.is_pending = false;
                emit(Fragment::Execute);
            }
            Fragment::Diagnostic(noted)
                if noted.kind == DiagnosticKind::NothingToExecute && self.is_pending =>
            {
                self.execute(emit);
            }
            Fragment::End => {
                self.close(emit);
                self.execute(emit);
                emit(Fragment::End);
            }
            other => emit(other),
        }
    }

    /// Ends the text, before the other parser emits its held text.
    pub fn end_text(&mut self) {
        self.is_over = true;
    }

    /// Takes the end of the fragments. Native calls that are pending get their execution point.
    pub fn finish(mut self, emit: &mut dyn FnMut(Fragment<'_>)) {
        self.close(emit);
        self.execute(emit);
    }

    /// Handles the end of fragments that were cut off. Nothing that is pending runs.
    pub fn finish_cut(mut self, emit: &mut dyn FnMut(Fragment<'_>)) {
        self.close(emit);
    }

    fn read(&mut self, text: TextFragment<'_>, emit: &mut Emit<'_>) {
        let mut open = self.open.take().unwrap_or_else(|| ScannedAnswer {
            parser: Box::new(self.parser()),
            section: AnswerSection { part: text.part, kind: text.kind },
        });
        let section = open.section;
        open.parser.push(text.text, &mut |fragment| self.take(fragment, section, emit));
        self.open = Some(open);
    }

    /// Closes the section that is open.
    fn close(&mut self, emit: &mut Emit<'_>) {
        self.close_answer(emit);
        self.numbers.close(emit);
    }

    /// Closes the answer that is open, if there is one.
    fn close_answer(&mut self, emit: &mut Emit<'_>) {
        if let Some(ScannedAnswer { parser, section }) = self.open.take() {
            parser.finish(&mut |fragment| self.take(fragment, section, emit));
            self.release(section.part, emit);
            self.numbers.close(emit);
        }
    }

    fn execute(&mut self, emit: &mut Emit<'_>) {
        if std::mem::take(&mut self.is_pending) {
            emit(Fragment::Execute);
        }
    }

    fn parser(&self) -> NativeParser {
        let mut parser = NativeParser::for_families(&self.families);
        if let Some(tools) = &self.tools {
            parser = parser.with_tools(Arc::clone(tools));
        }
        if self.call_text { parser.with_call_text() } else { parser }
    }

    /// Takes a fragment of a family's parser in an answer.
    fn take(&mut self, fragment: Fragment<'_>, section: AnswerSection, emit: &mut Emit<'_>) {
        let is_held = self.is_action && self.is_over;
        match fragment {
            Fragment::Text(text) => {
                let kind = if text.kind.is_respond() { section.kind } else { text.kind };
                match is_held {
                    true => self.held.push(HeldFragment::Text(kind, text.text.to_owned())),
                    false => {
                        self.numbers.text(TextFragment { kind, part: section.part, ..text }, emit);
                    }
                }
            }
            // A section ends where the next one or a call begins.
            Fragment::Close { .. } | Fragment::Execute | Fragment::End => {}
            Fragment::CallText(_) if is_held => {}
            Fragment::CallText(mut piece) => {
                let id = piece.id.map(|id| self.numbers.native_id(id));
                piece.id = id.as_deref();
                self.numbers.call_text(piece, emit);
            }
            Fragment::Call(call) => {
                self.is_pending = true;
                let call = if self.is_action { action(call) } else { call };
                match is_held {
                    true => self.held.push(HeldFragment::Other(Fragment::Call(call))),
                    false => self.emit_call(call, emit),
                }
            }
            Fragment::InvalidCall(call) => match is_held {
                true => self.held.push(HeldFragment::Other(Fragment::InvalidCall(call))),
                false => self.emit_invalid_call(call, emit),
            },
            Fragment::Diagnostic(mut noted) => {
                // It is counted from the beginning of the section, whose position is unknown.
                noted.at = None;
                emit(Fragment::Diagnostic(noted));
            }
            _ => {}
        }
    }

    /// Emits the held fragments of a section.
    fn release(&mut self, part: u32, emit: &mut Emit<'_>) {
        let held = std::mem::take(&mut self.held);
        let is_continued = held.iter().any(|one| matches!(one, HeldFragment::Other(_)));
        for one in held {
            match one {
                HeldFragment::Text(kind, text) => {
                    let is_final = kind == TextKind::Respond { last: true };
                    let kind = match is_continued && is_final {
                        true => TextKind::Respond { last: false },
                        false => kind,
                    };
                    self.numbers.text(TextFragment { kind, part, id: None, text: &text }, emit);
                }
                HeldFragment::Other(Fragment::Call(call)) => self.emit_call(call, emit),
                HeldFragment::Other(Fragment::InvalidCall(call)) => {
                    self.emit_invalid_call(call, emit);
                }
                HeldFragment::Other(other) => emit(other),
            }
        }
    }

    fn emit_call(&mut self, call: Call, emit: &mut Emit<'_>) {
        let id = self.numbers.native_id(call.id());
        self.numbers.call(call, id, emit);
    }

    fn emit_invalid_call(&mut self, mut call: InvalidCall, emit: &mut Emit<'_>) {
        self.is_pending = true;
        call.id = self.numbers.native_id(&call.id);
        self.numbers.invalid_call(call, emit);
    }
}

impl fmt::Debug for MixedForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MixedForms").field("families", &self.families).finish_non_exhaustive()
    }
}

fn action(call: Call) -> Call {
    match call.action() {
        Some(_) => call,
        None => call.with_action(ActionAttributes::default()),
    }
}
