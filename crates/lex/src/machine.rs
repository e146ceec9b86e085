//! The lexer's states, and the transitions between them.
//!
//! A lexer is in one [`State`]. It changes the state at a delimiter that counts in it, and in a
//! call's body on a [`Trigger`]. JSON is followed, not parsed (P-8): a state knows whether brackets
//! or a string are open, but not whether the JSON is valid.
//!
//! All dialects share the transitions within a body. A trigger that has no row for a state leaves
//! it unchanged.
//!
//! ```text
//! trigger       from                  to
//! Fence         Opening               FenceLine
//! FenceLineEnd  FenceLine             Opening
//! ListStart     Opening               Between
//! ItemStart     Opening Between       Brackets
//! ItemStart     AfterBody             Brackets
//! Other         Opening               Raw
//! Other         Between               Stray
//! StrayEnd      Stray                 Between
//! Quote         Brackets              String
//! Quote         String TornString     Brackets
//! LineBreak     String                TornString
//! TooLong       body                  Abandoned
//! ```
//!
//! Each dialect adds its delimiters and the end of an item. A delimiter counts `in` some states,
//! and in those that are marked with `^` only at a line's start (P-2); in `TornString` it always
//! needs one (P-8). With the option `inline`, only `TornString` and `Abandoned` keep the mark.
//! `body` is every state of a body, but in `String` nothing counts. `outer` is the state before the
//! body.
//!
//! ```text
//! sigil         in                    to
//! §think:       Text^ body^           Text
//! §call:        Text^ body^           Opening
//! §respond:     Text^ body^           Text
//! §result:      Text^ body^           Text
//! §execute      Text^ body^           Text
//! §end          Text^ body^           Done
//! end of item   Brackets              AfterBody
//! other text    AfterBody             Text
//!
//! phase         in                    to
//! <think>       Text                  Think
//! </think>      Think                 Text
//! <execute>     Text                  Opening
//! </execute>    body                  Text
//! <results>     Text                  Results
//! </results>    Results               Text
//! <end>         Text                  Done
//! end of item   Brackets              Between
//!
//! action        in                    to
//! <thought>     Text                  Think
//! </thought>    Think                 Text
//! <action>      Text Think            Opening
//! </action>     body                  outer
//! <response>    Text Think^           Respond
//! </response>   Respond               Text
//! <results>     Text                  Results
//! </results>    Results               Text
//! <!--          Text                  Comment
//! -->           Comment               Text
//! <if>          Text                  Text
//! </if>         Text                  Text
//! <then>        Text                  Text
//! </then>       Text                  Text
//! <else>        Text                  Text
//! </else>       Text                  Text
//! <foreach>     Text                  Text
//! </foreach>    Text                  Text
//! <parallel>    Text                  Text
//! </parallel>   Text                  Text
//! <transaction> Text                  Text
//! </transaction> Text                  Text
//! <value>       Text                  Text
//! </value>      Text                  Text
//! end of item   Brackets              AfterBody
//! other text    AfterBody             Trailing
//! ```

use State::{
    Abandoned, AfterBody, Between, Brackets, Comment, Done, FenceLine, Opening, Raw, Respond,
    Results, Stray, String, Tag, Text, Think, TornString, Trailing,
};

/// The kind of the text at the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// Text outside of tags, or of any `§` section.
    Text,
    /// Inside `<think>` or `<thought>`.
    Think,
    /// Inside `<results>`.
    Results,
    /// Inside `<response …>`.
    Respond,
    /// After the end: nothing counts (P-6).
    Done,
    /// In a body: white space, then a bracket or a code fence.
    Opening,
    /// In a body: the line that opens a code fence.
    FenceLine,
    /// In a body: outside of strings, while brackets are counted.
    Brackets,
    /// In a body: a JSON string.
    String,
    /// In a body: a JSON string that contains a raw line break.
    TornString,
    /// In a body that does not begin with a bracket: everything up to the next delimiter.
    Raw,
    /// In a body that is too long (P-9): everything up to the next delimiter.
    Abandoned,
    /// Before, between or after the items of a list, at a place where one may begin.
    Between,
    /// The same, in text that begins no item.
    Stray,
    /// After the body of an action, and other text than separators.
    Trailing,
    /// After a body that is not a list: separators, after which another body may begin.
    AfterBody,
    /// Inside `<!-- … -->`.
    Comment,
    /// After the name of a tag that may have attributes. The attributes have separate states.
    Tag,
}

/// An event that changes the state within a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Trigger {
    /// Three backticks or tildes open a code fence.
    Fence,
    /// A line break, or a bracket, ends the line that opens a code fence.
    FenceLineEnd,
    /// The bracket that opens a list of calls.
    ListStart,
    /// The bracket that opens an item, or the quote of one that is a string.
    ItemStart,
    /// Another character at a place where an item is expected.
    Other,
    /// A bracket that ends stray text in a list, or the end of a code fence.
    StrayEnd,
    /// An unescaped quote.
    Quote,
    /// A raw line break.
    LineBreak,
    /// The caller abandons the body.
    TooLong,
}

/// The transitions within a body.
pub(crate) const TRANSITIONS: [(Trigger, &[State], State); 12] = [
    (Trigger::Fence, &[Opening], FenceLine),
    (Trigger::FenceLineEnd, &[FenceLine], Opening),
    (Trigger::ListStart, &[Opening], Between),
    (Trigger::ItemStart, &[Opening, Between], Brackets),
    (Trigger::ItemStart, &[AfterBody], Brackets),
    (Trigger::Other, &[Opening], Raw),
    (Trigger::Other, &[Between], Stray),
    (Trigger::StrayEnd, &[Stray], Between),
    (Trigger::Quote, &[Brackets], String),
    (Trigger::Quote, &[String, TornString], Brackets),
    (Trigger::LineBreak, &[String], TornString),
    (Trigger::TooLong, &BODY, Abandoned),
];

/// The states of a call's body.
const BODY: [State; 10] =
    [Opening, FenceLine, Brackets, String, TornString, Raw, Abandoned, Between, Stray, Trailing];

impl State {
    /// Returns the state after `trigger`.
    #[inline]
    pub(crate) const fn after(self, trigger: Trigger) -> Self {
        NEXT[self as usize][trigger as usize]
    }

    /// Returns whether the text belongs to a section.
    #[inline]
    pub(crate) const fn is_text(self) -> bool {
        self as u8 <= Done as u8
    }

    #[inline]
    pub(crate) const fn is_body(self) -> bool {
        Opening as u8 <= self as u8 && self as u8 <= Trailing as u8
    }

    /// Returns whether the text is part of a call, and not around it.
    #[inline]
    pub(crate) const fn is_item(self) -> bool {
        Brackets as u8 <= self as u8 && self as u8 <= Abandoned as u8
    }

    #[inline]
    pub(crate) const fn is_string(self) -> bool {
        matches!(self, String | TornString)
    }
}

/// A set of states: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateSet(u32);

impl StateSet {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const TEXT: Self = Self::new(&[Text]);
    pub(crate) const THINK: Self = Self::new(&[Think]);
    pub(crate) const RESULTS: Self = Self::new(&[Results]);
    pub(crate) const RESPOND: Self = Self::new(&[Respond]);
    pub(crate) const COMMENT: Self = Self::new(&[Comment]);
    /// The states of a body in which a delimiter may count: in a string that contains no line
    /// break, none does.
    pub(crate) const BODY: Self = Self(Self::new(&BODY).0 & !Self::new(&[String]).0);

    pub(crate) const fn new(states: &[State]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < states.len() {
            bits |= 1 << states[at] as u32;
            at += 1;
        }
        Self(bits)
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn contains(self, state: State) -> bool {
        self.0 & 1 << state as u32 != 0
    }
}

/// Every state, by its number.
pub(crate) const STATES: [State; 18] = [
    Text, Think, Results, Respond, Done, Opening, FenceLine, Brackets, String, TornString, Raw,
    Abandoned, Between, Stray, Trailing, AfterBody, Comment, Tag,
];

const TRIGGERS: usize = Trigger::TooLong as usize + 1;

/// The transitions, indexed by state and trigger.
const NEXT: [[State; TRIGGERS]; STATES.len()] = {
    let mut next = [[Text; TRIGGERS]; STATES.len()];
    let mut nth = 0;
    while nth < STATES.len() {
        assert!(STATES[nth] as usize == nth, "the states are in order");
        next[nth] = [STATES[nth]; TRIGGERS];
        nth += 1;
    }
    let mut row = 0;
    while row < TRANSITIONS.len() {
        let (trigger, from, to) = TRANSITIONS[row];
        let mut nth = 0;
        while nth < from.len() {
            next[from[nth] as usize][trigger as usize] = to;
            nth += 1;
        }
        row += 1;
    }
    next
};

#[cfg(test)]
mod tests;
