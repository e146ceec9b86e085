use std::collections::VecDeque;

use crate::names::{begins_name, name_len};
use crate::outputs::Source;
use crate::plan::Plan;
use crate::substitute::text_of;

/// The answers of a turn on their way out, one behind the other: outputs stand in place of their
/// names, and what stands behind a pending name or behind a `sync` action waits for it (P-24,
/// P-26).
///
/// At a chunk's end it withholds at most what may become a name.
#[derive(Debug, Default)]
pub struct AnswerRenderer {
    name: Name,
    waiting: VecDeque<Waiting>,
    /// Bytes of text given out, and the first piece that was too much.
    given: usize,
    /// How many there may be: what names stand for may be far longer than they are.
    limit: Option<usize>,
}

/// What comes out of an [`AnswerRenderer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an answer is text, names in it, and its end")]
pub enum AnswerPiece<'a> {
    /// A piece of what the person reads.
    Text(&'a str),
    /// The name, without the `$`, that nothing binds; it is given out as written.
    Unbound(&'a str),
    /// The first answer that was not closed is out.
    Close,
}

/// What may become a name.
#[derive(Debug, Default)]
enum Name {
    #[default]
    None,
    /// `$`
    Dollar,
    /// `$$`
    Dollars,
    /// `$` and this.
    Word(String),
    /// As `Word`, but longer than any name; it is given out.
    Unbound(String),
}

#[derive(Debug)]
struct Waiting {
    /// How many calls stand before it.
    calls: usize,
    part: Part,
}

#[derive(Debug)]
enum Part {
    Text(String),
    /// The output of a call, by this name.
    Output(usize, String),
    Close,
}

impl AnswerRenderer {
    /// At the start of a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of a turn that gives out so many bytes of them. The piece that is too much, and
    /// all text behind it, is dropped.
    pub fn with_limit(bytes: usize) -> Self {
        Self { limit: Some(bytes), ..Self::default() }
    }

    /// Whether there was more text than its limit.
    pub fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.given > limit)
    }

    /// Takes a piece of the answer at hand, as the model wrote it.
    pub fn push(&mut self, plan: &Plan, text: &str, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        let mut rest = text;
        while let Some(&byte) = rest.as_bytes().first()
            && !self.is_over()
        {
            let len = match &mut self.name {
                Name::None => {
                    let dollar = rest.find('$').unwrap_or(rest.len());
                    self.say(plan, &rest[..dollar], give);
                    if dollar < rest.len() {
                        self.name = Name::Dollar;
                    }
                    (dollar + 1).min(rest.len())
                }
                Name::Dollar if byte == b'$' => {
                    self.name = Name::Dollars;
                    1
                }
                Name::Dollar if begins_name(byte) => {
                    self.name = Name::Word(String::new());
                    0
                }
                // The first of them is text, the second may begin a name.
                Name::Dollars if byte == b'$' => {
                    self.say(plan, "$", give);
                    1
                }
                // The first of them was written so that the second begins no name.
                Name::Dollars if begins_name(byte) => {
                    self.name = Name::None;
                    self.say(plan, "$", give);
                    let len = name_len(rest);
                    self.say(plan, &rest[..len], give);
                    len
                }
                Name::Word(word) | Name::Unbound(word) if name_len(rest) > 0 => {
                    let len = name_len(rest);
                    word.push_str(&rest[..len]);
                    if let Name::Unbound(_) = self.name {
                        self.say(plan, &rest[..len], give);
                    } else {
                        self.release_long(plan, give);
                    }
                    len
                }
                _ => {
                    self.settle(plan, give);
                    0
                }
            };
            rest = &rest[len..];
        }
    }

    /// The answer at hand is complete: what may have become a name is settled.
    pub fn close(&mut self, plan: &Plan, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        self.settle(plan, give);
        if self.waiting.is_empty() {
            give(AnswerPiece::Close);
        } else {
            self.waiting.push_back(Waiting { calls: 0, part: Part::Close });
        }
    }

    /// Gives out what waits no longer, after something in the plan has ended.
    pub fn resume(&mut self, plan: &Plan, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        while let Some(Waiting { calls, part }) = self.waiting.front()
            && !plan.is_barred(*calls)
            && !part.is_pending(plan)
            && let Some(Waiting { part, .. }) = self.waiting.pop_front()
        {
            match part {
                Part::Close => give(AnswerPiece::Close),
                // Not even built.
                _ if self.is_over() => {}
                Part::Text(text) => self.give(&text, give),
                Part::Output(call, name) => match plan.nodes[call].value() {
                    Some(value) => self.give(&text_of(&value), give),
                    None => self.unbound(&name, give),
                },
            }
        }
    }

    /// Whether text of it waits for a call.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A word that no name can become is text at once.
    fn release_long(&mut self, plan: &Plan, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        if let Name::Word(word) = &mut self.name
            && word.len() > plan.outputs.longest()
        {
            let word = std::mem::take(word);
            self.say(plan, &format!("${word}"), give);
            self.name = Name::Unbound(word);
        }
    }

    /// What may become a name goes on no further.
    fn settle(&mut self, plan: &Plan, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        match std::mem::take(&mut self.name) {
            Name::None => {}
            _ if self.is_over() => {}
            Name::Dollar => self.say(plan, "$", give),
            Name::Dollars => self.say(plan, "$$", give),
            Name::Word(word) => match plan.outputs.find(&word) {
                Some(Source::Preset(preset)) => {
                    self.say(plan, &text_of(plan.outputs.preset_value(preset)), give);
                }
                Some(Source::Call(call)) => {
                    let part = Part::Output(call, word);
                    self.waiting.push_back(Waiting { calls: plan.nodes.len(), part });
                    self.resume(plan, give);
                }
                None => {
                    self.say(plan, &format!("${word}"), give);
                    give(AnswerPiece::Unbound(&word));
                }
            },
            Name::Unbound(word) => give(AnswerPiece::Unbound(&word)),
        }
    }

    /// Text that is no name.
    fn say(&mut self, plan: &Plan, text: &str, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        let calls = plan.nodes.len();
        if text.is_empty() {
            return;
        }
        if self.waiting.is_empty() && !plan.is_barred(calls) {
            return self.give(text, give);
        }
        match self.waiting.back_mut() {
            Some(Waiting { calls: same, part: Part::Text(before) }) if *same == calls => {
                before.push_str(text);
            }
            _ => self.waiting.push_back(Waiting { calls, part: Part::Text(text.to_owned()) }),
        }
    }

    /// A name stays as written.
    fn unbound(&mut self, name: &str, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        self.give(&format!("${name}"), give);
        if !self.is_over() {
            give(AnswerPiece::Unbound(name));
        }
    }

    /// Text goes out, as far as there is room.
    fn give(&mut self, text: &str, give: &mut dyn FnMut(AnswerPiece<'_>)) {
        if !self.is_over() {
            self.given = self.given.saturating_add(text.len());
        }
        if !self.is_over() {
            give(AnswerPiece::Text(text));
        }
    }
}

impl Part {
    /// Whether it waits for a call.
    fn is_pending(&self, plan: &Plan) -> bool {
        matches!(self, Self::Output(call, _) if !plan.nodes[*call].is_ended())
    }
}
