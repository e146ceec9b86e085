use std::borrow::Cow;
use std::collections::BTreeSet;

use silcrow_event::Json;
use silcrow_lex::Dialect;

use super::regex::{Re, Regexes};
use super::{action, json, phase, sigil};

/// A rule of the grammar.
pub(super) struct Rule {
    pub(super) name: Cow<'static, str>,
    pub(super) body: Body,
}

impl Rule {
    /// All parts of all its sequences.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let sequences: &[Vec<Part>] = match &self.body {
            Body::Any(sequences) => sequences,
            Body::Text(..) => &[],
        };
        sequences.iter().flatten()
    }
}

pub(super) enum Body {
    /// One of these sequences.
    Any(Vec<Vec<Part>>),
    /// A text and one of its exits.
    Text(Re, Vec<Exit>),
}

#[derive(Clone)]
pub(super) enum Part {
    /// This very text.
    Text(String),
    /// What the regular expression matches, and as much of it as there is.
    Token(Re),
    Rule(Cow<'static, str>),
    /// The rule, any number of times.
    Many(Cow<'static, str>),
}

/// What stands behind a text, which cannot hold it.
pub(super) struct Exit {
    pub(super) literal: String,
    /// The rule that goes on behind it.
    pub(super) next: Option<&'static str>,
}

/// The rules of a turn, which begins with the rule `turn`.
pub(super) fn rules(regexes: &Regexes, dialect: Dialect, tools: Option<&[&str]>) -> Vec<Rule> {
    let names = tools.map(|tools| {
        // Nothing can be called that has no name, and a name given twice is one.
        tools.iter().copied().filter(|name| !name.is_empty()).collect::<BTreeSet<_>>()
    });
    let calls = names.as_ref().is_none_or(|names| !names.is_empty());
    let mut rules = match dialect {
        Dialect::Sigil => sigil::turn(regexes, calls),
        Dialect::Phase => phase::turn(regexes, calls),
        Dialect::Action => action::turn(regexes, calls),
    };
    if calls {
        let strings = json::Strings::new(regexes);
        let named = match names {
            None => vec![vec![Part::Token(strings.some(regexes))]],
            Some(names) => names.into_iter().map(|name| vec![text(Json::string(name))]).collect(),
        };
        rules.extend(match dialect {
            Dialect::Sigil | Dialect::Phase => vec![json::call()],
            Dialect::Action => action::calls(regexes, &strings),
        });
        rules.push(rule("name", named));
        rules.extend(json::values(regexes, &strings));
    }
    rules
}

pub(super) fn rule(name: impl Into<Cow<'static, str>>, sequences: Vec<Vec<Part>>) -> Rule {
    Rule { name: name.into(), body: Body::Any(sequences) }
}

/// A text, and what may stand behind it.
pub(super) fn flowing(name: &'static str, text: Re, exits: Vec<Exit>) -> Rule {
    Rule { name: name.into(), body: Body::Text(text, exits) }
}

/// What another rule says.
pub(super) fn part(rule: impl Into<Cow<'static, str>>) -> Part {
    Part::Rule(rule.into())
}

/// What another rule says, any number of times.
pub(super) fn many(rule: impl Into<Cow<'static, str>>) -> Part {
    Part::Many(rule.into())
}

pub(super) fn text(text: impl ToString) -> Part {
    Part::Text(text.to_string())
}

pub(super) fn exit(literal: impl ToString, next: Option<&'static str>) -> Exit {
    Exit { literal: literal.to_string(), next }
}
