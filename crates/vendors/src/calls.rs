//! Calls in a vendor's native form, from the pieces that an API sends to deltas (P-45).
//!
//! This module joins names, ids and pieces in order; each API's module decodes them.

use std::collections::HashSet;
use std::sync::Arc;

use silcrow_provider::{CallDelta, Delta, ToolDeclaration};

use crate::answer::DeltaQueue;
use crate::text::{JsonText, SurrogateJoiner};

/// The calls of an answer. Without declared tools there are none, whatever a server sends.
#[derive(Default)]
pub(crate) struct AnswerCalls {
    tools: Arc<[ToolDeclaration]>,
    open: Option<OpenVendorCall>,
    /// The keys of the calls that have ended.
    ended: HashSet<String>,
}

/// A call that has not ended.
struct OpenVendorCall {
    /// The key that distinguishes the call from others: its place or its id.
    key: String,
    index: Option<u64>,
    /// The pieces of arguments that came before the name.
    early: String,
    id: Option<String>,
    has_begun: bool,
    has_args: bool,
    args: SurrogateJoiner,
}

/// A piece arrived for a call that has ended, so the call is ambiguous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateArguments;

impl AnswerCalls {
    pub(crate) fn new(tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { tools: Arc::clone(tools), ..Self::default() }
    }

    /// Returns whether the request declared tools.
    pub(crate) fn are_declared(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Returns whether a call is open, with this key.
    pub(crate) fn is_open(&self, key: &str) -> bool {
        self.open.as_ref().is_some_and(|open| open.key == key)
    }

    /// Returns whether arguments of the open call have come.
    pub(crate) fn has_args(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.has_args)
    }

    /// Returns the id of the open call, if it is known.
    pub(crate) fn open_id(&self) -> Option<&str> {
        self.open.as_ref()?.id.as_deref()
    }

    /// Returns whether a piece with this index, or without one, belongs to the open call.
    pub(crate) fn continues(&self, index: Option<u64>) -> bool {
        let Some(open) = &self.open else { return false };
        index.is_none() || open.index == index
    }

    /// Begins a call. The one before it is complete.
    pub(crate) fn open(
        &mut self,
        key: &str,
        index: Option<u64>,
        out: &mut DeltaQueue,
    ) -> Result<(), LateArguments> {
        self.end(None, out);
        if self.ended.contains(key) {
            return Err(LateArguments);
        }
        let (key, args) = (key.to_owned(), SurrogateJoiner::default());
        let early = String::new();
        self.open = Some(OpenVendorCall {
            key,
            index,
            early,
            id: None,
            has_begun: false,
            has_args: false,
            args,
        });
        Ok(())
    }

    /// Takes the id of the open call.
    pub(crate) fn id(&mut self, id: &str) {
        if let Some(open) = &mut self.open
            && !id.is_empty()
        {
            open.id.get_or_insert_with(|| id.to_owned());
        }
    }

    /// Takes the name of the open call, as the vendor has it.
    pub(crate) fn name(&mut self, name: &str, out: &mut DeltaQueue) {
        let Some(open) = self.open.as_mut().filter(|open| !open.has_begun) else { return };
        open.has_begun = true;
        let name = ToolDeclaration::named(&self.tools, name).to_owned();
        out.push_back(Ok(Delta::Call(CallDelta::Begin { id: open.id.clone(), name })));
        let early = std::mem::take(&mut open.early);
        if !early.is_empty() {
            out.push_back(Ok(Delta::Call(CallDelta::Args(early))));
        }
    }

    /// Takes a piece of the open call's arguments.
    pub(crate) fn args(&mut self, piece: &JsonText, out: &mut DeltaQueue) {
        let Some(open) = &mut self.open else { return };
        let text = open.args.push(piece);
        open.has_args |= !text.is_empty();
        match open.has_begun {
            true if text.is_empty() => {}
            true => out.push_back(Ok(Delta::Call(CallDelta::Args(text)))),
            false => open.early.push_str(&text),
        }
    }

    /// Ends the open call, if there is one: it is complete.
    pub(crate) fn end(&mut self, opaque: Option<String>, out: &mut DeltaQueue) {
        if self.open.is_none() {
            return;
        }
        // A call without a name calls nothing, and the model gets the reason.
        self.name("", out);
        if let Some(open) = self.open.take() {
            self.ended.insert(open.key);
            out.push_back(Ok(Delta::Call(CallDelta::End { opaque })));
        }
    }
}
