//! The numbers of sections and calls, and the ids of calls, in fragments of two parsers.

use std::collections::HashMap;

use silcrow_event::{Call, CallTextFragment, Fragment, InvalidCall, TextFragment, TextKind};

use crate::call_sink::Emit;

/// The output so far.
#[derive(Debug, Default)]
pub(super) struct FragmentNumbers {
    part: u32,
    /// The kind of the section that is open, and its number in the other parser's fragments.
    open: Option<(TextKind, u32)>,
    calls: u32,
    /// The ids that are taken, with the id that the same parser gave to the call.
    ids: HashMap<String, NamedBy>,
    generated: u32,
    /// The ids that the open call was given and has.
    given: Option<(String, String)>,
}

/// The parser that named a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedBy {
    Own,
    Native,
}

impl FragmentNumbers {
    /// Emits a piece of text, whose part is the section of the other parser that it is in. A section
    /// begins without white space, as in the dialects.
    pub(super) fn text(&mut self, mut text: TextFragment<'_>, emit: &mut Emit<'_>) {
        let section = (text.kind, text.part);
        if self.open != Some(section) {
            text.text = text.text.trim_start_matches([' ', '\t', '\r', '\n']);
            if text.text.is_empty() {
                return;
            }
            self.close(emit);
            self.part += 1;
            self.open = Some(section);
        }
        emit(Fragment::Text(TextFragment { part: self.part, ..text }));
    }

    /// Makes the section that is open a thought, if it is an answer.
    pub(super) fn make_thought(&mut self, emit: &mut Emit<'_>) {
        if let Some((kind, _)) = &mut self.open
            && kind.is_respond()
        {
            *kind = TextKind::Think;
            emit(Fragment::Thought { part: self.part });
        }
    }

    /// Closes the section that is open.
    pub(super) fn close(&mut self, emit: &mut Emit<'_>) {
        if self.open.take().is_some() {
            emit(Fragment::Close { part: self.part });
        }
    }

    pub(super) fn call_text(&mut self, piece: CallTextFragment<'_>, emit: &mut Emit<'_>) {
        self.close(emit);
        emit(Fragment::CallText(CallTextFragment { call: self.calls + 1, ..piece }));
    }

    pub(super) fn call(&mut self, call: Call, id: String, emit: &mut Emit<'_>) {
        self.close(emit);
        self.end_call();
        emit(Fragment::Call(if call.id() == id { call } else { call.with_id(id) }));
    }

    pub(super) fn invalid_call(&mut self, call: InvalidCall, emit: &mut Emit<'_>) {
        self.close(emit);
        self.end_call();
        emit(Fragment::InvalidCall(call));
    }

    /// Returns the id of the open call, which the other parser gave this one.
    pub(super) fn own_id(&mut self, id: &str) -> String {
        self.id(id, NamedBy::Own, |taken| taken != Some(NamedBy::Native))
    }

    /// Returns the id of the open call, which a family's parser gave this one.
    pub(super) fn native_id(&mut self, id: &str) -> String {
        let is_generated = id
            .strip_prefix('a')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
        self.id(id, NamedBy::Native, |taken| taken.is_none() && !is_generated)
    }

    fn id(&mut self, id: &str, by: NamedBy, is_free: impl Fn(Option<NamedBy>) -> bool) -> String {
        if let Some((_, own)) = self.given.as_ref().filter(|(given, _)| given == id) {
            return own.clone();
        }
        let own = match is_free(self.ids.get(id).copied()) {
            true => id.to_owned(),
            false => self.generate(),
        };
        self.ids.insert(own.clone(), by);
        self.given = Some((id.to_owned(), own.clone()));
        own
    }

    fn generate(&mut self) -> String {
        loop {
            self.generated += 1;
            let id = format!("n{}", self.generated);
            if !self.ids.contains_key(&id) {
                return id;
            }
        }
    }

    fn end_call(&mut self) {
        self.calls += 1;
        self.given = None;
    }
}
