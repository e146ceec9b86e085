//! The bodies of calls: collected while they are written, and parsed when they are complete.
//!
//! The body is empty, then grows, and is parsed when it ends. If it grows too long, the rest of it
//! is ignored. Other modules find the beginning and the end of a body.

use silcrow_event::{
    Call, CallTextFragment, Diagnostic, DiagnosticKind, Fragment, InvalidCall, TextFragment,
    TextKind, mend_json,
};
use silcrow_lex::BodyEnd;

use crate::action;
use crate::blocks::ElementAround;
use crate::call_ids::CallIds;
use crate::name_finder::NameFinder;
use crate::pending_tag::PendingTag;
use crate::rejected_call::{RejectedCall, RejectionKind};
use crate::repair::repair;
use crate::section_text::{FragmentSink, is_space};

/// The maximal length of a call's body in bytes (P-9).
pub const MAX_BODY: usize = 1 << 20;

/// A reader of the calls of a turn. It collects the current body, assigns ids, and counts the calls
/// that wait for an execution point.
#[derive(Debug, Default)]
pub(crate) struct CallReader {
    /// Whether the text of calls is emitted while it is written.
    pub(crate) emits_text: bool,
    body: String,
    /// The position of the body in the wire text.
    at: u64,
    name: NameFinder,
    /// The number of bodies that have ended.
    closed: u32,
    ids: CallIds,
    /// The number of calls, including malformed ones, since the last execution point.
    pending: u32,
    too_long: bool,
    /// Whether the body has ended, but is not parsed yet.
    complete: bool,
}

/// The form of a body, which decides how it becomes a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallForm<'a> {
    /// A body without attributes.
    Plain,
    /// The body of an action with this tag, and the element around it that keeps it from running
    /// (P-43).
    Action { tag: &'a PendingTag, inside: Option<ElementAround<'a>> },
    /// A body after an action's body, which cannot run (P-20).
    Another,
}

impl<'a> CallForm<'a> {
    fn tag(self) -> Option<&'a PendingTag> {
        match self {
            Self::Action { tag, .. } => Some(tag),
            Self::Plain | Self::Another => None,
        }
    }

    const fn inside(self) -> Option<ElementAround<'a>> {
        match self {
            Self::Action { inside, .. } => inside,
            Self::Plain | Self::Another => None,
        }
    }
}

impl CallReader {
    /// Returns the number of bytes that the body may still grow by.
    pub(crate) fn room(&self) -> usize {
        if self.too_long { usize::MAX } else { MAX_BODY - self.body.len() }
    }

    /// Returns whether the next text begins a body.
    pub(crate) fn is_at_start(&self) -> bool {
        self.body.is_empty() || self.complete
    }

    /// Marks the body as complete, before [`close`](Self::close) parses it.
    pub(crate) fn complete(&mut self) {
        self.complete = true;
    }

    /// Takes text of a body at position `at`. Returns whether the body is now too long to follow.
    pub(crate) fn push(&mut self, text: &str, at: u64, sink: &mut FragmentSink<'_>) -> bool {
        if self.too_long {
            return false;
        }
        if self.body.is_empty() {
            self.at = at;
        }
        self.body.push_str(text);
        if self.emits_text {
            self.emit_text(text, sink);
        }
        self.too_long = self.body.len() >= MAX_BODY;
        self.too_long
    }

    /// Emits the text that the body now ends with. The text is split at the end of the name, so
    /// that the cuts of the input do not matter.
    fn emit_text(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        let call = self.closed + 1;
        let mut text = text;
        let from = self.body.len() - text.len();
        if let Some(end) = self.name.follow(&self.body, from) {
            let (before, after) = text.split_at(end - from);
            if !before.is_empty() {
                sink(Fragment::CallText(CallTextFragment {
                    call,
                    id: None,
                    name: None,
                    text: before,
                }));
            }
            text = after;
        }
        let name = self.name.as_str();
        sink(Fragment::CallText(CallTextFragment { call, id: None, name, text }));
    }

    /// Ends the body. `at` is the position after its delimiter, which is reported for a body
    /// without text. A malformed body becomes a text with the number `part`. Returns whether there
    /// is such a text.
    pub(crate) fn close(
        &mut self,
        close: BodyEnd,
        at: u64,
        form: CallForm<'_>,
        part: u32,
        sink: &mut FragmentSink<'_>,
    ) -> bool {
        if self.body.is_empty() {
            self.at = at;
        }
        self.complete = false;
        self.closed += 1;
        let body = std::mem::take(&mut self.body);
        let outcome = self.judge(body.trim_matches(is_space), close, form, part, sink);
        self.name = NameFinder::default();
        // The next body reuses the buffer.
        self.body = body;
        self.body.clear();
        outcome
    }

    /// Emits the fragments of a body without the white space around it. Returns whether they
    /// contain text.
    fn judge(
        &mut self,
        body: &str,
        close: BodyEnd,
        form: CallForm<'_>,
        part: u32,
        sink: &mut FragmentSink<'_>,
    ) -> bool {
        let too_long = std::mem::take(&mut self.too_long);
        let tag = form.tag();
        let id = || tag.map(action::id_in).unwrap_or_default();
        let read = if close == BodyEnd::Truncated {
            let why = "the call was cut off before its end; write it again, whole".to_owned();
            Err(RejectedCall { why, id: id(), kind: RejectionKind::Truncated })
        } else if too_long {
            let why = format!("the body is longer than {MAX_BODY} bytes; write less in one call");
            Err(RejectedCall::malformed(&why, id()))
        } else if let CallForm::Another = form {
            let why = "an action has one object; write another action for this one";
            Err(RejectedCall::call(why.to_owned(), id()))
        } else {
            self.read(body, tag, sink)
        };
        let read = self.identify(read).and_then(|call| match form.inside() {
            Some(name) => Err(RejectedCall::in_block(name, call.id())),
            None => Ok(call),
        });
        if self.emits_text {
            let id = Some(read.as_ref().map_or_else(|rejected| &*rejected.id, Call::id));
            let (call, name) = (self.closed, self.name.as_str());
            sink(Fragment::CallText(CallTextFragment { call, id, name, text: "" }));
        }
        let rejected = match read {
            Ok(call) => {
                self.pending += 1;
                sink(Fragment::Call(call));
                return false;
            }
            Err(rejected) => rejected,
        };
        let RejectedCall { why, id, kind } = rejected;
        let truncated = kind == RejectionKind::Truncated;
        self.pending += u32::from(!truncated);
        // Only a malformed body is content (P-9).
        let is_content = kind == RejectionKind::Malformed && !body.is_empty();
        if is_content {
            let (kind, id) = (TextKind::Malformed, Some(&*id));
            sink(Fragment::Text(TextFragment { kind, part, id, text: body }));
            sink(Fragment::Close { part });
        }
        let kind = match kind {
            RejectionKind::Truncated => DiagnosticKind::TruncatedCall,
            RejectionKind::InBlock => DiagnosticKind::UnknownBlock,
            RejectionKind::Malformed | RejectionKind::InvalidCall => DiagnosticKind::MalformedCall,
        };
        self.report(kind, why.clone(), sink);
        let text = if truncated { beginning(body) } else { body.to_owned() };
        sink(Fragment::InvalidCall(InvalidCall { id, why, truncated, text }));
        is_content
    }

    /// Parses a body, and repairs it if that helps (P-8).
    fn read(
        &self,
        body: &str,
        tag: Option<&PendingTag>,
        sink: &mut FragmentSink<'_>,
    ) -> Result<Call, RejectedCall> {
        let read = |body: &str| match tag {
            Some(tag) => action::call(tag, body),
            None => {
                Call::parse("", body).map_err(|why| RejectedCall::malformed(&why, String::new()))
            }
        };
        let rejected = match read(body) {
            Err(rejected) => rejected,
            call => return call,
        };
        let is_malformed = |read: &Result<Call, RejectedCall>| {
            matches!(read, Err(RejectedCall { kind: RejectionKind::Malformed, .. }))
        };
        let escaped = repair(body).map(|repaired| read(&repaired));
        if let Some(read) = escaped.filter(|read| !is_malformed(read)) {
            let what = "control characters in a string were escaped".to_owned();
            self.report(DiagnosticKind::Repaired, what, sink);
            return read;
        }
        let Some(mended) = mend_json(body) else { return Err(rejected) };
        let read = read(&mended.json);
        if !is_malformed(&read) {
            let what: Vec<_> = mended.mends.iter().map(|mend| mend.as_str()).collect();
            let what = format!("this was mended in the JSON: {}", what.join(", "));
            self.report(DiagnosticKind::Repaired, what, sink);
        }
        read
    }

    /// Returns the id of a control block: the model's, or a generated one. Returns `None` if the
    /// model's id is taken.
    pub(crate) fn take_block_id(&mut self, written: &str) -> Option<String> {
        match written {
            "" => Some(self.ids.generate()),
            written => self.ids.take(written).then(|| written.to_owned()),
        }
    }

    /// Emits a failed control block as a call that cannot run, so that the model reads why. `text`
    /// is its tag.
    pub(crate) fn reject_block(
        &mut self,
        why: String,
        written: String,
        text: String,
        sink: &mut FragmentSink<'_>,
    ) {
        self.closed += 1;
        self.pending += 1;
        let id = self.take_block_id(&written).unwrap_or_else(|| self.ids.generate());
        if self.emits_text {
            let (call, id) = (self.closed, Some(&*id));
            sink(Fragment::CallText(CallTextFragment { call, id, name: None, text: "" }));
        }
        sink(Fragment::InvalidCall(InvalidCall { id, why, truncated: false, text }));
    }

    /// Assigns the id that the model wrote; without one, a generated id. A call with a repeated id
    /// cannot run (P-20).
    fn identify(&mut self, read: Result<Call, RejectedCall>) -> Result<Call, RejectedCall> {
        let written = match &read {
            Ok(call) => call.id(),
            Err(rejected) => &rejected.id,
        };
        if !written.is_empty() && self.ids.take(written) {
            return read;
        }
        let repeated = (!written.is_empty()).then(|| {
            format!("the id `{written}` is taken; write the action again under another id")
        });
        let id = self.ids.generate();
        match (read, repeated) {
            (Ok(_), Some(why)) => Err(RejectedCall::call(why, id)),
            (Ok(call), None) => Ok(call.with_id(id)),
            (Err(rejected), _) => Err(RejectedCall { id, ..rejected }),
        }
    }

    /// Passes an execution point. Returns whether calls waited for it.
    pub(crate) fn execute(&mut self) -> bool {
        std::mem::take(&mut self.pending) > 0
    }

    fn report(&self, kind: DiagnosticKind, content: String, sink: &mut FragmentSink<'_>) {
        sink(Fragment::Diagnostic(Diagnostic { kind, content, at: Some(self.at) }));
    }
}

/// Returns the first characters of a body that was cut off, because half a file is too much to
/// keep.
fn beginning(body: &str) -> String {
    match body.char_indices().nth(MAX_BEGINNING) {
        Some((end, _)) => format!("{}…", &body[..end]),
        None => body.to_owned(),
    }
}

/// The maximal number of characters that are kept of a body that was cut off.
const MAX_BEGINNING: usize = 200;

/// Splits a text after at most `len` bytes, between characters, and at least after the first
/// character.
pub(crate) fn split_near(text: &str, len: usize) -> (&str, &str) {
    if text.len() <= len {
        return (text, "");
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.split_at(text.floor_char_boundary(len).max(first))
}
