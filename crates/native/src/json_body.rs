//! Reads calls whose arguments are JSON: objects, lists of objects, and arguments after a header.
//!
//! This module finds the end of JSON. A mark inside a string is text, and the last bracket of the
//! JSON ends a call, whatever follows.
//!
//! ```text
//! Header ─► Lead ─► Value ─► Done
//!            │        ▲ │
//!            └► Between ┘          in a list
//! ```

use crate::body::{BodyContext, BodyStep, CUT, HoldStep, MarkHold, UNFINISHED};
use crate::call_object::{CallKeys, ObjectTracker};
use crate::header::{CallHeader, HeaderPattern, HeaderReader, HeaderStep};

/// The form of a family's JSON.
#[derive(Debug)]
pub(crate) struct JsonForm {
    /// The kind of JSON.
    pub(crate) shape: JsonShape,
    /// The members that have the name and the arguments.
    pub(crate) keys: CallKeys,
    /// The text that may precede the JSON.
    pub(crate) headers: &'static [HeaderPattern],
    /// Marks that end the body.
    pub(crate) ends: &'static [&'static str],
    /// The mark that has to follow the JSON, if any.
    pub(crate) tail: Option<&'static str>,
    /// Whether a header without an object after it is text.
    pub(crate) needs_object: bool,
    /// Whether the body has no mark, so that all of it must be complete before any of it counts.
    pub(crate) is_unmarked: bool,
}

/// The kind of JSON in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonShape {
    /// One object with a name and arguments.
    Object,
    /// A list of such objects.
    List,
    /// One object or a list of them.
    ObjectOrList,
    /// The arguments.
    Arguments,
}

#[derive(Debug)]
pub(crate) struct JsonBody {
    form: &'static JsonForm,
    state: JsonState,
    header: HeaderReader,
    /// The contents of the header.
    called: CallHeader,
    tracker: ObjectTracker,
    is_list: bool,
    hold: MarkHold,
    /// The number of bytes of the tail that were read.
    tail: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonState {
    Header,
    /// Before the JSON.
    Lead,
    /// After an opening brace, before the first key.
    First,
    Value,
    /// In a list, between two calls.
    Between,
    /// Something else in place of the JSON.
    Junk,
    Tail,
}

impl JsonBody {
    pub(crate) fn new(form: &'static JsonForm) -> Self {
        let state = if form.headers.is_empty() { JsonState::Lead } else { JsonState::Header };
        Self {
            form,
            state,
            header: HeaderReader::new(form.headers),
            called: CallHeader::default(),
            tracker: ObjectTracker::new(form.keys),
            is_list: false,
            hold: MarkHold::default(),
            tail: 0,
        }
    }

    /// Creates a body whose name is known.
    pub(crate) fn named(form: &'static JsonForm, name: &str) -> Self {
        let called = CallHeader { name: name.to_owned(), id: None };
        Self { called, state: JsonState::Lead, ..Self::new(form) }
    }

    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        context.sink.is_deferred = self.form.is_unmarked;
        match self.state {
            JsonState::Header => match self.header.push(character) {
                HeaderStep::More => BodyStep::More,
                HeaderStep::Refuted => BodyStep::Refuted,
                HeaderStep::Complete(called) => {
                    self.called = called;
                    self.state = JsonState::Lead;
                    self.lead(character, context)
                }
            },
            JsonState::Lead => self.lead(character, context),
            JsonState::First => self.first(character, context),
            JsonState::Value => self.value(character, context),
            JsonState::Between => self.between(character, context),
            JsonState::Junk => self.junk(character, context),
            JsonState::Tail => self.tail(character, context),
        }
    }

    /// Takes the plain characters of a string.
    pub(crate) fn run(&mut self, text: &str, context: &mut BodyContext<'_, '_>) -> usize {
        if self.state == JsonState::Value { self.tracker.run(text, context.sink) } else { 0 }
    }

    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self.state {
            JsonState::Tail | JsonState::Between if !self.form.is_unmarked => BodyStep::Done,
            _ if self.form.is_unmarked => BodyStep::Refuted,
            JsonState::Header | JsonState::Lead if self.form.needs_object => BodyStep::Refuted,
            JsonState::Header => {
                self.called.name = self.header.name();
                self.end(CUT, true, context)
            }
            _ => self.end(CUT, true, context),
        }
    }

    fn lead(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        let shape = self.form.shape;
        let is_arguments = shape == JsonShape::Arguments;
        match character {
            _ if character.is_whitespace() => BodyStep::More,
            '{' if shape != JsonShape::List || self.is_list => {
                self.begin(context);
                self.tracker.step('{', context.sink);
                if is_arguments {
                    self.state = JsonState::Value;
                    return BodyStep::Commit;
                }
                self.state = JsonState::First;
                BodyStep::More
            }
            '[' if !is_arguments && shape != JsonShape::Object && !self.is_list => {
                self.is_list = true;
                BodyStep::More
            }
            ']' if self.is_list && !self.form.is_unmarked => BodyStep::Done,
            _ if context.is_committed
                || (is_arguments && !self.form.needs_object && !self.called.name.is_empty()) =>
            {
                self.begin(context);
                self.state = JsonState::Junk;
                match self.junk(character, context) {
                    BodyStep::More => BodyStep::Commit,
                    step => step,
                }
            }
            _ => BodyStep::Refuted,
        }
    }

    /// Decides whether an opening brace begins an object: a key follows.
    fn first(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if character.is_whitespace() || self.tracker.is_bare_key(character) {
            self.tracker.step(character, context.sink);
            return BodyStep::More;
        }
        if !self.tracker.is_certain(character) && !context.is_committed {
            return BodyStep::Refuted;
        }
        self.state = JsonState::Value;
        match self.value(character, context) {
            BodyStep::More if !self.form.is_unmarked => BodyStep::Commit,
            step => step,
        }
    }

    fn value(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if !self.tracker.is_in_string() {
            match self.hold.push(character, self.form.ends) {
                HoldStep::Kept => return BodyStep::More,
                HoldStep::Mark(_) => {
                    let mark = std::mem::take(&mut self.hold.text);
                    return match self.end(UNFINISHED, false, context) {
                        BodyStep::Refuted => BodyStep::Refuted,
                        _ => BodyStep::Leave(mark),
                    };
                }
                HoldStep::Broken => {
                    self.hold.text.pop();
                    let kept = std::mem::take(&mut self.hold.text);
                    kept.chars().for_each(|kept| self.tracker.junk(kept, context.sink));
                }
                HoldStep::Other => {}
            }
        }
        if !self.tracker.step(character, context.sink) {
            return BodyStep::More;
        }
        let is_whole = match self.form.shape {
            JsonShape::Arguments => context.sink.complete(context.emit),
            _ => self.tracker.complete(context, self.form.is_unmarked),
        };
        if !is_whole && self.form.is_unmarked {
            return BodyStep::Refuted;
        }
        if self.is_list {
            self.state = JsonState::Between;
            return BodyStep::More;
        }
        self.after()
    }

    fn between(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match character {
            _ if character.is_whitespace() => BodyStep::More,
            ',' => {
                self.state = JsonState::Lead;
                BodyStep::More
            }
            ']' => self.after(),
            '{' => {
                self.state = JsonState::Lead;
                self.lead(character, context)
            }
            _ if self.form.is_unmarked => BodyStep::Refuted,
            _ => BodyStep::Leave(character.to_string()),
        }
    }

    fn after(&mut self) -> BodyStep {
        if self.form.tail.is_none() {
            return BodyStep::Done;
        }
        self.state = JsonState::Tail;
        BodyStep::More
    }

    /// Reads the required text after the JSON, with blanks before it.
    fn tail(&mut self, character: char, _: &mut BodyContext<'_, '_>) -> BodyStep {
        let tail = self.form.tail.unwrap_or_default();
        if self.tail == 0 && character.is_whitespace() && !tail.starts_with(character) {
            return BodyStep::More;
        }
        if tail[self.tail..].starts_with(character) {
            self.tail += character.len_utf8();
            return if self.tail == tail.len() { BodyStep::Done } else { BodyStep::More };
        }
        if self.form.is_unmarked && !tail.trim().is_empty() {
            return BodyStep::Refuted;
        }
        BodyStep::Leave(format!("{}{character}", &tail[..self.tail]))
    }

    /// Takes something that is not the JSON which should be here, up to a mark.
    fn junk(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self.hold.push(character, self.form.ends) {
            HoldStep::Mark(_) => {
                let mark = std::mem::take(&mut self.hold.text);
                if self.tracker.text().trim().is_empty() {
                    context.sink.complete(context.emit);
                } else {
                    context.sink.fail(NO_ARGUMENTS, false, self.tracker.text(), context.emit);
                }
                return BodyStep::Leave(mark);
            }
            HoldStep::Broken | HoldStep::Other => {
                self.hold.text.pop();
                let kept = std::mem::take(&mut self.hold.text);
                self.tracker.push_text(&kept);
                self.tracker.push_text(character.encode_utf8(&mut [0; 4]));
            }
            HoldStep::Kept => {}
        }
        BodyStep::More
    }

    fn begin(&mut self, context: &mut BodyContext<'_, '_>) {
        context.sink.begin();
        self.tracker.begin(self.form.shape == JsonShape::Arguments);
        context.sink.name.push_str(&self.called.name);
        context.sink.id.clone_from(&self.called.id);
    }

    /// Ends a body before its JSON ends. The call is whole if its arguments are.
    fn end(&mut self, why: &str, cut: bool, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if self.form.is_unmarked {
            return BodyStep::Refuted;
        }
        if self.state == JsonState::Header {
            self.begin(context);
        }
        if self.state == JsonState::Junk && cut && self.tracker.text().trim().is_empty() {
            context.sink.fail(why, true, "", context.emit);
        } else if self.form.shape != JsonShape::Arguments
            && self.tracker.has_whole_arguments()
            && !context.sink.name.is_empty()
        {
            context.sink.complete(context.emit);
        } else {
            context.sink.fail(why, cut, self.tracker.text(), context.emit);
        }
        BodyStep::Done
    }
}

const NO_ARGUMENTS: &str = "the arguments are not a JSON object";
