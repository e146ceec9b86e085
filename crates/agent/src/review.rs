//! The review of an answer that came to its end: whether the model answered (P-35).
//!
//! A review notes the reports of the parser and the accumulator while the answer is read.
//! Afterwards it looks at the stored events of the turn.

use silcrow_event::{
    Call, CallKind, CallMode, DiagnosticKind, Entry, Event, Fragment, Respond, ResultStatus,
    TextKind,
};
use silcrow_parser::{AnswerAttempt, AnswerContext, AttemptKind, Dialect, Options, find_attempt};
use silcrow_tool::Toolbox;

use crate::after_end::TextAfterEnd;
use crate::draft::{failed_call, first_call, thought_call};
use crate::fault::AnswerFault;
use crate::mention::MentionSearch;
use crate::template::begins_next_turn;

/// Notes about an answer, made while it was read.
#[derive(Default)]
pub(crate) struct AnswerReview {
    /// Whether an end delimiter came, or a final response was closed.
    is_ended: bool,
    /// Whether an end delimiter came.
    has_end: bool,
    /// Whether a call was written after a final response was closed.
    calls_after_final: bool,
    executes_nothing: bool,
    /// The first delimiter that a fence in the answer hid.
    hidden: Option<String>,
    /// The first call after an execution point.
    after_execute: Option<String>,
    /// The first attempt in text that is not part of the answer.
    stray: Option<AnswerAttempt>,
    /// Whether the following text is in an element that is not part of the dialect (P-43).
    begins_in_element: bool,
    /// Whether a response is in such an element.
    answers_in_element: bool,
    /// The first name in an answer that is not bound, and whether its call failed.
    unbound: Option<(String, bool)>,
    mentions: MentionSearch,
    pub(crate) after_end: TextAfterEnd,
    /// Whether the answer ended in an open thought.
    has_open_thought: bool,
    /// The kind of the section that is open, or was open last.
    section: Option<TextKind>,
    /// The kind of the last section when the text ended.
    last_section: Option<TextKind>,
    /// Whether the first text of the answer may have no delimiter before it, and in `phase` and `action`
    /// every one.
    pub(crate) may_be_plain: bool,
    /// Whether calls are the vendor's own, so that any that are written are attempts.
    is_native: bool,
    /// Whether the text began in a thought that the prompt had opened (P-38).
    pub(crate) has_unopened_thought: bool,
    /// Whether the vendor reports that the model called a tool in the vendor's own way.
    pub(crate) called_natively: bool,
}

impl AnswerReview {
    pub(crate) fn new(is_native: bool) -> Self {
        Self { is_native, ..Self::default() }
    }

    /// Takes a fragment of the answer before its end.
    pub(crate) fn push(&mut self, fragment: &Fragment<'_>, options: Options, tools: &Toolbox) {
        let is_action = options.dialect == Dialect::Action;
        self.mentions.push(fragment);
        match fragment {
            Fragment::Text(text) => {
                self.section = Some(text.kind);
                self.answers_in_element |= std::mem::take(&mut self.begins_in_element);
            }
            Fragment::Close { .. } if is_action => {
                self.is_ended |= self.section == Some(TextKind::Respond { last: true });
            }
            Fragment::End => (self.is_ended, self.has_end) = (true, true),
            Fragment::Call(call) if is_action && self.is_ended => {
                let mode = call.action().map(|action| action.mode);
                self.calls_after_final |= mode != Some(CallMode::FireAndForget);
            }
            Fragment::InvalidCall(_) => {
                self.begins_in_element = false;
                self.calls_after_final |= is_action && self.is_ended;
            }
            Fragment::Diagnostic(diagnostic) => {
                self.note(diagnostic.kind, &diagnostic.content, options, tools);
            }
            _ => {}
        }
    }

    /// Takes note that the text ended.
    pub(crate) fn end_text(&mut self) {
        self.last_section = self.section;
    }

    /// Takes text that follows the end delimiter.
    pub(crate) fn push_after_end(&mut self, text: &str) {
        self.mentions.push_after_end(text);
        self.after_end.push(text);
    }

    /// Returns whether the answer is text that no delimiter opens and no end closes (P-35).
    pub(crate) fn lacks_end(&self) -> bool {
        !self.is_native && self.may_be_plain && !self.is_ended
    }

    /// Returns whether an end delimiter came.
    pub(crate) fn has_end(&self) -> bool {
        self.has_end
    }

    /// Returns whether this fragment begins the person's next turn, which the model has made up:
    /// nothing from there on counts (P-22).
    pub(crate) fn is_next_turn(&self, fragment: &Fragment<'_>) -> bool {
        let Fragment::Diagnostic(diagnostic) = fragment else { return false };
        self.is_ended
            && diagnostic.kind == DiagnosticKind::StrayText
            && begins_next_turn(&diagnostic.content)
    }

    fn note(&mut self, kind: DiagnosticKind, content: &str, options: Options, tools: &Toolbox) {
        match kind {
            DiagnosticKind::Unclosed => {
                self.has_open_thought |= self.last_section == Some(TextKind::Think);
            }
            DiagnosticKind::UnknownBlock => self.begins_in_element = true,
            DiagnosticKind::NothingToExecute => self.executes_nothing = true,
            DiagnosticKind::HiddenDelimiter if self.section != Some(TextKind::Think) => {
                self.hidden.get_or_insert_with(|| content.to_owned());
            }
            DiagnosticKind::ForgedResult => {
                let text = content.lines().next().unwrap_or_default().chars().take(80).collect();
                match options.dialect {
                    Dialect::Sigil if is_call(content, options, tools) => {
                        self.after_execute.get_or_insert(text);
                    }
                    _ => {
                        let forged = AnswerAttempt { kind: AttemptKind::Forged, text };
                        self.stray.get_or_insert(forged);
                    }
                }
            }
            DiagnosticKind::StrayText if self.stray.is_none() => {
                self.stray = stray_attempt(content, options, tools);
            }
            _ => {}
        }
    }

    /// Takes a name in an answer that is not bound.
    pub(crate) fn push_unbound(&mut self, name: &str, has_failed: bool) {
        if !matches!(self.unbound, Some((_, true))) {
            self.unbound = Some((name.to_owned(), has_failed));
        }
    }

    /// Returns the fault of the answer, or `None` if the model answered or called something. It
    /// needs the entries before the answer and the answer's own. `is_closed` says whether it is the
    /// end of an earlier answer of the run, so that it needs no text.
    pub(crate) fn fault(
        &self,
        before: &[Entry],
        own: &[&Entry],
        is_closed: bool,
        options: Options,
        tools: &Toolbox,
    ) -> Option<AnswerFault> {
        let own = || own.iter().map(|entry| &entry.event);
        let has_calls = own().any(|event| matches!(event, Event::Call(_) | Event::Result(_)));
        let is_final = own().any(is_final);
        let has_text = own().any(|event| answer_text(event).is_some());
        if !has_calls && self.called_natively {
            return Some(AnswerFault::NativeCall);
        }
        // Of the stray text only calls and forged results are meant for others.
        let is_complete = self.is_ended || has_calls;
        let texts = own().filter_map(answer_text).enumerate();
        let is_delimited = |at| !self.may_be_plain || options.dialect == Dialect::Sigil && at > 0;
        // A delimiter of the notation itself would only be there because it was escaped.
        let other = self.is_native.then(|| Options::new(Dialect::Phase));
        let found = |(at, text)| {
            let mut notations = [Some(options), other].into_iter().flatten();
            notations.find_map(|it| attempt(text, it, is_complete, is_delimited(at), tools))
        };
        let attempted = texts.filter_map(found).next();
        if let Some(attempt) = attempted.or_else(|| self.stray.clone()) {
            return Some(AnswerFault::Attempt(attempt));
        }
        if let Some(call) = &self.after_execute {
            return Some(AnswerFault::CallAfterExecute(call.clone()));
        }
        if let Some(call) = first_call(self.after_end.as_str(), options).filter(|_| !has_calls) {
            return Some(AnswerFault::CallAfterEnd(call));
        }
        if let Some(delimiter) = self.mentions.found() {
            return Some(AnswerFault::Mentioned(delimiter));
        }
        if self.has_open_thought && has_text && !has_calls {
            return Some(AnswerFault::OpenThought);
        }
        if self.answers_in_element && is_final {
            return Some(AnswerFault::InElement);
        }
        if !has_calls {
            let has_thought = own().any(|event| matches!(event, Event::Think(_)));
            let silent = match (has_thought, self.has_end) {
                (true, _)
                    if let Some(call) = own().find_map(|event| thought_call(event, options)) =>
                {
                    AnswerFault::CallInThought(call)
                }
                (true, _) => AnswerFault::Thoughts,
                (_, true) => AnswerFault::End,
                _ => AnswerFault::Nothing,
            };
            return self.fault_without_calls(has_text, is_closed, silent).or_else(|| {
                let (name, has_failed) = self.unbound.clone()?;
                let is_all = own().filter_map(answer_text).any(|text| text == format!("${name}"));
                match has_failed {
                    true => Some(AnswerFault::FailedName(name)),
                    false if is_all || is_named(before, &name) => {
                        Some(AnswerFault::UnboundName(name))
                    }
                    false => None,
                }
            });
        }
        if options.dialect != Dialect::Action || !is_final {
            return None;
        }
        if self.calls_after_final {
            return Some(AnswerFault::CallAfterFinal);
        }
        if let Some((name, true)) = &self.unbound {
            return Some(AnswerFault::FailedName(name.clone()));
        }
        let calls: Vec<_> = own().filter_map(called).collect();
        let is_block =
            |id: &str| own().any(|event| matches!(event, Event::Block(mark) if mark.id() == id));
        let has_run = |id: &str| {
            calls.iter().any(|call| call.id() == id && is_callable(call.name(), tools))
                || is_block(id)
        };
        let cannot_run = |event: &Event| match event {
            Event::Result(result) if result.status() == ResultStatus::Failure => {
                !result.id.as_deref().is_some_and(has_run)
            }
            _ => false,
        };
        if own().any(cannot_run) {
            return Some(AnswerFault::FailedCall);
        }
        // Even if the answer names none of them, it was written before they failed.
        if let Some(call) = failed_call(own()) {
            return Some(AnswerFault::BesideFailure(call.to_owned()));
        }
        let names = calls.iter().flat_map(|call| call_names(call));
        let forms = names.flat_map(|name| [format!("${{{name}}}"), format!("{{{{{name}}}}}")]);
        let used = |form: &String| own().filter_map(answer_text).any(|text| text.contains(form));
        if let Some(form) = forms.into_iter().find(used) {
            return Some(AnswerFault::NameForm(form));
        }
        // Beside calls, a name in lower case was meant for one of them; `$HOME` was not.
        let (name, _) = self.unbound.clone()?;
        let is_meant = name.contains(|char: char| char.is_ascii_lowercase());
        (is_meant || is_named(before, &name)).then_some(AnswerFault::UnboundName(name))
    }

    /// Returns the fault of an answer that calls nothing and holds no attempt. `silent` is the
    /// fault of an answer without text.
    fn fault_without_calls(
        &self,
        has_text: bool,
        is_closed: bool,
        silent: AnswerFault,
    ) -> Option<AnswerFault> {
        if self.executes_nothing {
            return Some(AnswerFault::NothingToExecute);
        }
        if let (Some(hidden), false) = (&self.hidden, self.is_ended) {
            return Some(AnswerFault::Hidden(hidden.clone()));
        }
        (!has_text && !is_closed).then_some(silent)
    }
}

/// Returns the first attempt in a text of the model.
fn attempt(
    text: &str,
    options: Options,
    is_ended: bool,
    is_delimited: bool,
    tools: &Toolbox,
) -> Option<AnswerAttempt> {
    let is_callable = &|name: &str| is_callable(name, tools);
    let context = AnswerContext { options, is_stray: false, is_ended, is_delimited, is_callable };
    find_attempt(text, &context)
}

/// Returns the first attempt in text beside the sections of an answer.
fn stray_attempt(text: &str, options: Options, tools: &Toolbox) -> Option<AnswerAttempt> {
    let is_callable = &|name: &str| is_callable(name, tools);
    let (is_stray, is_ended, is_delimited) = (true, true, false);
    let context = AnswerContext { options, is_stray, is_ended, is_delimited, is_callable };
    find_attempt(text, &context)
}

/// Returns whether a text is a call, or a list of calls, without a delimiter.
fn is_call(text: &str, options: Options, tools: &Toolbox) -> bool {
    let text = text.trim_start_matches([':', ' ', '\n']);
    let attempt = stray_attempt(text, options, tools);
    text.starts_with(['{', '[']) && attempt.is_some_and(|found| text.starts_with(&found.text))
}

/// Returns whether something of this name can be called.
fn is_callable(name: &str, tools: &Toolbox) -> bool {
    CallKind::ALL.into_iter().any(|kind| tools.get_as(kind, name).is_some())
}

/// Returns whether an event is text that may end the turn.
fn is_final(event: &Event) -> bool {
    matches!(event, Event::Respond(Respond { last: true, .. }))
}

/// Returns the text of an answer as the model wrote it, without the outputs in it.
fn answer_text(event: &Event) -> Option<&str> {
    match event {
        Event::Respond(Respond { content, wire, malformed: None, .. }) => {
            Some(wire.as_deref().unwrap_or(content))
        }
        _ => None,
    }
}

fn called(event: &Event) -> Option<&Call> {
    if let Event::Call(call) = event { Some(call) } else { None }
}

/// Returns whether a call of an earlier turn has a name.
fn is_named(entries: &[Entry], name: &str) -> bool {
    entries.iter().any(|entry| match &entry.event {
        Event::Call(call) => call_names(call).any(|own| own == name),
        _ => false,
    })
}

/// Returns the names that may stand for the output of a call (P-26).
fn call_names(call: &Call) -> impl Iterator<Item = &str> {
    let bound = call.action().and_then(|action| action.output_key.as_deref());
    bound.into_iter().chain([call.id(), call.name()])
}
