//! An answer with calls in the vendor's own way, on its way to fragments (P-45).
//!
//! It emits the same events as a parser of wire text, so later stages cannot tell the two apart.

use std::collections::HashSet;

use silcrow_event::{
    Call, CallTextFragment, Diagnostic, DiagnosticKind, Fragment, InvalidCall, Json, OpaqueData,
    TextFragment, TextKind, mend_json,
};
use silcrow_parser::MAX_BODY;
use silcrow_provider::CallDelta;

/// The answer so far.
pub(super) struct NativeAnswer {
    /// The name of the model, to which opaque data belongs.
    model: String,
    emits_text: bool,
    /// The number of texts so far, and whether the last one is open.
    part: u32,
    in_text: bool,
    open: Option<OpenNativeCall>,
    calls: u32,
    ids: HashSet<String>,
    /// Whether a call waits for the execution point.
    is_pending: bool,
}

/// A call whose end has not come.
struct OpenNativeCall {
    id: String,
    name: String,
    args: String,
    is_too_long: bool,
}

/// The receiver of the fragments.
pub(super) type AnswerSink<'s> = dyn FnMut(Fragment<'_>) + 's;

impl NativeAnswer {
    pub(super) fn new(model: &str, emits_text: bool) -> Self {
        Self {
            model: model.to_owned(),
            emits_text,
            part: 0,
            in_text: false,
            open: None,
            calls: 0,
            ids: HashSet::new(),
            is_pending: false,
        }
    }

    /// Takes a piece of text, all of which is an answer.
    pub(super) fn push_text(&mut self, text: &str, sink: &mut AnswerSink<'_>) {
        let text = if self.in_text { text } else { text.trim_start() };
        if text.is_empty() {
            return;
        }
        self.part += u32::from(!self.in_text);
        self.in_text = true;
        let kind = TextKind::Respond { last: true };
        sink(Fragment::Text(TextFragment { kind, part: self.part, id: None, text }));
    }

    /// Takes a part of a call.
    pub(super) fn push_call(&mut self, delta: CallDelta, sink: &mut AnswerSink<'_>) {
        match delta {
            CallDelta::Begin { id, name } => {
                self.close_text(sink);
                self.cut_call(sink);
                let id = self.id(id);
                let prefix = format!(r#"{{"name": {}, "args": "#, Json::string(&name).as_str());
                self.open =
                    Some(OpenNativeCall { id, name, args: String::new(), is_too_long: false });
                self.show(&prefix, sink);
            }
            CallDelta::Args(piece) => {
                let Some(open) = &mut self.open else { return };
                open.is_too_long |= open.args.len() + piece.len() > MAX_BODY;
                if !open.is_too_long && !piece.is_empty() {
                    open.args.push_str(&piece);
                    self.show(&piece, sink);
                }
            }
            CallDelta::End { opaque } => self.end_call(opaque, sink),
            _ => {}
        }
    }

    /// Takes the end of the answer. The calls run.
    pub(super) fn finish(mut self, sink: &mut AnswerSink<'_>) {
        self.close_text(sink);
        self.cut_call(sink);
        sink(if self.is_pending { Fragment::Execute } else { Fragment::End });
    }

    /// Takes the end of an answer that was cut off.
    pub(super) fn finish_cut(mut self, sink: &mut AnswerSink<'_>) {
        self.close_text(sink);
        self.cut_call(sink);
    }

    fn close_text(&mut self, sink: &mut AnswerSink<'_>) {
        if std::mem::take(&mut self.in_text) {
            sink(Fragment::Close { part: self.part });
        }
    }

    /// Emits the call that is complete.
    fn end_call(&mut self, opaque: Option<String>, sink: &mut AnswerSink<'_>) {
        let Some(OpenNativeCall { id, name, args, is_too_long }) = self.open.take() else { return };
        self.is_pending = true;
        let args = match args.trim() {
            "" | "null" => "{}".to_owned(),
            _ => args,
        };
        let content =
            |args: &str| format!(r#"{{"name": {}, "args": {args}}}"#, Json::string(&name).as_str());
        let mut parsed = Call::parse(&*id, content(&args));
        if parsed.is_err()
            && let Some(mended) = mend_json(&args)
            && let Ok(call) = Call::parse(&*id, content(&mended.json))
        {
            let kind = DiagnosticKind::Repaired;
            let diagnostic =
                Diagnostic { kind, content: "arguments that were not JSON".to_owned(), at: None };
            sink(Fragment::Diagnostic(diagnostic));
            parsed = Ok(call);
        }
        self.end_shown(&id, sink);
        match parsed {
            Ok(call) if !is_too_long => {
                let opaque = opaque.map(|data| Box::new(OpaqueData::new(&*self.model, data)));
                sink(Fragment::Call(call.with_opaque(opaque)));
            }
            Ok(_) => {
                let why = format!("the arguments are longer than {MAX_BODY} bytes");
                sink(invalid(id, why, content(&args)));
            }
            Err(why) => sink(invalid(id, why.to_string(), content(&args))),
        }
    }

    /// Emits a call without its end, which does not run.
    fn cut_call(&mut self, sink: &mut AnswerSink<'_>) {
        let Some(OpenNativeCall { id, name, args, .. }) = self.open.take() else { return };
        self.is_pending = true;
        self.end_shown(&id, sink);
        let why = "the call was cut off before its end, and did not run; call it again".to_owned();
        let text = format!("{name} {args}").chars().take(SHOWN).collect();
        sink(Fragment::InvalidCall(InvalidCall { id, why, truncated: true, text }));
    }

    /// Emits a piece of the open call's text.
    fn show(&self, text: &str, sink: &mut AnswerSink<'_>) {
        if let (true, Some(open)) = (self.emits_text, &self.open) {
            let name = Some(&*open.name).filter(|name| name.len() <= CallTextFragment::MAX_NAME);
            let call = self.calls + 1;
            sink(Fragment::CallText(CallTextFragment { call, id: None, name, text }));
        }
    }

    /// Ends the text of the call with this id.
    fn end_shown(&mut self, id: &str, sink: &mut AnswerSink<'_>) {
        self.calls += 1;
        if self.emits_text {
            let (call, id) = (self.calls, Some(id));
            sink(Fragment::CallText(CallTextFragment { call, id, name: None, text: "" }));
        }
    }

    /// Returns the id of the next call: the vendor's, if it is free.
    fn id(&mut self, id: Option<String>) -> String {
        let mut number = self.ids.len() + 1;
        let mut id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("a{number}"));
        while !self.ids.insert(id.clone()) {
            id = format!("a{number}");
            number += 1;
        }
        id
    }
}

fn invalid(id: String, why: String, text: String) -> Fragment<'static> {
    Fragment::InvalidCall(InvalidCall { id, why, truncated: false, text })
}

/// The number of characters that a log keeps of a call that was cut off.
const SHOWN: usize = 200;
