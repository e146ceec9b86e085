//! Turns the findings of the readers of bodies into fragments.
//!
//! This module handles parts, numbers and ids, without the marks.

use std::collections::HashSet;

use silcrow_event::{
    Call, CallTextFragment, Diagnostic, DiagnosticKind, Fragment, InvalidCall, TextFragment,
    TextKind,
};

use crate::json_text;

/// The function that takes fragments.
pub(crate) type Emit<'e> = dyn FnMut(Fragment<'_>) + 'e;

/// The output so far, and the call that is being read.
#[derive(Debug, Default)]
pub(crate) struct CallSink {
    part: u32,
    open_text: Option<TextKind>,
    /// The number of calls, invalid ones included.
    calls: u32,
    /// Whether a call was complete.
    pub(crate) has_call: bool,
    ids: HashSet<String>,
    generated: u32,
    /// Whether pieces of calls are emitted.
    pub(crate) call_text: bool,
    /// Whether calls are kept until the whole list of them is certain.
    pub(crate) is_deferred: bool,
    deferred: Vec<Call>,
    /// The name of the open call, which is empty while it is unknown.
    pub(crate) name: String,
    /// The id that the text gives the open call.
    pub(crate) id: Option<String>,
    /// The arguments so far.
    pub(crate) args: String,
    sent: usize,
    /// The position at which the call begins, in bytes.
    pub(crate) at: u64,
}

impl CallSink {
    /// Emits a piece of text.
    pub(crate) fn text(&mut self, kind: TextKind, text: &str, emit: &mut Emit<'_>) {
        if text.is_empty() {
            return;
        }
        if self.open_text != Some(kind) {
            self.close(emit);
            self.part += 1;
            self.open_text = Some(kind);
        }
        emit(Fragment::Text(TextFragment { kind, part: self.part, id: None, text }));
    }

    /// Closes the section of text that is open.
    pub(crate) fn close(&mut self, emit: &mut Emit<'_>) {
        if self.open_text.take().is_some() {
            emit(Fragment::Close { part: self.part });
        }
    }

    /// Emits the known part of the open call that was not emitted before.
    pub(crate) fn flush(&mut self, emit: &mut Emit<'_>) {
        let is_wanted = self.call_text && !self.is_deferred && !self.name.is_empty();
        if is_wanted && self.args.len() > self.sent {
            self.close(emit);
            let name =
                Some(self.name.as_str()).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
            let text = &self.args[self.sent..];
            emit(Fragment::CallText(CallTextFragment {
                call: self.calls + 1,
                id: None,
                name,
                text,
            }));
            self.sent = self.args.len();
        }
    }

    /// Begins a call, or forgets the open one.
    pub(crate) fn begin(&mut self) {
        self.name.clear();
        self.id = None;
        self.args.clear();
        self.sent = 0;
    }

    /// Ends the open call, whose arguments are whole. Empty arguments are `{}`.
    pub(crate) fn complete(&mut self, emit: &mut Emit<'_>) -> bool {
        if self.args.is_empty() {
            self.args.push_str("{}");
        }
        self.flush(emit);
        let args = std::mem::take(&mut self.args);
        let whole = self.complete_with(&args, emit);
        self.args = args;
        self.begin();
        whole
    }

    /// Ends the open call with arguments that may differ from the pieces, which were all emitted.
    pub(crate) fn complete_with(&mut self, args: &str, emit: &mut Emit<'_>) -> bool {
        let mut content = String::with_capacity(self.name.len() + args.len() + 24);
        content.push_str("{\"name\":");
        json_text::string(&self.name, &mut content);
        content.push_str(",\"args\":");
        content.push_str(args);
        content.push('}');
        let call = match Call::parse("", content) {
            Ok(call) => call,
            Err(error) if self.is_deferred => {
                let _ = error;
                return false;
            }
            Err(error) => {
                self.fail(&error.to_string(), false, args, emit);
                return false;
            }
        };
        if self.is_deferred {
            let id = self.id.take().unwrap_or_default();
            self.deferred.push(call.with_id(id));
        } else {
            let written = self.id.take();
            self.give(call, written, emit);
        }
        true
    }

    /// Emits the calls that were kept.
    pub(crate) fn release(&mut self, emit: &mut Emit<'_>) {
        self.is_deferred = false;
        for call in std::mem::take(&mut self.deferred) {
            let written = Some(call.id().to_owned()).filter(|id| !id.is_empty());
            if self.call_text {
                self.begin();
                self.name.push_str(call.name());
                self.args.push_str(call.args());
                self.flush(emit);
            }
            self.give(call, written, emit);
        }
        self.begin();
    }

    /// Forgets the calls that were kept.
    pub(crate) fn drop_deferred(&mut self) {
        self.is_deferred = false;
        self.deferred.clear();
        self.begin();
    }

    /// Ends the open call, which cannot be run.
    pub(crate) fn fail(&mut self, why: &str, truncated: bool, text: &str, emit: &mut Emit<'_>) {
        self.close(emit);
        self.flush(emit);
        let written = self.id.take();
        let id = self.assign_id(written);
        self.last_piece(&id, emit);
        let kind =
            if truncated { DiagnosticKind::TruncatedCall } else { DiagnosticKind::MalformedCall };
        self.diagnostic(kind, why, self.at, emit);
        let (why, text) = (why.to_owned(), text.to_owned());
        emit(Fragment::InvalidCall(InvalidCall { id, why, truncated, text }));
        self.calls += 1;
        self.begin();
    }

    /// Emits a diagnostic about a position.
    pub(crate) fn diagnostic(
        &mut self,
        kind: DiagnosticKind,
        content: &str,
        at: u64,
        emit: &mut Emit<'_>,
    ) {
        emit(Fragment::Diagnostic(Diagnostic { kind, content: content.to_owned(), at: Some(at) }));
    }

    fn give(&mut self, call: Call, written: Option<String>, emit: &mut Emit<'_>) {
        self.close(emit);
        let id = self.assign_id(written);
        self.last_piece(&id, emit);
        emit(Fragment::Call(call.with_id(id)));
        self.calls += 1;
        self.has_call = true;
    }

    fn last_piece(&mut self, id: &str, emit: &mut Emit<'_>) {
        if self.call_text && self.sent > 0 {
            let name =
                Some(self.name.as_str()).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
            let (call, id) = (self.calls + 1, Some(id));
            emit(Fragment::CallText(CallTextFragment { call, id, name, text: "" }));
        }
    }

    /// Returns the id that the text gives a call if it is free, and otherwise the next of `a1`,
    /// `a2`, …
    fn assign_id(&mut self, written: Option<String>) -> String {
        if let Some(id) = written.filter(|id| !id.is_empty() && !self.ids.contains(id)) {
            self.ids.insert(id.clone());
            return id;
        }
        loop {
            self.generated += 1;
            let id = format!("a{}", self.generated);
            if self.ids.insert(id.clone()) {
                return id;
            }
        }
    }
}
