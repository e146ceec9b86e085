//! The rules of a grammar, independent of the format that prints them.
//!
//! A rule is either a choice between sequences of symbols, or the text of a section with its exits.
//! A text is not a symbol, because the formats end it in different ways.

use std::borrow::Cow;

use crate::regex::RegexId;

/// A named rule.
pub(crate) struct GrammarRule {
    pub(crate) name: Cow<'static, str>,
    pub(crate) body: RuleBody,
}

impl GrammarRule {
    /// Returns the symbols of all its sequences.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let sequences: &[Vec<Symbol>] = match &self.body {
            RuleBody::Choice(sequences) => sequences,
            RuleBody::Text(..) => &[],
        };
        sequences.iter().flatten()
    }
}

pub(crate) enum RuleBody {
    /// One of these sequences.
    Choice(Vec<Vec<Symbol>>),
    /// A text, followed by one of its exits.
    Text(RegexId, Vec<TextExit>),
}

#[derive(Clone)]
pub(crate) enum Symbol {
    /// This exact text.
    Literal(String),
    /// The longest text that the regular expression matches.
    Token(RegexId),
    /// The rule of this name.
    Rule(Cow<'static, str>),
    /// The rule of this name, any number of times.
    Many(Cow<'static, str>),
}

/// A literal that ends a text. The text does not contain it.
pub(crate) struct TextExit {
    pub(crate) literal: String,
    /// The rule after the literal.
    pub(crate) next: Option<&'static str>,
}

pub(crate) fn rule(name: impl Into<Cow<'static, str>>, sequences: Vec<Vec<Symbol>>) -> GrammarRule {
    GrammarRule { name: name.into(), body: RuleBody::Choice(sequences) }
}

pub(crate) fn text_rule(name: &'static str, text: RegexId, exits: Vec<TextExit>) -> GrammarRule {
    GrammarRule { name: name.into(), body: RuleBody::Text(text, exits) }
}

pub(crate) fn nonterminal(rule: impl Into<Cow<'static, str>>) -> Symbol {
    Symbol::Rule(rule.into())
}

pub(crate) fn many(rule: impl Into<Cow<'static, str>>) -> Symbol {
    Symbol::Many(rule.into())
}

pub(crate) fn text(text: impl ToString) -> Symbol {
    Symbol::Literal(text.to_string())
}

pub(crate) fn exit(literal: impl ToString, next: Option<&'static str>) -> TextExit {
    TextExit { literal: literal.to_string(), next }
}
