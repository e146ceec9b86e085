//! Prints choices in GBNF. A rule that is used in one place is written there.

use std::collections::BTreeMap;

use crate::gbnf_spelling::{literal, rule_name};
use crate::regex::Regexes;
use crate::rules::{GrammarRule, RuleBody, Symbol};

/// The choices of a grammar.
pub(crate) struct Choices<'a> {
    regexes: &'a Regexes,
    /// The choices that are written where they are used.
    inside: BTreeMap<&'a str, &'a [Vec<Symbol>]>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(regexes: &'a Regexes, rules: &'a [GrammarRule]) -> Self {
        // A grammar begins with its first rule.
        let mut uses: BTreeMap<&str, usize> =
            rules.iter().take(1).map(|rule| (&*rule.name, 2)).collect();
        for rule in rules {
            let exits = match &rule.body {
                RuleBody::Text(_, exits) => &exits[..],
                RuleBody::Choice(_) => &[],
            };
            let named = rule.symbols().filter_map(|symbol| match symbol {
                Symbol::Rule(name) | Symbol::Many(name) => Some(&**name),
                Symbol::Literal(_) | Symbol::Token(_) => None,
            });
            // The continuation of a text is written beside its states.
            let next = exits.iter().filter_map(|exit| exit.next).flat_map(|next| [next, next]);
            named.chain(next).for_each(|name| *uses.entry(name).or_default() += 1);
        }
        let inside = rules.iter().filter_map(|rule| match &rule.body {
            RuleBody::Choice(_) if NAMING.contains(&&*rule.name) => None,
            RuleBody::Choice(sequences) if uses.get(&*rule.name) == Some(&1) => {
                Some((&*rule.name, &sequences[..]))
            }
            _ => None,
        });
        Self { regexes, inside: inside.collect() }
    }

    /// Returns whether a rule is written where it is used.
    pub(crate) fn is_inside(&self, name: &str) -> bool {
        self.inside.contains_key(name)
    }

    /// Prints the alternatives of a rule.
    pub(crate) fn body(&self, sequences: &[Vec<Symbol>]) -> String {
        let (empty, full): (Vec<_>, Vec<_>) =
            sequences.iter().partition(|sequence| sequence.is_empty());
        let full: Vec<_> = full.iter().map(|symbols| self.sequence(symbols)).collect();
        match (&full[..], empty.len()) {
            ([], _) => literal(""),
            (_, 0) => full.join(" | "),
            ([one], _) if !one.contains([' ', '(']) => format!("{one}?"),
            _ => format!("({})?", full.join(" | ")),
        }
    }

    fn sequence(&self, symbols: &[Symbol]) -> String {
        let mut parts = Vec::new();
        let mut symbols = symbols.iter().peekable();
        while let Some(symbol) = symbols.next() {
            parts.push(match symbol {
                Symbol::Literal(text) => {
                    let mut text = text.clone();
                    while let Some(Symbol::Literal(more)) =
                        symbols.next_if(|next| matches!(next, Symbol::Literal(_)))
                    {
                        text += more;
                    }
                    literal(&text)
                }
                Symbol::Token(re) => {
                    rule_name(self.regexes.name_of(*re).expect("every token has a name"))
                }
                Symbol::Rule(name) => self.inside.get(&**name).map_or_else(
                    || rule_name(name),
                    |sequences| match sequences.iter().any(Vec::is_empty) || sequences.len() == 1 {
                        true => self.body(sequences),
                        false => format!("({})", self.body(sequences)),
                    },
                ),
                Symbol::Many(name) => match self.inside.get(&**name) {
                    Some(sequences) => format!("({})*", self.body(sequences)),
                    None => format!("{}*", rule_name(name)),
                },
            });
        }
        parts.join(" ")
    }
}

/// The rules with the names of the tools, which a reader looks for.
const NAMING: [&str; 2] = ["called", "name"];
