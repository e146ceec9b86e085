//! The messages of a request while they are written.
//!
//! The last message is the model's or a user message. A user message ends with results or with
//! something else, which decides how the next part begins.

use std::borrow::Cow;

use silcrow_event::{
    CallResult, Content, ContentPart, DataMark, Event, MediaRef, Message, ResultOrigin, Role,
};
use silcrow_media::Senses;
use silcrow_parser::{Dialect, Options, escape_user, leaves_fence_open, write, write_results};

use crate::media_parts::with_media;
use crate::native_turn::NativeTurns;

/// Messages whose roles alternate, the person's first.
#[derive(Clone)]
pub(crate) struct Transcript {
    options: Options,
    messages: Vec<Message>,
    /// Whether the last message ends with results.
    after_results: bool,
    /// Whether the model's last answer left a code fence open, and no message says so yet (P-34).
    open_fence: bool,
    /// Whether it had several final responses, and no message says so yet (P-22).
    several_finals: bool,
    /// The maker of messages for a vendor's own calls; `None` for text.
    native: Option<NativeTurns>,
    /// The kinds of media that the model takes besides text.
    senses: Senses,
}

/// The properties of the reading model on which the messages depend.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ModelView<'a> {
    /// Its name, if it is asked in its vendor's own way.
    pub(crate) native: Option<&'a str>,
    /// The kinds of media that it takes besides text.
    pub(crate) senses: Senses,
}

/// The first message of a log that begins with the model's words.
const BEGINNING: &str = "[The beginning of this conversation is not shown.]";

/// The notice that asks a model to continue after an answer that is not final, if no result or
/// other message follows it (P-22).
pub const CONTINUE: &str = "[You said that this was not your final answer: continue.]";

/// The notice for an open code fence, before the next text for the model.
const OPEN_FENCE: &str = "[Your last answer left a code fence open: nothing after its opening \
counted as a delimiter, and no call in it ran.]";

/// The notice for several final responses in one turn, before the next text for the model.
const SEVERAL_FINALS: &str = "[Your last answer had several final responses: the last one is your \
answer, and the person may not have read the others.]";

/// The text between two parts of a message.
const PARTED: &str = "\n\n";

impl Transcript {
    pub(crate) fn new(options: Options, model: ModelView<'_>) -> Self {
        Self {
            options,
            messages: Vec::new(),
            after_results: false,
            open_fence: false,
            several_finals: false,
            native: model.native.map(NativeTurns::new),
            senses: model.senses,
        }
    }

    /// Returns the maker of messages for a vendor's own calls.
    pub(crate) const fn native(&self) -> Option<&NativeTurns> {
        self.native.as_ref()
    }

    pub(crate) const fn senses(&self) -> Senses {
        self.senses
    }

    pub(crate) const fn options(&self) -> Options {
        self.options
    }

    /// Returns a transcript with the last message alone, to which the same may be added.
    pub(crate) fn end(&self) -> Self {
        let last = self.messages.last().cloned();
        let native = self.native.clone();
        Self { messages: last.into_iter().collect(), native, ..*self }
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    /// Adds the model's words. There is always a user message between two messages of the model.
    pub(crate) fn model<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        match self.messages.last() {
            None => self.notice(BEGINNING),
            Some(last) if last.role == Role::Assistant => self.notice(CONTINUE),
            Some(_) => {}
        }
        if let Some(native) = &mut self.native {
            if let Some(content) = native.said(events) {
                self.messages.push(Message::new(Role::Assistant, content));
                self.after_results = false;
            }
            return;
        }
        let events: Vec<&Event> = events.into_iter().collect();
        let wire = write(events.iter().copied(), self.options);
        self.messages.push(Message::new(Role::Assistant, wire));
        self.after_results = false;
        let is_final = |event: &&&Event| matches!(event, Event::Respond(said) if said.last && said.malformed.is_none());
        self.several_finals =
            self.options.dialect == Dialect::Action && events.iter().filter(is_final).count() > 1;
        self.open_fence = events.iter().any(|event| match event {
            Event::Respond(said) if said.malformed.is_none() => {
                let wire = said.wire.as_ref().unwrap_or(&said.content);
                leaves_fence_open(wire, self.options)
            }
            _ => false,
        });
    }

    /// Adds the results of the model's calls, between two lines with the mark if there is one and a
    /// tool said something.
    pub(crate) fn results<'a>(
        &mut self,
        results: impl IntoIterator<Item = &'a CallResult> + Clone,
        mark: Option<DataMark>,
    ) {
        let is_data = |result: &CallResult| result.origin() == ResultOrigin::Tool;
        let mark = mark.filter(|_| results.clone().into_iter().any(is_data));
        if let Some(native) = &mut self.native {
            let content = native.results(results, mark, self.senses);
            match self.messages.last_mut() {
                Some(last) if last.role == Role::User => {
                    content.parts().iter().for_each(|part| last.content.push(part.clone()));
                }
                _ => self.messages.push(Message::new(Role::User, content)),
            }
            return;
        }
        let media: Vec<&MediaRef> =
            results.clone().into_iter().flat_map(|result| result.content.media()).collect();
        let text = write_results(results, self.options);
        let text = match mark {
            Some(mark) => mark.wrap(&text),
            None => text,
        };
        self.user(text.into(), &media, PARTED);
        self.after_results = true;
        self.warn();
    }

    /// Adds the notices for an open code fence and for several final responses, if there are any.
    fn warn(&mut self) {
        if std::mem::take(&mut self.open_fence) {
            self.notice(OPEN_FENCE);
        }
        if std::mem::take(&mut self.several_finals) {
            self.notice(SEVERAL_FINALS);
        }
    }

    /// Adds the person's words. Nothing in them can pass for results (P-10).
    pub(crate) fn person(&mut self, content: &Content) {
        self.warn();
        let (text, media) = (content.text(), content.media().collect::<Vec<_>>());
        let text = match self.native {
            // It has no delimiters.
            Some(_) => text,
            None => escape_user(&text, self.options),
        };
        self.part(text, &media);
    }

    /// Adds a text of the framework or of the person. It cannot be taken for a part of a result,
    /// because no result contains the end delimiter that precedes the text.
    pub(crate) fn notice(&mut self, text: &str) {
        self.part(text.into(), &[]);
    }

    fn part(&mut self, text: Cow<'_, str>, media: &[&MediaRef]) {
        if self.after_results {
            let end = write([&Event::End], self.options);
            self.user(text, media, &format!("\n{end}{PARTED}"));
        } else {
            self.user(text, media, PARTED);
        }
        self.after_results = false;
    }

    /// Adds to the current user message, or begins one.
    fn user(&mut self, text: Cow<'_, str>, media: &[&MediaRef], parted: &str) {
        if !media.is_empty() {
            self.user_with(with_media(text, media, self.senses), parted);
            return;
        }
        match self.messages.last_mut() {
            Some(last)
                if last.role == Role::User
                    && matches!(last.content.parts().last(), Some(ContentPart::Result(_))) =>
            {
                last.content.push(ContentPart::Text(text.into_owned()));
            }
            Some(last) if last.role == Role::User => {
                last.content.push_text(parted);
                last.content.push_text(&text);
            }
            _ => {
                // A copy has no spare room. The next text can use all of the memory of this one.
                self.messages.push(Message::new(Role::User, String::from(&*text)));
            }
        }
    }

    /// Adds content with pictures to the current user message, or begins one.
    fn user_with(&mut self, content: Content, parted: &str) {
        let Some(last) = self.messages.last_mut().filter(|last| last.role == Role::User) else {
            self.messages.push(Message::new(Role::User, content));
            return;
        };
        let follows_result = matches!(last.content.parts().last(), Some(ContentPart::Result(_)));
        if !follows_result {
            last.content.push_text(parted);
        }
        for (at, part) in content.parts().iter().enumerate() {
            match part {
                ContentPart::Text(text) if at == 0 && !follows_result => {
                    last.content.push_text(text)
                }
                part => last.content.push(part.clone()),
            }
        }
    }
}
