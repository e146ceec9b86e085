//! The rules of a whole turn: those of the dialect, and those of its calls.

use std::collections::BTreeSet;

use silcrow_event::Json;
use silcrow_lex::Dialect;

use crate::regex::Regexes;
use crate::rules::{GrammarRule, Symbol, rule, text};
use crate::{action, json, phase, sigil};

/// Returns the rules of a turn; the first is the rule `turn`.
pub(crate) fn turn(
    regexes: &Regexes,
    dialect: Dialect,
    tools: Option<&[&str]>,
) -> Vec<GrammarRule> {
    let names = tools.map(|tools| {
        // The name of a call is not empty, and a set drops duplicates.
        tools.iter().copied().filter(|name| !name.is_empty()).collect::<BTreeSet<_>>()
    });
    let has_calls = names.as_ref().is_none_or(|names| !names.is_empty());
    let mut rules = match dialect {
        Dialect::Sigil => sigil::turn(regexes, has_calls),
        Dialect::Phase => phase::turn(regexes, has_calls),
        Dialect::Action => action::turn(regexes, has_calls),
    };
    if has_calls {
        let strings = json::JsonStrings::new(regexes);
        let names = match names {
            None => vec![vec![Symbol::Token(strings.short(regexes))]],
            Some(names) => names.into_iter().map(|name| vec![text(Json::string(name))]).collect(),
        };
        rules.extend(match dialect {
            Dialect::Sigil | Dialect::Phase => vec![json::call()],
            Dialect::Action => action::calls(regexes, &strings),
        });
        rules.push(rule("name", names));
        rules.extend(json::values(regexes, &strings));
    }
    rules
}
