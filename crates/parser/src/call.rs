use std::fmt;

use silcrow_event::{
    Call, CallTextFragment, Diagnostic, DiagnosticKind, Fragment, InvalidCall, TextFragment,
    TextKind,
};
use silcrow_lex::BodyEnd;

use crate::action;
use crate::flow::{Sink, is_space};
use crate::ids::Ids;
use crate::name::Name;
use crate::options::MAX_BODY;
use crate::repair::repair;
use crate::tag::Tag;

/// The calls of a turn as they are written: the body at hand, and how many wait to be run.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Bodies are given out as they are written.
    pub(crate) shown: bool,
    body: String,
    /// Where the body begins in the wire text.
    at: u64,
    name: Name,
    /// Bodies that are over.
    closed: u32,
    ids: Ids,
    /// Calls, and malformed ones, since the last execution point.
    pending: u32,
    too_long: bool,
}

/// What came of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gave {
    Call,
    /// Its text, as a section of its own.
    Text,
    Nothing,
}

/// Why a body gives no call that can be run.
#[derive(Debug)]
pub(crate) struct Refused {
    /// What was wrong, for the model.
    why: String,
    /// The id that the model wrote, or nothing.
    id: String,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Cut off: no content.
    Truncated,
    /// No call: content (P-9).
    Malformed,
    /// A call that says what cannot be (P-20): no content.
    Call,
}

impl Refused {
    pub(crate) fn malformed(why: &dyn fmt::Display, id: String) -> Self {
        Self { why: why.to_string(), id, what: What::Malformed }
    }

    pub(crate) fn call(why: String, id: String) -> Self {
        Self { why, id, what: What::Call }
    }
}

impl Calls {
    /// How many bytes more the body may take, before it is too long.
    pub(crate) fn room(&self) -> usize {
        if self.too_long { usize::MAX } else { MAX_BODY - self.body.len() }
    }

    /// Whether the next text begins a body.
    pub(crate) fn is_at_start(&self) -> bool {
        self.body.is_empty()
    }

    /// Takes text of a body that stands at `at`. Says whether the body is now too long to follow.
    pub(crate) fn push(&mut self, text: &str, at: u64, sink: &mut Sink<'_>) -> bool {
        if self.too_long {
            return false;
        }
        if self.body.is_empty() {
            self.at = at;
        }
        self.body.push_str(text);
        if self.shown {
            self.show(text, sink);
        }
        self.too_long = self.body.len() >= MAX_BODY;
        self.too_long
    }

    /// Gives out the text that the body now ends with. It is parted where the name is complete, so
    /// that no cut of the input tells it sooner or later.
    fn show(&mut self, text: &str, sink: &mut Sink<'_>) {
        let call = self.closed + 1;
        let mut text = text;
        let from = self.body.len() - text.len();
        if let Some(end) = self.name.follow(&self.body, from) {
            let (before, behind) = text.split_at(end - from);
            if !before.is_empty() {
                sink(Fragment::CallText(CallTextFragment { call, name: None, text: before }));
            }
            text = behind;
        }
        sink(Fragment::CallText(CallTextFragment { call, name: self.name.as_str(), text }));
    }

    /// The body is over; `at` is where its delimiter ended, for one without text. `tag` is that of an
    /// action. Malformed text becomes an answer of the given number, though not the last one of
    /// a turn of actions: those go on (P-21).
    pub(crate) fn close(
        &mut self,
        close: BodyEnd,
        at: u64,
        tag: Option<&Tag>,
        part: u32,
        sink: &mut Sink<'_>,
    ) -> Gave {
        if self.body.is_empty() {
            self.at = at;
        }
        self.closed += 1;
        self.name = Name::default();
        let body = std::mem::take(&mut self.body);
        let gave = self.judge(body.trim_matches(is_space), close, tag, part, sink);
        // The next body needs its room.
        self.body = body;
        self.body.clear();
        gave
    }

    /// What becomes of a body, without the white space around it.
    fn judge(
        &mut self,
        body: &str,
        close: BodyEnd,
        tag: Option<&Tag>,
        part: u32,
        sink: &mut Sink<'_>,
    ) -> Gave {
        let too_long = std::mem::take(&mut self.too_long);
        let id = || tag.map(action::id_in).unwrap_or_default();
        let read = if close == BodyEnd::Torn {
            let why = "the call was cut off before its end; write it again, whole".to_owned();
            Err(Refused { why, id: id(), what: What::Truncated })
        } else if too_long {
            let why = format!("the body is longer than {MAX_BODY} bytes; write less in one call");
            Err(Refused::malformed(&why, id()))
        } else {
            self.read(body, tag, sink)
        };
        let refused = match self.identify(read) {
            Ok(call) => {
                self.pending += 1;
                sink(Fragment::Call(call));
                return Gave::Call;
            }
            Err(refused) => refused,
        };
        let Refused { why, id, what } = refused;
        let truncated = what == What::Truncated;
        self.pending += u32::from(!truncated);
        let is_text = what == What::Malformed && !body.is_empty();
        if is_text {
            let voice = TextKind::Respond { last: tag.is_none() };
            sink(Fragment::Text(TextFragment { voice, part, text: body }));
            sink(Fragment::Close { part });
        }
        let oddity =
            if truncated { DiagnosticKind::TruncatedCall } else { DiagnosticKind::MalformedCall };
        self.report(oddity, why.clone(), sink);
        sink(Fragment::InvalidCall(InvalidCall { id, why, truncated }));
        if is_text { Gave::Text } else { Gave::Nothing }
    }

    /// Reads a body, mended where that helps (P-8).
    fn read(&self, body: &str, tag: Option<&Tag>, sink: &mut Sink<'_>) -> Result<Call, Refused> {
        let read = |body: &str| match tag {
            Some(tag) => action::call(tag, body),
            None => Call::parse("", body).map_err(|why| Refused::malformed(&why, String::new())),
        };
        let refused = match read(body) {
            Err(refused) => refused,
            call => return call,
        };
        match repair(body).map(|mended| read(&mended)) {
            None => Err(refused),
            // Its control characters are not what makes it malformed.
            Some(Err(still @ Refused { what: What::Malformed, .. })) => Err(still),
            Some(read) => {
                let what = "control characters in a string were escaped".to_owned();
                self.report(DiagnosticKind::Repaired, what, sink);
                read
            }
        }
    }

    /// Gives what was read the id that it says, or else a generated one. A repeated one cannot be
    /// run (P-20).
    fn identify(&mut self, read: Result<Call, Refused>) -> Result<Call, Refused> {
        let said = match &read {
            Ok(call) => call.id(),
            Err(refused) => &refused.id,
        };
        if !said.is_empty() && self.ids.take(said) {
            return read;
        }
        let repeated = (!said.is_empty())
            .then(|| format!("the id `{said}` is taken; write the action again under another id"));
        let id = self.ids.generate();
        match (read, repeated) {
            (Ok(_), Some(why)) => Err(Refused::call(why, id)),
            (Ok(call), None) => Ok(call.with_id(id)),
            (Err(refused), _) => Err(Refused { id, ..refused }),
        }
    }

    /// The execution point: whether calls wait for it.
    pub(crate) fn execute(&mut self) -> bool {
        std::mem::take(&mut self.pending) > 0
    }

    fn report(&self, oddity: DiagnosticKind, content: String, sink: &mut Sink<'_>) {
        sink(Fragment::Diagnostic(Diagnostic { kind: oddity, content, at: self.at }));
    }
}
