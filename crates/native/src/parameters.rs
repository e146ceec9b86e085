//! Reads calls whose arguments are marked one by one, with values of bare text.
//!
//! A bare value has no escapes. It ends at its closer, if the form allows the text after it;
//! otherwise the closer is a part of the value. This module reads the tags of one call. Types come
//! from the schema, or from the text.
//!
//! ```text
//! Start ─► Name ─► Next ─► Key ─► Open ─► Value ─► Behind
//!                   ▲                       ▲        │
//!                   └───────────────────────┴────────┘
//! ```

use crate::body::{BodyContext, BodyStep, CUT, HoldStep, MarkHold};
use crate::header::is_name_part;
use crate::parameter_form::{NameForm, ParameterForm};
use crate::parameter_values::ParameterValues;
use crate::tag_text::TagText;

#[derive(Debug)]
pub(crate) struct ParameterBody {
    pub(crate) form: &'static ParameterForm,
    pub(crate) state: ParameterState,
    pub(crate) hold: MarkHold,
    pub(crate) tag: TagText,
    pub(crate) values: ParameterValues,
    /// Text where none should be.
    pub(crate) stray: String,
    /// The blanks after the closer of a value that may be a part of it.
    pub(crate) closer: String,
    /// Whether the closer that is kept ends the call, too.
    pub(crate) ends_call: bool,
    /// The marks that may follow, so that they need not be collected for each character.
    pub(crate) start: Vec<&'static str>,
    pub(crate) next: Vec<&'static str>,
    pub(crate) closers: Vec<&'static str>,
    pub(crate) behind: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterState {
    /// Before the tag with the name.
    Start,
    Name,
    /// Before a key or the end.
    Next,
    Key,
    /// Between a key and its value.
    Open,
    Kind,
    Value,
    /// After a closer, which counts if a mark of the form follows.
    Behind,
}

impl ParameterBody {
    pub(crate) fn new(form: &'static ParameterForm) -> Self {
        Self {
            form,
            state: ParameterState::Start,
            hold: MarkHold::default(),
            tag: TagText::default(),
            values: ParameterValues::default(),
            stray: String::new(),
            closer: String::new(),
            ends_call: false,
            start: form.start_marks(),
            next: form.next_marks(),
            closers: form.closers(),
            behind: form.marks_behind_value(),
        }
    }

    /// Creates a body whose name is known.
    pub(crate) fn named(
        form: &'static ParameterForm,
        name: &str,
        context: &mut BodyContext<'_, '_>,
    ) -> Self {
        let mut body = Self { state: ParameterState::Next, ..Self::new(form) };
        body.begin(name, context);
        body
    }

    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self.state {
            ParameterState::Start => self.start(character),
            ParameterState::Name => self.name(character, context),
            ParameterState::Next => self.next(character, context),
            ParameterState::Key => self.key(character, context),
            ParameterState::Open => self.open(character, context),
            ParameterState::Kind => self.kind(character),
            ParameterState::Value => self.value(character, context),
            ParameterState::Behind => self.behind(character, context),
        }
    }

    /// Takes the plain text of a value.
    pub(crate) fn run(&mut self, text: &str, context: &mut BodyContext<'_, '_>) -> usize {
        let is_plain = self.state == ParameterState::Value && self.hold.text.is_empty();
        if !is_plain || self.values.may_become_cdata() {
            return 0;
        }
        // Every closer begins with the same character.
        let first = if self.values.is_cdata() { b']' } else { self.form.value_close.as_bytes()[0] };
        let end = memchr::memchr(first, text.as_bytes()).unwrap_or(text.len());
        self.values.push(&text[..end], self.form, context.sink);
        end
    }

    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        // The pending text may begin a mark after the call, but not another parameter.
        let pending = &*self.hold.text;
        let is_end = self.form.outer.iter().any(|mark| mark.starts_with(pending))
            && !self.form.key.open.starts_with(pending);
        let is_over = pending.is_empty() || is_end;
        let is_behind = self.state == ParameterState::Behind && is_over;
        let is_next = self.state == ParameterState::Next && is_over && self.stray.trim().is_empty();
        if self.form.may_end_open && (is_behind || is_next) {
            if is_behind {
                self.values.end(self.form, context);
            }
            return self.complete(context);
        }
        if matches!(self.state, ParameterState::Start | ParameterState::Name) {
            context.sink.begin();
        }
        context.sink.fail(CUT, true, &self.values.written(&self.stray), context.emit);
        BodyStep::Done
    }

    fn start(&mut self, character: char) -> BodyStep {
        if self.hold.text.is_empty() && character.is_whitespace() {
            return BodyStep::More;
        }
        let is_bare = !matches!(self.form.name, NameForm::Tag(_));
        if is_bare && self.hold.text.is_empty() && is_name_part(character) {
            self.state = ParameterState::Name;
            self.tag.clear();
            return self.bare_name(character);
        }
        match self.hold.push(character, &self.start) {
            HoldStep::Mark(found) => {
                self.hold.text.clear();
                self.tag.clear();
                if found == 0 && !is_bare {
                    self.state = ParameterState::Name;
                }
                BodyStep::More
            }
            HoldStep::Kept => BodyStep::More,
            HoldStep::Broken | HoldStep::Other => BodyStep::Refuted,
        }
    }

    fn name(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        let NameForm::Tag(tag) = &self.form.name else {
            if is_name_part(character) {
                return self.bare_name(character);
            }
            let name = self.tag.text().to_owned();
            self.state = ParameterState::Next;
            self.begin(&name, context);
            return self.next(character, context);
        };
        let is_whole = self.tag.push(character, tag);
        if !is_whole {
            let is_refuted = character == '\n' || self.tag.text().len() > MAX_NAME;
            return if is_refuted && !context.is_committed {
                BodyStep::Refuted
            } else {
                BodyStep::More
            };
        }
        let Some(name) = self.tag.value(tag).filter(|name| !name.is_empty()) else {
            return BodyStep::Refuted;
        };
        self.state = ParameterState::Next;
        self.begin(&name, context);
        BodyStep::More
    }

    fn bare_name(&mut self, character: char) -> BodyStep {
        self.tag.push_plain(character);
        let is_name = is_name_part(character) && self.tag.text().len() <= MAX_NAME;
        if is_name { BodyStep::More } else { BodyStep::Refuted }
    }

    fn begin(&mut self, name: &str, context: &mut BodyContext<'_, '_>) {
        context.sink.begin();
        context.sink.name.push_str(name);
        self.values.begin();
        self.stray.clear();
    }

    fn next(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if self.hold.text.is_empty() && character.is_whitespace() {
            if !self.stray.is_empty() {
                self.stray.push(character);
            }
            return BodyStep::More;
        }
        match self.hold.push(character, &self.next) {
            HoldStep::Kept => BodyStep::More,
            HoldStep::Mark(found) => {
                let mark = self.next[found];
                self.hold.text.clear();
                self.follow(mark, context)
            }
            HoldStep::Other | HoldStep::Broken if context.is_committed => {
                if self.hold.text.is_empty() {
                    self.stray.push(character);
                } else {
                    self.stray.push_str(&std::mem::take(&mut self.hold.text));
                }
                BodyStep::More
            }
            HoldStep::Other | HoldStep::Broken => BodyStep::Refuted,
        }
    }

    /// Follows a mark at a place where the form allows it.
    pub(crate) fn follow(
        &mut self,
        mark: &'static str,
        context: &mut BodyContext<'_, '_>,
    ) -> BodyStep {
        let was_committed = context.is_committed;
        if self.form.skipped.contains(&mark) {
            self.state = ParameterState::Next;
            return if was_committed { BodyStep::More } else { BodyStep::Commit };
        }
        if mark == self.form.key.open {
            self.tag.clear();
            self.state = ParameterState::Key;
            return if was_committed { BodyStep::More } else { BodyStep::Commit };
        }
        if !was_committed && self.form.opens.contains(&mark) {
            return BodyStep::Refuted;
        }
        let step = self.complete(context);
        if self.form.ends.contains(&mark) { step } else { BodyStep::Leave(mark.to_owned()) }
    }

    fn complete(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if self.stray.trim().is_empty() {
            self.values.complete(context);
        } else {
            let text = self.values.written(&self.stray);
            context.sink.fail(STRAY, false, &text, context.emit);
        }
        BodyStep::Done
    }

    fn key(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if !self.tag.push(character, &self.form.key) {
            return BodyStep::More;
        }
        let key = self.tag.value(&self.form.key).unwrap_or_default();
        let hint = self.tag.hint(&self.form.key);
        self.values.begin_value(key, hint);
        self.state = ParameterState::Open;
        if self.form.value_open.is_empty() {
            self.begin_text(context);
        }
        BodyStep::More
    }

    fn begin_text(&mut self, context: &mut BodyContext<'_, '_>) {
        self.state = ParameterState::Value;
        self.values.begin_text(self.form, context);
    }

    fn open(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if self.hold.text.is_empty() && character.is_whitespace() {
            return BodyStep::More;
        }
        let kind = self.form.kind.map_or("", |kind| kind.open);
        let marks = [self.form.value_open, kind];
        let marks = if kind.is_empty() { &marks[..1] } else { &marks[..] };
        match self.hold.push(character, marks) {
            HoldStep::Kept => {}
            HoldStep::Mark(found) => {
                self.hold.text.clear();
                if found == 0 {
                    self.begin_text(context);
                } else {
                    self.tag.clear();
                    self.state = ParameterState::Kind;
                }
            }
            HoldStep::Other => {
                self.stray.push(character);
                self.state = ParameterState::Next;
            }
            HoldStep::Broken => {
                // The search for the marks of the end begins here.
                let kept = std::mem::take(&mut self.hold.text);
                let first = kept.chars().next().map_or(0, char::len_utf8);
                self.stray.push_str(&kept[..first]);
                self.state = ParameterState::Next;
                return self.replay(&kept[first..], context);
            }
        }
        BodyStep::More
    }

    fn kind(&mut self, character: char) -> BodyStep {
        if let Some(kind) = &self.form.kind
            && self.tag.push(character, kind)
        {
            self.values.set_kind(self.tag.text().trim());
            self.state = ParameterState::Open;
        }
        BodyStep::More
    }
}

/// The length in bytes of the longest tag with a name.
const MAX_NAME: usize = 512;

const STRAY: &str = "text stands between the parameters; write only parameters in a call";
